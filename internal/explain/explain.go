// Package explain says for each host whether it uses a definition, and why not.
package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// Request says what to explain.
type Request struct {
	// Name is a name or an alias, with its kind before it ("skill:deploy") where
	// only that kind is meant, or the path of a file. With All it is not looked
	// at.
	Name string
	// Kinds are those wanted; none means all.
	Kinds []definition.Kind
	// Hosts are the hosts to explain it for, which may have a version; none means
	// the newest of each.
	Hosts []string
	// All explains every definition.
	All bool
}

// Explanation says what each host makes of the definitions that were asked for.
// Its JSON is a public contract: fields are added, never renamed.
type Explanation struct {
	// Hosts are the hosts in the order of the verdicts.
	Hosts []Host `json:"hosts"`
	// Definitions are the files, by kind and name.
	Definitions []ExplainedFile `json:"definitions"`
	// Diagnostics are what was wrong outside of any definition.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Host is one host of an [Explanation].
type Host struct {
	Host    string `json:"host"`
	Version string `json:"version"`
}

// Explained is one file with the verdict of each host.
type ExplainedFile struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	Path string          `json:"path"`
	// OtherPaths are further paths of the same file, by links.
	OtherPaths []string         `json:"otherPaths,omitempty"`
	Layer      definition.Layer `json:"layer"`
	Plugin     string           `json:"plugin,omitempty"`
	// CopyOf is the source of a file that vade sync made for a host.
	CopyOf string `json:"copyOf,omitempty"`
	// Root is the directory that hosts look into, as [Verdict.Reads] names such
	// ones, in which it stands.
	Root string `json:"root,omitempty"`
	// Problems are what is wrong in the file whatever reads it: the findings of
	// the neutral view and, where it was asked for by name, why the audit refuses it.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
	// Verdicts are in the order of [Explanation.Hosts].
	Verdicts []Verdict `json:"verdicts"`
}

// StateNotRead is the state of a [Verdict] on a file that the host does not look
// at; the others are the words of [definition.State].
const StateNotRead = "not read"

// The values of [Verdict.Listed] and [Listed.Listed].
const (
	// ListedWhole: the model sees it with its description, as far as there is one.
	ListedWhole = "listed"
	// ListedCut: it is listed without its description, or with a part of it.
	ListedCut = "cut"
	// ListedNot: the model does not see it, and ListedWhy says why.
	ListedNot = "hidden"
)

// Verdict is what one host makes of one file.
type Verdict struct {
	Host string `json:"host"`
	// State is "loaded", "shadowed", "dropped", "disabled" or "not read".
	State string `json:"state"`
	// Name, Kind and Path are what the host knows it as, where it reads it.
	Name string `json:"name,omitempty"`
	Kind string `json:"kind,omitempty"`
	Path string `json:"path,omitempty"`
	// Reason says why it is not loaded, with the code of it, and Fix what is the
	// least to do about it. Then is what is to be done in the file besides, where
	// the host would not load it as it is. Reads are the places that the host looks
	// into for the kind instead. Notes are further remarks.
	Reason string    `json:"reason,omitempty"`
	Code   diag.Code `json:"code,omitempty"`
	Fix    string    `json:"fix,omitempty"`
	Then   string    `json:"then,omitempty"`
	Reads  []string  `json:"reads,omitempty"`
	Notes  []string  `json:"notes,omitempty"`
	// ShadowedBy is the file in force in its place, Shadows those whose place it
	// takes, Beside those that are in force under the same name.
	ShadowedBy string   `json:"shadowedBy,omitempty"`
	Shadows    []string `json:"shadows,omitempty"`
	Beside     []string `json:"beside,omitempty"`
	// Random: which of several is in force differs from run to run.
	Random bool `json:"random,omitempty"`
	// Listed is one of the constants Listed…, or "" where nothing of the kind is
	// listed. Listing is the text that the model sees of it, as the host writes it.
	Listed    string `json:"listed,omitempty"`
	Listing   string `json:"listing,omitempty"`
	ListedWhy string `json:"listedWhy,omitempty"`
	// UserCall is what a user types to call it, ModelCall what a model does.
	UserCall  string `json:"userCall,omitempty"`
	ModelCall string `json:"modelCall,omitempty"`
	// Activation are the patterns of the files that it waits for.
	Activation []string `json:"activation,omitempty"`
	// Ignored are the fields of the file that the host does nothing with.
	Ignored []IgnoredField `json:"ignored,omitempty"`
	// Lost are the keys of those of Ignored that some host honors.
	Lost []string `json:"lost,omitempty"`
	// Trust says what the user has to do before the host reads the file, or "".
	Trust string `json:"trust,omitempty"`
	// Basis says what the statement rests on: "observed", "source", "documented"
	// or "inferred"; Cell names the part of what is known of the host.
	Basis string `json:"basis"`
	Cell  string `json:"cell"`
	// Diagnostics are what the host's view finds wrong in the file.
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
}

