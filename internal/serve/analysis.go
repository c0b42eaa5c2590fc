package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check"
	"github.com/vadehq/vade/internal/explain"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/schema"
)

// entry is one definition in a list returned to a model.
type entry struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// entries is the structured result of list_skills and search_definitions.
type entries struct {
	Definitions []entry `json:"definitions"`
	More        int     `json:"more" jsonschema:"number of additional matches"`
}

// explained is the structured result of explain_definition.
type explained struct {
	Definitions []explainedFile `json:"definitions"`
	More        int             `json:"more" jsonschema:"number of remaining definitions; call again with a larger offset"`
}

type explainedFile struct {
	Kind     string    `json:"kind"`
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	CopyOf   string    `json:"copyOf,omitempty" jsonschema:"file from which Vade generated this one; edit that file instead"`
	Problems []string  `json:"problems,omitempty" jsonschema:"problems that do not depend on the host"`
	Verdicts []verdict `json:"verdicts"`
}

// verdict describes how one or more hosts treat a file.
type verdict struct {
	Hosts      []string `json:"hosts"`
	State      string   `json:"state" jsonschema:"loaded, shadowed, dropped, disabled or not read"`
	UserCall   string   `json:"userCall,omitempty" jsonschema:"what a user types to invoke it"`
	Reason     string   `json:"reason,omitempty" jsonschema:"why it is not loaded"`
	Fix        string   `json:"fix,omitempty" jsonschema:"smallest change that makes the host load it"`
	Then       string   `json:"then,omitempty" jsonschema:"other changes that are also needed"`
	ShadowedBy string   `json:"shadowedBy,omitempty" jsonschema:"file that is active instead"`
	Listed     string   `json:"listed,omitempty" jsonschema:"whether the model sees it if it is loaded: listed, cut (without its full description) or hidden"`
	ListedWhy  string   `json:"listedWhy,omitempty"`
	Ignored    []string `json:"ignored,omitempty" jsonschema:"frontmatter fields that only other hosts honor"`
	Trust      string   `json:"trust,omitempty" jsonschema:"what the user must do before the host reads it"`
	Inferred   bool     `json:"inferred,omitempty" jsonschema:"true if Vade has no evidence for this verdict"`
}

