// Package manifest reads what a package declares: frontmatter fields, requested
// tools, its name, the files it refers to, and configuration that runs commands
// automatically (hooks, servers, tasks, package scripts, workflows).
package manifest

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/lazyregexp"
	"github.com/vadehq/vade/internal/shell"
)

// Limits for one configuration file.
const (
	maxCommands = 500
	maxDepth    = 40
)

// Extractor adds Field, Grant, Hook, Name, Reference, FileForm and Weaken signals, and embeds
// commands that configuration runs.
type Extractor struct {
	// read holds the indexes of the files that were already processed.
	read map[int]bool
}

// New returns an extractor for one package.
func New() *Extractor { return &Extractor{read: map[int]bool{}} }

//go:embed names.txt
var namesText string

var names = sync.OnceValue(func() known.Words { return known.ReadWords(namesText) })

// Region looks for settings that turn off safeguards. For the first region of each file, it also
// processes the file as a whole.
func (x *Extractor) Region(s *signal.Set, index int) {
	disabledSafeguards(s, index)
	file := s.Regions[index].File
	if x.read[file] {
		return
	}
	x.read[file] = true
	f := &reader{Extractor: x, set: s, file: file, region: index}
	switch s.Package.Files[file].Role {
	case signal.Main:
		f.definition()
	case signal.Config:
		f.config()
	}
}

// reader reads one file.
type reader struct {
	*Extractor
	set    *signal.Set
	file   int
	region int
	count  int
	// entries holds the definition's frontmatter fields, and bodyAt is the offset of the body.
	entries []definition.Entry
	bodyAt  int
}

func (f *reader) text() string { return f.set.Package.Files[f.file].Text }

func (f *reader) place(span diag.Span) signal.Place { return signal.Place{File: f.file, Span: span} }

// add adds a signal for a value.
func (f *reader) add(kind signal.Kind, span diag.Span, subject, object string, tags ...signal.Tag) {
	c := signal.Context{Medium: signal.Frontmatter}
	if f.set.Package.Files[f.file].Role != signal.Main {
		c.Medium = signal.Value
	}
	f.addIn(c, kind, span, subject, object, tags...)
}

// addIn adds a signal in the given context.
func (f *reader) addIn(
	c signal.Context, kind signal.Kind, span diag.Span, subject, object string, tags ...signal.Tag,
) {
	x := signal.Signal{Kind: kind, Place: f.place(span), Context: c, Tags: tags, Subject: subject, Object: object}
	x.Unit = f.region
	f.set.AddAt(x)
}

// definition reads the definition's main file.
func (f *reader) definition() {
	file := f.set.Package.Files[f.file]
	doc := file.Fields()
	f.entries, f.bodyAt = doc.Entries, doc.Body
	f.fields(doc.Diagnostics)
	f.names()
	f.grants(f.entries, 0)
	f.requirements(f.entries, 0)
	f.embedExecuted(file, f.entries)
	f.loadCommands()
	f.references()
}

// loadCommands embeds the commands that a host runs while it loads the definition.
func (f *reader) loadCommands() {
	text := f.text()
	hook := func(at int, span diag.Span) {
		command := text[at+span.Start : at+span.End]
		tags := []signal.Tag{"load"}
		if hasPlaceholder(command) {
			tags = append(tags, "argument")
		}
		f.hook(diag.Span{Start: at + span.Start, End: at + span.End}, command, "loading", tags...)
	}
	if f.set.Package.Files[f.file].Lang != "toml" {
		for _, c := range body.Commands(text[min(f.bodyAt, len(text)):], maxCommands) {
			hook(f.bodyAt, c.Inner)
		}
		return
	}
	for _, e := range f.entries {
		if at := e.Value.Span; e.Key == "prompt" && at.End <= len(text) {
			list, _ := body.Braced(text[at.Start:at.End], "!{", maxCommands)
			for _, c := range list {
				hook(at.Start, c.Inner)
			}
		}
	}
}

// hasPlaceholder reports whether a command contains a placeholder for user input.
func hasPlaceholder(command string) bool {
	if strings.Contains(command, "awk") {
		return arguments().MatchString(command)
	}
	return arguments().MatchString(command) || positional().MatchString(command)
}

var (
	arguments  = lazyregexp.New(`\$\{?ARGUMENTS|\{\{ ?args ?\}\}`)
	positional = lazyregexp.New(`\$[1-9]`)
)

// hook embeds a command from a configuration file or from the definition. Unless the command is a
// task, it runs automatically, and hook also adds a Hook signal.
func (f *reader) hook(span diag.Span, command, event string, tags ...signal.Tag) {
	if f.count++; f.count > maxCommands || strings.TrimSpace(command) == "" {
		return
	}
	if f.set.Package.Layer == definition.MCP {
		tags = append(tags, "remote")
	}
	c := signal.Context{Medium: signal.Code, Lang: "sh", Loading: event == "loading"}
	if !slices.Contains(tags, "task") {
		c.Intent = signal.Executed
		f.addIn(c, signal.Hook, span, command, event, tags...)
	}
	f.set.Embed(f.region, f.place(span), c, command, "")
}