// IgnoredField is a field of the frontmatter that a host does nothing with, as it
// is written, and why.
type IgnoredField struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

// Run says, for each definition of a name and for each host, whether the
// host loads it, under which name, what the model sees of it, and where it is not
// loaded, why and what to do. Besides what a view has, it finds files that stand
// where no host looks. [catalog.Options.As] is not looked at.
//
// Where nothing has the name the error is an *[catalog.Error] that is [catalog.ErrNotFound].
func Run(ctx context.Context, o catalog.Options, r Request) (*Explanation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := explainer{ctx: ctx, options: o, request: r}
	if err := e.hosts(); err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.open(); err != nil {
		return nil, err
	}
	subjects, err := e.subjects()
	if err != nil {
		return nil, err
	}
	return e.explanation(subjects)
}

// explainer answers one request.
type explainer struct {
	ctx     context.Context
	options catalog.Options
	request Request
	// kind and name are those of the request, wanted the kinds.
	name   string
	wanted []definition.Kind
	// neutral sees what any host reads; views are those of the hosts.
	neutral *view
	views   []*view
	sources catalog.SourceOfTruth
	// known are all profiles but the neutral one.
	profiles []*host.Profile
}

// hosts reads the request.
func (e *explainer) hosts() error {
	e.profiles = registry.Hosts()
	names := e.request.Hosts
	if len(names) == 0 {
		for _, p := range e.profiles {
			names = append(names, p.Name)
		}
	}
	e.neutral = &view{profile: registry.Neutral()}
	for _, name := range names {
		p, ok := registry.Lookup(name)
		if !ok || p.Name == host.NeutralName {
			return catalog.UnknownHost(name, registry.RealNames())
		}
		as := p.Name
		if strings.Contains(name, "@") {
			as = name
		}
		e.views = append(e.views, &view{profile: p, as: as})
	}
	e.wanted, e.name = e.request.Kinds, e.request.Name
	if word, rest, ok := strings.Cut(e.name, ":"); ok {
		if k, known := definition.ParseKind(word); known && word == k.String() {
			if len(e.wanted) > 0 && !slices.Contains(e.wanted, k) {
				return fmt.Errorf("vade: %q is of none of the kinds asked for", e.name)
			}
			e.wanted, e.name = []definition.Kind{k}, rest
		}
	}
	return nil
}

func (e *explainer) wants(k definition.Kind) bool {
	return len(e.wanted) == 0 || slices.Contains(e.wanted, k)
}

// explanation puts the verdicts together.
func (e *explainer) explanation(subjects []*subject) (*Explanation, error) {
	x := &Explanation{Hosts: []Host{}, Definitions: []ExplainedFile{}, Diagnostics: []diag.Diagnostic{}}
	for _, v := range e.views {
		x.Hosts = append(x.Hosts, Host{Host: v.profile.Name, Version: v.profile.Version})
	}
	x.Definitions = make([]ExplainedFile, len(subjects))
	for i, s := range subjects {
		x.Definitions[i] = s.explained(len(e.views))
		x.Definitions[i].CopyOf = e.sources.Copies[s.path]
	}
	err := catalog.Parallel(len(e.views), func(at int) error {
		for i, s := range subjects {
			if err := e.ctx.Err(); err != nil {
				return err
			}
			x.Definitions[i].Verdicts[at] = e.verdict(e.views[at], s)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x.Diagnostics = append(x.Diagnostics, e.neutral.c.ScanDiagnostics...)
	if err := e.addAudit(x, subjects); err != nil {
		return nil, err
	}
	return x, nil
}

// HostKnowledge is what is known of one host, in words.
type HostKnowledge struct {
	Host    string     `json:"host"`
	Version string     `json:"version"`
	Facts   []HostFact `json:"facts"`
}

// HostFact is one statement about a host. Cell says what it is about, Basis what
// it rests on ("observed", "source", "documented", "inferred"), From where it is
// known from.
type HostFact struct {
	Cell  string `json:"cell"`
	Basis string `json:"basis"`
	Text  string `json:"text"`
	From  string `json:"from,omitempty"`
}

// Known returns what is known of a host, by the cells of the profile. A name may
// have a version.
func KnownFacts(name string) (*HostKnowledge, error) {
	p, ok := registry.Lookup(name)
	if !ok || p.Name == host.NeutralName {
		return nil, catalog.UnknownHost(name, registry.RealNames())
	}
	k := &HostKnowledge{Host: p.Name, Version: p.Version, Facts: []HostFact{}}
	for _, cell := range host.Cells() {
		for _, f := range p.Facts {
			if f.Cell == cell {
				k.Facts = append(k.Facts, HostFact{cell.String(), f.Basis.String(), f.Text, f.From})
			}
		}
	}
	return k, nil
}
