// Package scaffold creates definitions that pass vade check and load in their hosts.
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

// Request describes the definition that [New] creates. Kind and Name are required. Description is
// required unless the copied definition has one.
type Request struct {
	Kind definition.Kind
	// Name consists of lowercase letters, digits and single hyphens, and has at most 64 characters.
	// A command's name may have multiple such parts, separated by "/" or ":".
	Name string
	// Host is the name, without a version, of the only host to create the definition for. The
	// definition then uses that host's format. If Host is "", the definition is added to the
	// project's source of truth.
	Host string
	// If User is set, the definition is created in the user's directories, for all projects.
	User bool
	// Dir is a directory in the source of truth, relative to the project root. It defaults to the
	// source that vade.yaml lists or, if it lists none, to .agents and .github. Dir cannot be
	// combined with Host or User.
	Dir string
	// From is what the new definition is based on: the name of a template (see [Templates]), or an
	// existing definition, given by its name ("skill:deploy") or its path. It defaults to the
	// kind's first template.
	From string
	// The following are fields for the frontmatter. Tools lists neutral tool names: an agent may
	// use only these tools, and a skill or command may use them without approval. Paths lists
	// patterns for the files to which an instruction or skill applies.
	Description, ArgumentHint, Model string
	Arguments, Tools, Paths          []string
	// If Plan is set, the files are returned but are not written.
	Plan bool
	// If Anyway is set, the files are written even if [check.Run] reports errors or warnings.
	Anyway bool
}

