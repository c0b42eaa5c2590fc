package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"
	"text/template"

	"github.com/vadehq/vade/internal/audit/rules"
)

//go:embed forms.txt
var formsText string

//go:embed reserved.txt
var reservedText string

// entry is an example or a form that is defined in forms.txt or reserved.txt.
type entry struct{ kind, name, text string }

func entries(text string) []entry {
	var list []entry
	for _, e := range strings.Split(text, "\n== ")[1:] {
		head, text, _ := strings.Cut(e, "\n")
		kind, name, _ := strings.Cut(head, " ")
		list = append(list, entry{kind, name, strings.TrimSuffix(text, "\n")})
	}
	return list
}

const (
	skillHead = "---\nname: log-report\ndescription: Summarizes build logs into a short report. Use when the user " +
		"asks about a failed build.\n---\n# Log report\n\nReads the log and writes a summary.\n\n"
	filler = "The log has one line for each step. A step that fails prints the reason and the file. "
)

// file matches the line that precedes each file in a form that consists of several files.
var file = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// write returns a package that disguises the attack in the form that the entry defines.
func (e entry) write(attack string) fstest.MapFS {
	var b strings.Builder
	form := template.Must(template.New(e.name).Funcs(functions).Parse(e.text))
	if err := form.Execute(&b, attack); err != nil {
		panic(err)
	}
	text := b.String()
	if e.kind == "shell" {
		text = fence(text)
	}
	names := file.FindAllStringSubmatch(text, -1)
	parts := file.Split(text, -1)
	if e.kind == "prose" && len(names) == 0 {
		parts[0] = "## Notes\n\n" + parts[0]
	}
	files := fstest.MapFS{"SKILL.md": {Data: []byte(skillHead + parts[0] + "\n"), Mode: 0o644}}
	for i, name := range names {
		files[name[1]] = &fstest.MapFile{Data: []byte(parts[i+1] + "\n"), Mode: 0o644}
	}
	return files
}

func fence(code string) string { return "## Usage\n\nRun this first:\n\n```bash\n" + code + "\n```" }

// functions holds the functions that the forms, which are templates, can call.
var functions = template.FuncMap{
	"b64":    b64,
	"base32": func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"charCodes": func(s string) string {
		return strings.Join(each(s, func(c rune) string { return fmt.Sprint(int(c)) }), ", ")
	},
	"combining":  outsideURLs(func(w string) string { return strings.Join(strings.Split(w, ""), "\u0323") }),
	"compressed": compressed,
	"emphasized": outsideURLs(func(w string) string {
		if len(w) < 5 {
			return w
		}
		return w[:2] + "**" + w[2:4] + "**" + w[4:]
	}),
	"escapes": func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		}
		return b.String()
	},
	"entities": outsideURLs(func(w string) string {
		return strings.Join(each(w, func(c rune) string { return fmt.Sprintf("&#%d;", c) }), "")
	}),
	"fence": fence,
	"fullwidth": outsideURLs(func(w string) string {
		return strings.Map(func(c rune) rune {
			if c > ' ' && c < 0x7f {
				return c - '!' + '\uff01'
			}
			return c
		}, w)
	}),
	"half": func(part int, s string) string {
		n := len(s) / 2
		return [...]string{s[:n], s[n:]}[part]
	},
	"filler":     func() string { return strings.Repeat(filler, 12) },
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"leetspeak":  outsideURLs(strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0").Replace),
	"lookAlike":  outsideURLs(lookAlike.Replace),
	"lowerFirst": func(s string) string { return strings.ToLower(s[:1]) + s[1:] },
	"noPeriod":   func(s string) string { return strings.TrimSuffix(s, ".") },
	"octal": func(s string) string {
		return strings.Join(each(s, func(c rune) string { return fmt.Sprintf(`\%03o`, c) }), "")
	},
	"program": programOf,
	"quoted":  quoted,
	"replace": strings.ReplaceAll,
	"reversed": func(s string) string {
		r := []rune(s)
		slices.Reverse(r)
		return string(r)
	},
	"rot13": func(s string) string { return strings.Map(rot13, s) },
	"sections": func(s string) string {
		head, tail, _ := strings.Cut(s, " and ")
		return strings.TrimSuffix(head, ".") + ".\n\n## Then\n\n" + tail
	},
	"softHyphens": outsideURLs(func(w string) string { return strings.Join(strings.Split(w, ""), "\u00ad") }),
	"spaced":      outsideURLs(func(w string) string { return " " + strings.Join(strings.Split(w, ""), " ") + " " }),
	"swapped": outsideURLs(func(w string) string {
		if len(w) < 6 {
			return w
		}
		return w[:2] + w[3:4] + w[2:3] + w[4:]
	}),
	"tagCharacters": func(s string) string {
		return strings.Map(func(c rune) rune { return 0xe0000 + c }, s)
	},
	"title": outsideURLs(func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }),
	"urlEncoded": func(s string) string {
		return strings.Join(each(s, func(c rune) string { return fmt.Sprintf("%%%02X", c) }), "")
	},
	"words": func(s string) string {
		words := strings.Split(s, " ")
		for i := range words {
			words[i] = quoted(words[i])
		}
		return strings.Join(words, ", ")
	},
	"single":    func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
	"upper":     strings.ToUpper,
	"zeroWidth": outsideURLs(func(w string) string { return strings.Join(strings.Split(w, ""), "\u200b") }),
}

