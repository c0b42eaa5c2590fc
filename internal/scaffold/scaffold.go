// Package scaffold drafts new definitions that pass the check and load in every host that
// they are for.
package scaffold

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/bundled/templates"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/chars"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/materialize"
	"github.com/vadehq/vade/internal/vfs"
)

// Request says what definition is made by [New]. Kind, Name and, where the text that
// it begins with has none, Description are needed.
type Request struct {
	Kind definition.Kind
	// Name has lowercase letters, digits and single hyphens, at most 64 characters. That of a
	// command may have several such parts with "/" or ":" between them.
	Name string
	// Host is the host that it is made for, in its own place and form, without a version;
	// "": it is written where the project has its source of truth.
	Host string
	// User makes it one of the user's own, for all projects.
	User bool
	// Dir is a source directory below the top of the project, "" the one that vade.yaml
	// names, or .agents and .github. It does not go with Host and User.
	Dir string
	// From is what it begins with: the name of a template (see [Templates]), or the name or
	// path of a definition ("skill:deploy"). "" is the first template of the kind.
	From string
	// What the frontmatter says. Tools are what an agent may use and no other, and what
	// is allowed without asking for a skill or a command; both by the neutral names.
	// Paths are the patterns of the files that an instruction or a skill is for.
	Description, ArgumentHint, Model string
	Arguments, Tools, Paths          []string
	// Plan makes the files and writes none.
	Plan bool
	// Anyway writes the files though [check.Run] finds fault with them.
	Anyway bool
}