// config reads a configuration file.
func (f *reader) config() {
	file := f.set.Package.Files[f.file]
	if !mayExecute(file.Path) {
		return
	}
	if len(file.Text) > signal.MaxFields {
		f.set.Miss(f.file, signal.MissedTooLarge, "commands in this file were not read")
		return
	}
	entries := file.Fields().Entries
	if len(entries) == 0 && strings.TrimSpace(file.Text) != "" {
		f.set.Miss(f.file, signal.MissedUnparsed, "")
		return
	}
	f.grants(entries, 0)
	f.embedExecuted(file, entries)
}

//go:embed executes.txt
var executesText string

// executeRow is a row in executes.txt. It describes a kind of configuration that runs something.
type executeRow struct {
	event signal.Tag
	file  string
	keys  []string
}

var executeRows = sync.OnceValue(func() []executeRow {
	var list []executeRow
	for line := range strings.Lines(executesText) {
		if f := strings.Fields(line); len(f) == 3 && f[0] != "#" {
			list = append(list, executeRow{signal.Tag(f[0]), f[1], strings.Split(normalizeKey(f[2]), ".")})
		}
	}
	return list
})

// appliesTo reports whether the row applies to a file.
func (r *executeRow) appliesTo(name string) bool {
	parts := strings.Split(strings.ToLower(name), "/")
	n := strings.Count(r.file, "/") + 1
	if n > len(parts) {
		return false
	}
	ok, err := path.Match(r.file, strings.Join(parts[len(parts)-n:], "/"))
	return ok && err == nil
}

// mayExecute reports whether a configuration file may run something.
func mayExecute(name string) bool {
	covers := func(r executeRow) bool { return r.file != "*" && r.appliesTo(name) }
	return slices.ContainsFunc(executeRows(), covers) || settings().MatchString(path.Base(name))
}

var settings = lazyregexp.New(`(?i)settings|plugin|extension|mcp|agent`)

// embedExecuted embeds the commands that a configuration file runs.
func (f *reader) embedExecuted(file *signal.File, entries []definition.Entry) {
	var rows []executeRow
	for _, r := range executeRows() {
		// An editor task runs automatically only if its settings say so.
		unasked := r.file != "tasks.json" || r.event == "task" || strings.Contains(file.Text, "folderOpen")
		if unasked && r.appliesTo(file.Path) {
			rows = append(rows, r)
		}
	}
	f.walk(rows, nil, &definition.Value{Kind: definition.Map, Pairs: entries}, 0)
}

// walk embeds the commands in a value and in all values nested in it. keys is the path of keys that
// leads to the value.
func (f *reader) walk(rows []executeRow, keys []string, v *definition.Value, depth int) {
	if depth > maxDepth {
		return
	}
	for i := range v.Items {
		f.child(rows, append(keys, "*"), &v.Items[i], v, depth)
	}
	for i := range v.Pairs {
		f.child(rows, append(keys, normalizeKey(v.Pairs[i].Key)), &v.Pairs[i].Value, v, depth)
	}
}

func (f *reader) child(rows []executeRow, keys []string, v, parent *definition.Value, depth int) {
	for i := range rows {
		if !matches(rows[i].keys, keys) {
			continue
		}
		if command := command(v, parent); command != "" {
			f.hook(v.Span, command, strings.Join(keys, "."), rows[i].event)
			return
		}
	}
	f.walk(rows, keys, v, depth+1)
}

// matches reports whether a row applies to a path of keys.
func matches(row, keys []string) bool {
	switch {
	case len(row) == 0:
		return len(keys) == 0
	case row[0] == "**":
		for n := 0; n <= len(keys); n++ {
			if matches(row[1:], keys[n:]) {
				return true
			}
		}
		return false
	case len(keys) == 0:
		return false
	}
	return (row[0] == "*" || row[0] == keys[0]) && matches(row[1:], keys[1:])
}

// normalizeKey returns a key in lowercase without hyphens and underscores.
func normalizeKey(key string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "-", ""), "_", ""))
}

// command returns the command line in a value, which is a string or a list of words. If the value
// is a string, command appends the words in the parent's "args" entry.
func command(v, parent *definition.Value) string {
	line := v.Text
	var words []string
	switch v.Kind {
	case definition.String:
		for i := range parent.Pairs {
			if normalizeKey(parent.Pairs[i].Key) == "args" {
				words, _ = frontmatter.Strings(parent.Pairs[i].Value)
			}
		}
	case definition.List:
		if words, _ = frontmatter.Strings(*v); len(words) > 0 {
			line, words = words[0], words[1:]
		}
		if strings.HasPrefix(line, "-") && strings.HasSuffix(line, "c") && len(words) > 0 {
			// The words are the arguments of a shell.
			return words[0]
		}
	default:
		return ""
	}
	if len(words) > 0 {
		line += " " + shell.Join(words)
	}
	return line
}