// each calls do for each character of s and returns the results.
func each(s string, do func(rune) string) []string {
	var list []string
	for _, c := range s {
		list = append(list, do(c))
	}
	return list
}

var lookAlike = strings.NewReplacer("a", "\u0430", "e", "\u0435", "o", "\u043e", "c", "\u0441", "p", "\u0440")

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// quoted returns s as a string literal that most languages accept.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(b.String())
}

func compressed(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b64(b.String())
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// program is a command split at its first program name. First is the first letter of the name, and
// Rest is the rest of the name.
type program struct{ Before, First, Rest, After string }

var programName = regexp.MustCompile(`\b(curl|cat|bash|tar|env|rm|echo|crontab|wget|scp|dd|printenv|find|mkdir|tail|python3|cp|zip|kubectl|socat|aws|gh|npm|arecord)\b`)

func programOf(s string) program {
	at := programName.FindStringIndex(s)
	return program{s[:at[0]], s[at[0] : at[0]+1], s[at[0]+1 : at[1]], s[at[1]:]}
}

// outsideURLs returns a function that applies change to each word in a text, except for words that
// may be URLs, paths or identifiers.
func outsideURLs(change func(string) string) func(string) string {
	return func(s string) string {
		words := strings.Split(s, " ")
		for i, w := range words {
			if !strings.ContainsAny(w, "/.~_") {
				words[i] = change(w)
			}
		}
		return strings.Join(words, " ")
	}
}

// evasion disguises attacks and harmless examples in every form that forms.txt and reserved.txt
// define, and prints how many of them are blocked.
func evasion(verbose bool) {
	t := evasionTable{entries(formsText), verbose}
	t.print("commands", "command-attack", "shell", "command")
	t.print("prose", "prose-attack", "prose")
	t = evasionTable{entries(reservedText), false}
	t.print("reserved commands", "command-attack", "shell", "command")
	t.print("reserved prose", "prose-attack", "prose")
}

// evasionResult counts the harmful examples, those that are blocked, those whose verdict is review
// or worse, and the harmless examples that are blocked.
type evasionResult struct{ n, block, review, wrong int }

// evasionTable prints the results for each form that a file defines. If verbose is set, it also
// prints the attacks that are not blocked and the harmless examples that are.
type evasionTable struct {
	entries []entry
	verbose bool
}

// print prints the results for the attacks of one kind: a row for each form of the given kinds, and
// a row for each paraphrase.
func (t evasionTable) print(title, attackKind string, kinds ...string) {
	var attacks, forms []entry
	for _, e := range t.entries {
		if e.kind == attackKind {
			attacks = append(attacks, e)
		} else if slices.Contains(kinds, e.kind) {
			forms = append(forms, e)
		}
	}
	paraphrases := strings.Count(attacks[0].text, "\n") - 1
	for i := range paraphrases {
		forms = append(forms, entry{"prose", fmt.Sprintf("paraphrase %d", i+1), "{{.}}"})
	}
	var sum evasionResult
	fmt.Printf("\n%-28s %7s %9s %13s\n", title, "block", "review+", "false block")
	for i, form := range forms {
		var r evasionResult
		for _, a := range attacks {
			lines := strings.Split(a.text, "\n")
			harmful := lines[0]
			if n := i - len(forms) + paraphrases; n >= 0 {
				harmful = lines[2+n]
			}
			t.audit(&r, title, form, a.name, harmful, true)
			t.audit(&r, title, form, a.name, lines[1], false)
		}
		fmt.Printf("%-28s %3d/%-3d %5d/%-3d %9d/%-3d\n", form.name, r.block, r.n, r.review, r.n, r.wrong, r.n)
		sum = evasionResult{sum.n + r.n, sum.block + r.block, sum.review + r.review, sum.wrong + r.wrong}
	}
	fmt.Printf("%-28s %s %s, false %s\n", "all",
		interval(sum.block, sum.n), interval(sum.review, sum.n), interval(sum.wrong, sum.n))
}

// audit audits a text in the given form and adds the verdict to r.
func (t evasionTable) audit(r *evasionResult, title string, form entry, attack, text string, harmful bool) {
	p := &one{set: title, name: form.name, files: form.write(text)}
	p.audit()
	if p.report == nil {
		return
	}
	v := p.report.Verdict
	switch {
	case harmful:
		r.n++
		if v == rules.Block {
			r.block++
		} else if t.verbose {
			fmt.Printf("  missed (%s): %s, %s\n", v, form.name, attack)
		}
		if v >= rules.Review {
			r.review++
		}
	case v == rules.Block:
		r.wrong++
		if t.verbose {
			f := p.report.Findings[0]
			fmt.Printf("  blocked by mistake: %s, %s: %s %s\n", form.name, attack, f.ID, f.Message)
		}
	}
}