// Result is a definition that was made. Its JSON is stable: fields are added, never
// renamed.
type Result struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	// From is the template or the path of the definition that it began with.
	From string `json:"from"`
	// Directory is what the paths of Files are relative to. The first of Files is the
	// definition itself.
	Directory string `json:"directory"`
	Files     []File `json:"files"`
	// Done: the files were written.
	Done bool `json:"done"`
	// Calls say how it is used in the host that was asked for, or in each that the
	// project shows outside of its source of truth; where it shows none, in each that reads
	// something in it.
	Calls []Call `json:"calls"`
	// SyncHosts are the hosts to name to [materialize.Sync] (vade sync --hosts), where it would not
	// find out by itself that the project uses those of Calls; else there are none.
	SyncHosts []string `json:"syncHosts"`
	// Losses are what a host can not express, Findings what [check.Run] says of the files in
	// the hosts of Calls, and Diagnostics what else is worth knowing.
	Losses      []export.HostLoss `json:"losses"`
	Findings    []rules.Finding   `json:"findings"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// File is one file of a definition that is made.
type File struct {
	// Path is relative to the directory of the result. Hosts has the host that it was made
	// for; none where it is in the source of truth.
	Path  string   `json:"path"`
	Hosts []string `json:"hosts"`
	Bytes int      `json:"bytes"`
	// Text is what the file holds, in a plan.
	Text string `json:"text,omitempty"`

	data       []byte
	executable bool
}

// Call says how a definition is used in a host.
type Call struct {
	Host string `json:"host"`
	// Loaded: the host reads the file that was made. Without it, the host gets it by
	// [materialize.Sync], or, of the user's own, by a request with this host.
	Loaded bool `json:"loaded"`
	// Name is what it is called there; User is what a person types, "" where nobody can
	// call it by its name, and Model what a model does.
	Name  string `json:"name"`
	User  string `json:"user,omitempty"`
	Model string `json:"model,omitempty"`
}

// Failed reports whether [check.Run] finds an error or a warning in what was made.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f rules.Finding) bool { return f.Severity != diag.Info })
}

// The errors of [New], for errors.Is: the name can not be used; a field or a flag does not
// go with the kind, or one is missing; there is no such template or definition to begin
// with; there is no place for it; something of the name is there already; a host can not
// have it.
var (
	ErrName      = errors.New("the name can not be used")
	ErrNewField  = errors.New("the request is not complete")
	ErrNewFrom   = errors.New("there is nothing of that name to begin with")
	ErrNewPlace  = errors.New("there is no place for it")
	ErrNewExists = errors.New("it is there already")
	ErrHost      = errors.New("the host can not have it")
)

// Error says why nothing was made.
type Error struct {
	// Why is one of the errors of [New].
	Why error
	// Message says what is wrong, Fix what to do.
	Message, Fix string
}

// Error returns the message.
func (e *Error) Error() string { return "vade: " + e.Message }

// Unwrap returns why.
func (e *Error) Unwrap() error { return e.Why }

func newError(why error, fix, format string, args ...any) error {
	return &Error{Why: why, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// Template is a text that a definition can begin with.
type Template struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	// About says what it is good for.
	About string `json:"about"`
}

// Templates are the built-in templates of a kind, the one that is taken where none is
// named first; with 0 those of all kinds.
func Templates(kind definition.Kind) []Template {
	var list []Template
	for _, k := range definition.Kinds {
		if kind != 0 && kind != k {
			continue
		}
		for _, name := range templates.Names(k) {
			t := Template{Kind: k, Name: name}
			if text, _, err := templates.Read(k, name); err == nil {
				entries, _ := parse(k, text)
				t.About = fieldText(entries, aboutKey)
			}
			list = append(list, t)
		}
	}
	return list
}

// New makes a definition and writes it: into the source of truth of the project, into the
// place of the host that is named, or among the user's own. Nothing is overwritten,
// nothing is written through a link or outside of the project (or of the user's directories
// where that is asked for), and nothing runs. It is checked before it is written. The error
// is an [Error] if the request cannot be carried out, that of the context, or that of the
// file system; then nothing is left of it.
func New(ctx context.Context, o catalog.Options, r Request) (*Result, error) {
	m, err := openNew(ctx, o, r)
	if err != nil {
		return nil, err
	}
	defer m.close()
	for _, step := range []func(context.Context) error{m.chooseUsers, m.draft, m.make, m.taken, m.judge, m.settle} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	diag.Sort(m.result.Diagnostics)
	if r.Plan || m.result.Failed() && !r.Anyway {
		return &m.result, m.free()
	}
	return &m.result, m.write(ctx)
}

// maker makes one definition.
type maker struct {
	im    *materialize.Importer
	given catalog.Options
	want  Request
	kind  definition.Kind
	// name is that of the definition, with colons between its parts.
	name string
	// host is the one that is asked for, nil for none. users are those that it is checked
	// for: the same, or those that people of the project may use.
	host  *host.Profile
	users []*host.Profile
	// entries, body and companions are the definition in the neutral format.
	entries    []definition.Entry
	body       string
	companions []export.Companion
	// source is the file of the source of truth, below the top.
	source string
	// files are those that are made; the first is the definition itself.
	files []File
	// out is the tree that is written to; home: it is that of the user's home, and the
	// files have their paths there.
	out    *vfs.Tree
	home   bool
	result Result
}

// say notes something worth knowing.
func (m *maker) say(path, fix, format string, args ...any) {
	m.result.Diagnostics = append(m.result.Diagnostics, diag.For(path, diag.NewNote, format, args...).WithFix("%s", fix))
}

func openNew(ctx context.Context, o catalog.Options, r Request) (*maker, error) {
	m := &maker{given: o, want: r, kind: r.Kind}
	if err := m.ask(); err != nil {
		return nil, err
	}
	y, err := materialize.OpenSync(ctx, o, materialize.Options{})
	if err != nil {
		return nil, err
	}
	m.im = &materialize.Importer{Syncer: y, Request: materialize.ImportOptions{To: r.Dir}}
	if y.Project.Invalid {
		err = newError(ErrNewPlace, "see what is wrong with it: vade check",
			"%s cannot be read in full, and may say where definitions go", config.File)
	} else if r.User || m.host != nil {
		m.im.Truth = registry.Truth("")
	} else if err = m.im.ChoosePlaces(); err != nil {
		err = newError(ErrNewPlace, "name a directory of the project with --dir, or a host with --host",
			"%s", strings.TrimPrefix(err.Error(), "vade: "))
	}
	if err == nil {
		if m.source = destination(m.im.Truth, m.kind, m.name); m.source == "" {
			err = newError(ErrNewPlace, "name a directory with --dir, or a host with --host",
				"the source of truth, %s, has no place for a %s", strings.Join(m.im.Project.Sources(), " and "), m.kind)
		}
	}
	if err != nil {
		y.Close()
		return nil, err
	}
	m.result = Result{
		Kind: m.kind, Name: m.name, Directory: m.im.Tree.Dir(), Files: []File{}, Calls: []Call{}, SyncHosts: []string{},
		Losses: []export.HostLoss{}, Findings: []rules.Finding{}, Diagnostics: y.Result.Diagnostics,
	}
	return m, nil
}

func (m *maker) close() {
	if m.out != nil && m.out != m.im.Tree {
		m.out.Close()
	}
	m.im.Close()
}

// ask holds the request to what can be made.
func (m *maker) ask() error {
	r := &m.want
	if !slices.Contains(definition.Kinds[:], r.Kind) {
		return newError(ErrNewField, "name one of: skill, command, agent, instruction", "no kind is named")
	}
	if r.Dir != "" && (r.Host != "" || r.User) {
		return newError(ErrNewField, "leave one of them out",
			"a source directory does not go with a host or with the user's own place")
	}
	if err := CheckName(r.Kind, r.Name); err != nil {
		return err
	}
	m.name = strings.ReplaceAll(r.Name, "/", ":")
	if r.Host != "" {
		if !slices.Contains(export.Hosts(), r.Host) {
			return newError(ErrNewField, "use one of: "+strings.Join(export.Hosts(), ", "),
				"no host with files of its own is named %q", r.Host)
		}
		p, _ := registry.Lookup(r.Host)
		var own []string
		switch {
		case r.Kind == definition.Agent && p.Listing != nil:
			own = p.Listing.OwnAgents
		case (r.Kind == definition.Skill || r.Kind == definition.Command) && p.Prompt != nil:
			own = p.Prompt.Own
		}
		if slices.Contains(own, m.name) {
			return newError(ErrName, "give it another name", "%s has %s of its own that is called %s",
				p.Name, chars.WithArticle(r.Kind.String()), m.name)
		}
		m.host = p
	}
	return r.fields()
}

// destination is where a host has a definition, or "" if it has no place for it.
func destination(p *host.Profile, kind definition.Kind, name string) string {
	switch {
	case p.Export == nil:
		return ""
	case kind != definition.Instruction:
		return export.Destination(p, kind, name)
	case p.Export.Instructions == nil:
		return ""
	}
	return p.Export.Instructions.Dir + "/" + name + p.Export.Instructions.Suffix
}