// Result describes the created definition. Its JSON encoding is stable: fields may be added but are
// never renamed.
type Result struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	// From is the name of the template, or the path of the definition that was copied.
	From string `json:"from"`
	// Paths in Files are relative to Directory. The first file is the definition.
	Directory string `json:"directory"`
	Files     []File `json:"files"`
	// Done reports whether the files were written.
	Done bool `json:"done"`
	// Calls describes how to use the definition in each host. It lists the requested host, if any.
	// Otherwise it lists the hosts detected by files outside the source of truth or, if there are
	// none, every host that reads the source of truth.
	Calls []Call `json:"calls"`
	// SyncHosts lists the hosts to pass to [materialize.Sync] (vade sync
	// --host) if Sync would not detect the hosts in Calls.
	SyncHosts []string `json:"syncHosts"`
	// Losses lists the parts of the definition that a host cannot express, Findings lists the
	// problems that [check.Run] found for the hosts in Calls, and Diagnostics contains notes.
	Losses      []export.HostLoss `json:"losses"`
	Findings    []rules.Finding   `json:"findings"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// File is one of a created definition's files.
type File struct {
	// Path is relative to the result's directory. Hosts contains the requested
	// host; it is empty for files in the source of truth.
	Path  string   `json:"path"`
	Hosts []string `json:"hosts"`
	Bytes int      `json:"bytes"`
	// Text is the file's content. It is set only if the request's Plan is set.
	Text string `json:"text,omitempty"`

	data       []byte
	executable bool
}

// Call describes how a definition is used in a host.
type Call struct {
	Host string `json:"host"`
	// Loaded reports whether the host reads the created file. If it does not, [materialize.Sync]
	// must copy a project's definition to the host. A user's definition must be created separately
	// for the host.
	Loaded bool `json:"loaded"`
	// Name is the definition's name in the host. User is what a user types, or "" if users cannot
	// call the definition by name. Model describes how a model calls the definition.
	Name  string `json:"name"`
	User  string `json:"user,omitempty"`
	Model string `json:"model,omitempty"`
}

// Failed reports whether [check.Run] found an error or a warning.
func (r *Result) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f rules.Finding) bool { return f.Severity != diag.Info })
}

// Errors returned by [New].
//   - ErrName: the name is invalid or reserved.
//   - ErrNewField: a field is missing or does not fit the kind.
//   - ErrNewFrom: the template or definition is unknown.
//   - ErrNewPlace: there is no directory for the definition.
//   - ErrNewExists: the name or file exists.
//   - ErrHost: the host cannot express the definition.
var (
	ErrName      = errors.New("invalid name")
	ErrNewField  = errors.New("invalid or missing field")
	ErrNewFrom   = errors.New("unknown template or definition")
	ErrNewPlace  = errors.New("no directory for the definition")
	ErrNewExists = errors.New("already exists")
	ErrHost      = errors.New("the host cannot express the definition")
)

// Error explains why nothing was created.
type Error struct {
	// Why is one of the errors returned by [New].
	Why error
	// Message describes the problem, and Fix describes the solution.
	Message, Fix string
}

// Error returns the message.
func (e *Error) Error() string { return "vade: " + e.Message }

// Unwrap returns Why.
func (e *Error) Unwrap() error { return e.Why }

func newError(why error, fix, format string, args ...any) error {
	return &Error{Why: why, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// Template is a built-in template.
type Template struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	// About describes the template.
	About string `json:"about"`
}

// Templates returns the templates for a kind, the default first. If kind is 0,
// it returns the templates for all kinds.
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

// New creates a definition in the project's source of truth, in the requested host's directory, or
// in the user's directory. It checks the definition before writing it. It does not overwrite files,
// follow symlinks or run anything, and writes only in the project or the user's directories. If New
// fails, it does not leave any files behind. If the request is invalid, the error is an [*Error];
// otherwise it comes from the context or the file system.
func New(ctx context.Context, o catalog.Options, r Request) (*Result, error) {
	m, err := openNew(ctx, o, r)
	if err != nil {
		return nil, err
	}
	defer m.close()
	for _, step := range []func(context.Context) error{m.chooseUsers, m.draft, m.make, m.checkNameFree, m.judge, m.resolveTargets} {
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

// maker creates one definition.
type maker struct {
	im    *materialize.Importer
	given catalog.Options
	want  Request
	kind  definition.Kind
	// name is the definition's name with colons between its parts.
	name string
	// host is the requested host, or nil if there is none. users are the hosts for which the
	// definition is checked: the requested host or, if there is none, the hosts that the project
	// may use.
	host  *host.Profile
	users []*host.Profile
	// entries, body and companions make up the definition in the neutral format.
	entries    []definition.Entry
	body       string
	companions []export.Companion
	// source is the path of the definition's file in the source of truth, relative to the project
	// root.
	source string
	// files are the created files; the first is the definition.
	files []File
	// out is the tree to write to. home is set if out is the user's home directory, in which case
	// file paths are relative to it.
	out    *vfs.Tree
	home   bool
	result Result
}

// say adds a note to the result.
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
		err = newError(ErrNewPlace, "to see the problems, run: vade check",
			"%s is invalid, so Vade cannot determine the source directory", config.File)
	} else if r.User || m.host != nil {
		m.im.SourceOfTruth = registry.SourceOfTruth("")
	} else if err = m.im.ChoosePlaces(); err != nil {
		err = newError(ErrNewPlace, "specify a project directory with --dir, or a host with --host",
			"%s", strings.TrimPrefix(err.Error(), "vade: "))
	}
	if err == nil {
		if m.source = destination(m.im.SourceOfTruth, m.kind, m.name); m.source == "" {
			err = newError(ErrNewPlace, "specify a directory with --dir, or a host with --host",
				"the source of truth, %s, has no directory for %s", strings.Join(m.im.Project.Sources(), " and "), chars.WithArticle(m.kind.String()))
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

// ask validates the request.
func (m *maker) ask() error {
	r := &m.want
	if !slices.Contains(definition.Kinds[:], r.Kind) || r.Kind == definition.Workflow {
		problem := "the kind is missing"
		if r.Kind == definition.Workflow {
			problem = "Vade cannot create workflows"
		}
		return newError(ErrNewField, "use one of: skill, command, agent, instruction", "%s", problem)
	}
	if r.Dir != "" && (r.Host != "" || r.User) {
		return newError(ErrNewField, "omit --dir, or omit --host and --user", "--dir cannot be combined with --host or --user")
	}
	if err := CheckName(r.Kind, r.Name); err != nil {
		return err
	}
	m.name = strings.ReplaceAll(r.Name, "/", ":")
	if r.Host != "" {
		if !slices.Contains(export.Hosts(), r.Host) {
			return newError(ErrNewField, "use one of: "+strings.Join(export.Hosts(), ", "),
				"unknown host %q", r.Host)
		}
		p, _ := registry.Lookup(r.Host)
		var builtins []string
		called := definition.Command
		switch {
		case r.Kind == definition.Agent && p.Listing != nil:
			builtins, called = p.Listing.OwnAgents, definition.Agent
		case (r.Kind == definition.Skill || r.Kind == definition.Command) && p.Prompt != nil:
			builtins = p.Prompt.Own
		}
		if slices.Contains(builtins, m.name) {
			return newError(ErrName, "choose another name", "%s has a built-in %s called %s", p.Name, called, m.name)
		}
		m.host = p
	}
	return r.fields()
}

// destination returns the path at which a host expects a definition, or "" if the host does not
// support definitions of this kind.
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
