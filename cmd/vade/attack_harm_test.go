//go:build unix

package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// harm describes the harm that the run caused. It returns "" if the run did not cause the kind of
// harm that the case tests for.
func (w *world) harm(a attack, o outcome) string {
	switch a.HarmKind {
	case "marker":
		if _, err := os.Lstat(w.marker()); err == nil {
			return "the marker is there"
		}
	case "stdout":
		text := string(o.out)
		if a.Both {
			text += string(o.err)
		}
		for _, bad := range []string{secret, a.Expect} {
			if bad != "" && strings.Contains(text, bad) {
				return fmt.Sprintf("%q came out", bad)
			}
		}
	case "check":
		if w.checks(a) {
			return "the repository was changed"
		}
	case "timeout":
		if o.hung {
			return "it does not end"
		}
		if left := w.left(); len(left) > 0 {
			return fmt.Sprint("processes are left: ", left)
		}
	case "net":
		if w.heard.Load() > 0 {
			return "the listener was called"
		}
	case "bigout":
		if o.written > 1<<20 {
			return fmt.Sprintf("%d bytes came out", o.written)
		}
	case "esc":
		return rawBytes(a, append(slices.Clone(o.out), o.err...))
	}
	return ""
}

// harms checks for every kind of harm, not just the kind that the case tests for.
func (w *world) harms(t *testing.T, a attack, o outcome, before string) []string {
	t.Helper()
	var found []string
	both := a
	both.Both = true
	o.written -= 8 * int64(len(a.Command)) // the JSON output repeats the command
	for _, kind := range []string{"marker", "stdout", "check", "timeout", "net", "bigout", "esc"} {
		if both.HarmKind = kind; kind == "check" && a.Check == "" || kind == "stdout" && a.ID == carrier {
			continue
		}
		if harm := w.harm(both, o); harm != "" {
			found = append(found, harm)
		}
	}
	if after := w.digest(t); after != before {
		found = append(found, "files were changed")
	}
	if o.memory > 512<<20 {
		found = append(found, fmt.Sprintf("it took %d MB of memory", o.memory>>20))
	}
	for _, output := range outputs(o.out) {
		if harm := rawBytes(attack{}, []byte(output)); harm != "" {
			found = append(found, "in the output in the JSON: "+harm)
		}
	}
	return found
}

// carrier is the ID of the published case whose text may appear in the output, because a harmless
// command prints it.
const carrier = "I08"

// outputs returns the command outputs contained in Vade's JSON output.
func outputs(data []byte) []string {
	var r struct {
		Output     string
		Expansions struct{ Bash []struct{ Output string } }
	}
	if json.Unmarshal(data, &r) != nil {
		return nil
	}
	texts := []string{r.Output}
	for _, e := range r.Expansions.Bash {
		texts = append(texts, e.Output)
	}
	return texts
}

// rawBytes finds bytes that a terminal would interpret. These are control characters, except
// newlines and tabs, and characters that reorder text.
func rawBytes(a attack, data []byte) string {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if a.TTY {
		text = withoutColour(text)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			r = rune(text[i])
		}
		switch {
		case r == '\n', r == '\t':
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return fmt.Sprintf("the raw character %#x", r)
		}
		i += size
	}
	return ""
}

// withoutColour removes the colors that Vade itself prints on a terminal.
func withoutColour(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if tail := strings.TrimLeft(rest, "0123456789;"); strings.HasPrefix(tail, "m") {
			s = tail[1:]
			continue
		}
		b.WriteString("\x1b[")
		s = rest
	}
}

