package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/transcript"
)

// skillifyFlags are the flags of vade skillify.
type skillifyFlags struct {
	out     string
	force   bool
	request transcript.SkillifyRequest
}

func (a *app) skillify() *cobra.Command {
	var f skillifyFlags
	c := &cobra.Command{
		Use: "skillify TRANSCRIPT", Short: "Draft a skill from the transcript of a session",
		Long: `Draft a SKILL.md from what was said and done in a session of an agent, without a
model: the commands in order with how each ended, repeats folded, what failed before
what worked; values that are others each time as arguments; rules for the tools that
ran, for the very command but for a few that can do no harm; where the user steered; the files that changed. It ends in
TODOs for what only a person knows.

A TRANSCRIPT is a session file of Claude Code or of Codex (one JSON object a line), or
text with "User:", "Assistant:" and "$ command" lines; "-" is standard input. Nothing in
it runs. What may be a secret, where your machine keeps its files, and what a host would
heed are taken out. Commands that delete, send or publish are never allowed in advance:
the draft says to ask first.

Without --out the draft is printed. Standard error says what was left out.

Exit codes: 0 fine; 1 a part of the transcript could not be read, or nothing was
written; 2 wrong usage.`,
		Example: `  vade skillify session.jsonl
  vade skillify session.jsonl --name fix-issue --out .agents/skills
  vade skillify rollout.jsonl --host claude-code --out .claude/skills
  vade skillify notes.md --format plain --no-quotes
  vade skillify session.jsonl --json            what was found, as data`,
		Args: exactly(cobra.ExactArgs(1), "name one transcript, or - for standard input"),
		RunE: func(c *cobra.Command, args []string) error { return a.runSkillify(c.Context(), f, args[0]) },
	}
	if !a.named(c) {
		return c
	}
	flags := c.Flags()
	flags.StringVar(&f.request.Name, "name", "", "call the skill `NAME` (made of the first message)")
	flags.StringVar(&f.request.Host, "host", "", "write it in the form of `HOST`: "+strings.Join(export.Hosts(), ", "))
	flags.StringVar(&f.out, "out", "", "write it to a `FILE` that ends with .md, or to NAME/SKILL.md below a directory")
	flags.BoolVar(&f.force, "force", false, "with --out: replace a file that stands there")
	flags.StringVar(&f.request.Format, "format", "", "read the transcript as `FORMAT`: "+strings.Join(transcript.Formats(), ", "))
	flags.BoolVar(&f.request.KeepFailures, "keep-failures", false, "make steps of commands that failed, too")
	flags.BoolVar(&f.request.NoQuotes, "no-quotes", false, "leave the user's words out")
	_ = c.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(export.Hosts(), cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(transcript.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (a *app) runSkillify(ctx context.Context, f skillifyFlags, name string) error {
	switch {
	case f.force && f.out == "":
		return usage{failure{"--force is for --out", "without --out nothing is written anyway"}}
	case f.request.Format != "" && !slices.Contains(transcript.Formats(), f.request.Format):
		return usage{failure{fmt.Sprintf("--format %s: there is no such format", f.request.Format), "use one of: " + strings.Join(transcript.Formats(), ", ")}}
	case f.request.Host != "" && !known(f.request.Host):
		return noHost("--host", f.request.Host, "", export.Hosts())
	}
	target, err := a.draftTarget(&f)
	if err != nil {
		return err
	}
	r, err := a.transcript(name, &f.request)
	if err != nil {
		return err
	}
	defer r.Close()
	d, err := transcript.Skillify(ctx, r, f.request)
	if err != nil {
		return skillifyFailed(err, f.request.Format)
	}
	if target == "" && f.out != "" {
		target = path.Join(cleanOut(f.out), d.Name, "SKILL.md")
	}
	checked := false
	if target != "" {
		checked = d.Place(target, f.request.Host)
		if err := transcript.WriteDraft(cmp.Or(a.dir, "."), target, d, f.force); err != nil {
			if errors.Is(err, export.ErrDiffers) {
				return failure{strings.TrimPrefix(err.Error(), "vade: "), "look at it, and replace it with --force, or give the skill another --name"}
			}
			return failure{strings.TrimPrefix(err.Error(), "vade: "), "name a place below the working directory with --out"}
		}
	}
	if err := a.printDraft(d, target, checked); err != nil {
		return err
	}
	if slices.ContainsFunc(d.Diagnostics, func(x diag.Diagnostic) bool { return x.Severity > 0 }) {
		return silent{exitFailed}
	}
	return nil
}

func cleanOut(out string) string { return path.Clean(filepath.ToSlash(out)) }

// draftTarget is the file that --out names, "" where it names a directory. The name of
// the skill is then that of the file's directory.
func (a *app) draftTarget(f *skillifyFlags) (string, error) {
	if f.out == "" {
		return "", nil
	}
	out := cleanOut(f.out)
	if filepath.IsAbs(f.out) || out == ".." || strings.HasPrefix(out, "../") {
		return "", usage{failure{"--out " + f.out + ": it is not below the working directory", "name a place below it, or work elsewhere with -C DIR"}}
	}
	if !strings.HasSuffix(strings.ToLower(out), ".md") {
		return "", nil
	}
	if dir := path.Base(path.Dir(out)); strings.EqualFold(path.Base(out), "SKILL.md") && dir != "." {
		if f.request.Name != "" && f.request.Name != dir {
			return "", usage{failure{fmt.Sprintf("--name %s: the skill in %s has the name of its directory, %s", f.request.Name, out, dir), "leave --name out, or name the directory above with --out"}}
		}
		f.request.Name = dir
	}
	return out, nil
}

// transcript opens the transcript that is named.
func (a *app) transcript(name string, q *transcript.SkillifyRequest) (io.ReadCloser, error) {
	if name == "-" {
		q.File = "standard input"
		return io.NopCloser(a.world.Stdin), nil
	}
	q.File = filepath.ToSlash(name)
	at := name
	if a.dir != "" && !filepath.IsAbs(name) {
		at = filepath.Join(a.dir, name)
	}
	info, err := os.Stat(at)
	if err == nil && info.IsDir() {
		return nil, usage{failure{name + ": it is a directory", "name one transcript in it"}}
	}
	var r *os.File
	if err == nil && !info.Mode().IsRegular() {
		// A pipe that nobody writes to would be waited for.
		return nil, usage{failure{name + ": it is no regular file", "for what another program prints: … | vade skillify -"}}
	}
	if err == nil {
		r, err = os.Open(at)
	}
	if err != nil {
		return nil, usage{failure{fmt.Sprintf("%s: %v", name, plain(err)), "name a transcript, or - for standard input"}}
	}
	return r, nil
}

// skillifyFailed says what can be done about an error.
func skillifyFailed(err error, format string) error {
	message := strings.TrimPrefix(err.Error(), "vade: ")
	switch {
	case errors.Is(err, export.ErrNoFiles):
		return usage{failure{message, "use one of: " + strings.Join(export.Hosts(), ", ")}}
	case errors.Is(err, transcript.ErrSkillName):
		return usage{failure{message, "say for instance: --name fix-issue"}}
	case errors.Is(err, transcript.ErrFormat):
		return failure{message, "say what it is with --format; the formats are: " + strings.Join(transcript.Formats(), ", ")}
	case errors.Is(err, transcript.ErrBinary):
		return failure{message, "name the session file itself, not an archive of it"}
	case errors.Is(err, transcript.ErrEmpty) && format != "":
		return failure{message, "see without --format what it is taken for"}
	case errors.Is(err, transcript.ErrEmpty):
		return failure{message, "name the file of a session in which something was done"}
	}
	return err
}

// printDraft prints the draft, or where it was written, and what was left out. checked:
// it was written to a place where vade check finds it.
func (a *app) printDraft(d *transcript.SkillDraft, target string, checked bool) error {
	e := a.stderr()
	if a.json {
		return a.printJSON(struct {
			*transcript.SkillDraft
			Written string `json:"written,omitempty"`
		}{d, target})
	}
	out := a.stdout()
	text := d.Text
	if out.IsTerminal() {
		text = terminal.Escape(text)
	}
	if target != "" {
		text = out.Paint(terminal.Green, "written") + " " + terminal.EscapeLine(target) + "\n"
	}
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	for _, x := range d.Diagnostics {
		if err := terminal.PrintDiagnostic(e, x); err != nil {
			return err
		}
	}
	for i := range d.Losses {
		printLoss(e, &d.Losses[i])
	}
	todos := strings.Count(d.Text, "TODO")
	line := fmt.Sprintf("vade: read as %s: %s, %s to settle", d.Format, plural(len(d.Found.Steps), "step"), plural(todos, "TODO"))
	switch {
	case checked:
		line += "; then: vade check " + target
	case target != "":
		line += "; to have it checked and read, move it to " + d.Path
	default:
		line += "; --out writes it, its place is " + d.Path
	}
	_, err := fmt.Fprintln(e, e.Paint(terminal.Dim, terminal.EscapeLine(line)))
	return err
}