// checked is the structured result of check_definitions.
type checked struct {
	Hosts    []string  `json:"hosts" jsonschema:"hosts that were checked"`
	Checked  int       `json:"checked" jsonschema:"number of definitions"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Infos    int       `json:"infos"`
	Findings []finding `json:"findings"`
	More     int       `json:"more" jsonschema:"number of remaining findings; call again with a larger offset"`
}

type finding struct {
	Severity  string    `json:"severity"`
	Code      diag.Code `json:"code"`
	Path      string    `json:"path" jsonschema:"relative to the project root"`
	Line      int       `json:"line,omitempty" jsonschema:"absent if the finding is about the whole file"`
	Message   string    `json:"message"`
	Fix       string    `json:"fix,omitempty"`
	NotLoaded []string  `json:"notLoaded,omitempty" jsonschema:"hosts that do not load the definition because of the finding"`
}

// outputSchema returns the JSON Schema for a tool's structured result. The argument is any value of
// the result's type.
func outputSchema(of any) *jsonschema.Schema {
	s, err := jsonschema.ForType(reflect.TypeOf(of), &jsonschema.ForOptions{})
	if err != nil {
		panic("serve: " + err.Error())
	}
	schema.Tidy(s)
	return s
}

// Limits on the definitions and findings returned by one call.
const (
	explainedPerCall = 10
	findingsPerCall  = 50
)

// analysisTools returns the tools whose results contain local paths.
func (s *Server) analysisTools() []tool {
	agent := parameter{name: "host", kind: "string", description: "Name of a coding agent: " + strings.Join(registry.RealNames(), ", ") + "."}
	return []tool{
		{
			"explain_definition", "Explain a definition",
			"Explain which coding agents load a skill, command, agent or instruction file, and why others do not. " +
				"Call this when a definition does not appear, is not triggered, or is overridden by another. Returns JSON " +
				"with the state, the reason and the smallest fix per host, 10 definitions per call. To solve the " +
				"problem, apply the fix, then call this again.",
			[]parameter{
				{
					name: "name", kind: "string", required: true,
					description: "Name of the definition, optionally with its kind (\"skill:deploy\"), or the path of its file.",
				},
				with(agent, " Default: all coding agents."),
				{name: "offset", kind: "integer", description: "Number of definitions to skip. Default 0."},
			},
			s.explainDefinition, explained{}, false,
		},
		{
			"check_definitions", "Check definitions",
			"Check the project's skills, commands, agents and instructions for errors and for content that coding " +
				"agents ignore. Call this after you create or edit such a file. Returns JSON with one finding per " +
				"problem: code, path, line, message and fix, 50 per call. Fix the errors, then call this again.",
			[]parameter{
				{
					name: "name", kind: "string",
					description: "Name of the definition to check, optionally with its kind (\"skill:deploy\"), or the path of its " +
						"file. Default: the whole project.",
				},
				with(agent, " Default: the hosts that the project uses."),
				{name: "offset", kind: "integer", description: "Number of findings to skip. Default 0."},
			},
			s.checkDefinitions, checked{}, false,
		},
	}
}

func with(p parameter, more string) parameter {
	p.description += more
	return p
}

// everyHost returns the catalog's options without a selected host, for opening other hosts' views.
func (st *state) everyHost() catalog.Options {
	o := st.catalog.Options
	o.As = ""
	return o
}

// hosts returns the requested host as a list, which is empty if none was requested. It returns an
// error if the host is unknown.
func (in *input) hosts() ([]string, error) {
	if in.Host == "" {
		return nil, nil
	}
	if p, ok := registry.Lookup(in.Host); !ok || p.Name == host.NeutralName {
		return nil, invalid("%s", strings.TrimPrefix(catalog.UnknownHost(cut(in.Host, 200), registry.RealNames()).Error(), "vade: "))
	}
	return []string{in.Host}, nil
}

// part returns up to limit elements of list, starting at offset, and the number of remaining
// elements.
func part[T any](list []T, offset, limit int) ([]T, int) {
	list = list[min(max(offset, 0), len(list)):]
	n := min(limit, len(list))
	return list[:n], len(list) - n
}

func (s *Server) explainDefinition(ctx context.Context, st *state, in *input) (string, any, error) {
	name := strings.TrimPrefix(strings.TrimSpace(in.Name), "/")
	if strings.HasPrefix(in.Name, "/") && strings.Contains(name, "/") {
		// The name is an absolute path, not a slash command.
		name = in.Name
	}
	if name == "" || len(name) > maxPath {
		return "", nil, invalid("explain_definition: the argument \"name\" must be 1 to %d bytes long", maxPath)
	}
	hosts, err := in.hosts()
	if err != nil {
		return "", nil, err
	}
	x, err := explain.Run(ctx, st.everyHost(), explain.Request{Name: name, Hosts: hosts})
	var missing *definition.Error
	switch {
	case errors.As(err, &missing) && len(missing.Available) == 0:
		return "", nil, invalid("%s. To find names, call search_definitions.", cut(missing.Message, maxToolError))
	case errors.As(err, &missing):
		return "", nil, invalid("%s; %s", cut(missing.Message, maxToolError), missing.Fix)
	case err != nil:
		return "", nil, err
	}
	files, more := part(x.Definitions, in.Offset, explainedPerCall)
	result := explained{Definitions: []explainedFile{}, More: more}
	for i := range files {
		result.Definitions = append(result.Definitions, compact(&files[i]))
	}
	return structured(result)
}

// compact converts f to the form that is returned to a model. It merges verdicts that differ only
// in their host.
func compact(f *explain.ExplainedFile) explainedFile {
	file := explainedFile{Kind: f.Kind.String(), Name: f.Name, Path: f.Path, CopyOf: f.CopyOf, Verdicts: []verdict{}}
	for i := range f.Problems {
		file.Problems = append(file.Problems, oneLine(f.Problems[i].Message))
	}
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		next := verdict{
			State: v.State, UserCall: v.UserCall, Reason: oneLine(v.Reason), Fix: oneLine(v.Fix), Then: oneLine(v.Then),
			ShadowedBy: v.ShadowedBy, Listed: v.Listed, ListedWhy: oneLine(v.ListedWhy), Ignored: v.Lost, Trust: oneLine(v.Trust),
			Inferred: v.Basis == "inferred",
		}
		if v.State != definition.Loaded.String() {
			// A file that is not loaded is not listed either, and the reason is the same.
			next.Listed, next.ListedWhy = "", ""
		}
		at := slices.IndexFunc(file.Verdicts, func(other verdict) bool {
			other.Hosts = nil
			return reflect.DeepEqual(other, next)
		})
		if at < 0 {
			at = len(file.Verdicts)
			file.Verdicts = append(file.Verdicts, next)
		}
		file.Verdicts[at].Hosts = append(file.Verdicts[at].Hosts, v.Host)
	}
	return file
}

func (s *Server) checkDefinitions(ctx context.Context, st *state, in *input) (string, any, error) {
	hosts, err := in.hosts()
	if err != nil {
		return "", nil, err
	}
	co := check.Options{Hosts: hosts}
	if name := strings.TrimSpace(in.Name); name != "" {
		if co.Paths, err = projectPaths(ctx, st.catalog, name); err != nil {
			return "", nil, err
		}
	}
	o := st.everyHost()
	o.Dir = cmp.Or(s.root, o.Dir)
	r, err := check.Run(ctx, o, co)
	switch {
	case errors.Is(err, check.ErrNoDefinition):
		return "", nil, invalid("%v", check.ErrNoDefinition)
	case err != nil:
		return "", nil, err
	}
	result := checked{Hosts: []string{}, Checked: r.Checked, Findings: []finding{}}
	result.Errors, result.Warnings, result.Infos = r.Count()
	for _, h := range r.Hosts {
		result.Hosts = append(result.Hosts, h.Host)
	}
	findings, more := part(r.Findings, in.Offset, findingsPerCall)
	for _, f := range findings {
		result.Findings = append(result.Findings, finding{
			f.Severity.String(), f.Code, f.Path, f.Line, oneLine(f.Message), oneLine(f.Fix), f.NotLoaded,
		})
	}
	result.More = more
	return structured(result)
}

// projectPaths returns the paths, relative to the project root, of the project files that define
// name.
func projectPaths(ctx context.Context, c *catalog.Catalog, name string) ([]string, error) {
	named, err := c.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, d := range named {
		if p, ok := c.ProjectFile(d.Record()); ok {
			paths = append(paths, p)
		}
	}
	switch {
	case len(paths) > 0:
		return paths, nil
	case len(named) > 0:
		return nil, invalid("%q is not one of the project's definitions; only those are checked", cut(name, 200))
	}
	message := "the project has no definition named \"" + cut(name, 200) + "\""
	if near := c.Nearest(ctx, name); len(near) > 0 {
		message += "; did you mean " + catalog.JoinOr(near) + "?"
	}
	return nil, invalid("%s", message)
}

// structured returns a result both as a value and as JSON text, because some clients do not read
// structured results.
func structured(result any) (string, any, error) {
	text, err := json.Marshal(result)
	return string(text), result, err
}