// digest hashes the state of all files in the world.
func (w *world) digest(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(w.base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target, _ := os.Readlink(path)
		fmt.Fprintf(h, "%q %v %q\n", path, info.Mode(), target)
		if !info.Mode().IsRegular() {
			return nil
		}
		fmt.Fprintln(h, info.Size())
		if info.Size() > 1<<20 {
			return nil
		}
		data, err := os.ReadFile(path)
		h.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// verdict summarizes what Vade did, and reports any problem with its output.
func verdict(load, isJSON bool, o outcome) (string, error) {
	if crash.Match(o.err) {
		return "crashed", fmt.Errorf("the product crashed")
	}
	switch {
	case load:
		return loadVerdict(o.out)
	case isJSON:
		var r struct {
			Decision struct {
				Allow bool   `json:"allow"`
				Code  string `json:"code"`
			} `json:"decision"`
			Executed bool `json:"executed"`
			ExitCode int  `json:"exitCode"`
		}
		if err := json.Unmarshal(o.out, &r); err != nil {
			return "no JSON", err
		}
		if !r.Executed {
			return cmp.Or(r.Decision.Code, "not run"), nil
		}
		if !r.Decision.Allow {
			return "ran", fmt.Errorf("a refused command was executed")
		}
		return fmt.Sprintf("ran, %d", r.ExitCode), nil
	case o.exit == 3 && len(o.err)+len(o.out) == 0:
		return "refused", fmt.Errorf("a refusal without a reason")
	case o.exit == 3:
		return "refused", nil
	case o.exit == 0 || o.exit == 1:
		return fmt.Sprintf("ran, %d", o.exit), nil
	}
	return fmt.Sprint("exit ", o.exit), fmt.Errorf("exit status %d is for wrong usage", o.exit)
}

// renderVerdict describes the outcome for a rendered definition whose command has the given length.
// The host does not load files larger than a million bytes.
func renderVerdict(out []byte, length int) (string, error) {
	var r struct {
		Messages [][]string
		Error    *struct{ Code, Message string }
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return "no JSON", err
	}
	switch {
	case r.Error != nil && len(r.Messages) > 0:
		return r.Error.Code, fmt.Errorf("an error and messages")
	case r.Error != nil && r.Error.Message == "":
		return r.Error.Code, fmt.Errorf("an error without a message")
	case r.Error != nil:
		return r.Error.Code, nil
	case len(r.Messages) == 1 && length > 900_000:
		return "not there", nil
	case len(r.Messages) != 2:
		return "none", fmt.Errorf("%d messages: nothing was tested", len(r.Messages))
	}
	return "ran", nil
}

// jsonOf extracts the JSON from terminal output, which mixes stdout and stderr.
func jsonOf(out []byte) []byte {
	if from, to := bytes.IndexByte(out, '{'), bytes.LastIndexByte(out, '}'); from >= 0 && from < to {
		return out[from : to+1]
	}
	return out
}

// crash matches the output of a crashed Go program.
var crash = regexp.MustCompile(`(?m)^(panic|fatal error|runtime error|goroutine \d+ \[)`)

// loaded holds the part of the "vade load" output that describes a definition's commands.
type loaded struct {
	Success    bool `json:"success"`
	Command    struct{ Content string }
	Expansions struct {
		Bash []struct {
			Command  string `json:"command"`
			Executed bool   `json:"executed"`
			Output   string `json:"output"`
			ExitCode int    `json:"exitCode"`
			Error    *struct {
				Code    string `json:"code"`
				Message string `json:"message"`
				Reason  string `json:"reason"`
			} `json:"error"`
		} `json:"bash"`
	} `json:"expansions"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
}

func loadVerdict(out []byte) (string, error) {
	var r loaded
	if err := json.Unmarshal(out, &r); err != nil {
		return "no JSON", err
	}
	if len(r.Expansions.Bash) == 0 {
		if r.Error != nil && (strings.HasPrefix(r.Error.Code, "BASH_") || r.Error.Code == "AUDIT_BLOCKED") {
			return r.Error.Code, nil
		}
		return "nothing", fmt.Errorf("the definition has no command: the case tests nothing")
	}
	e := r.Expansions.Bash[0]
	switch {
	case e.Error != nil:
		return cmp.Or(e.Error.Reason, e.Error.Code), nil
	case !e.Executed:
		return "not run", fmt.Errorf("a command that was not run, without a reason")
	}
	return fmt.Sprintf("ran, %d", e.ExitCode), nil
}
