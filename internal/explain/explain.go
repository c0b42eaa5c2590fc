// Package explain reports for each host whether it uses a definition and, if not, why.
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
	"github.com/vadehq/vade/internal/instructions"
)

// Request selects what to explain.
type Request struct {
	// Name is a name or an alias, optionally with a kind ("skill:deploy"), or a file path. It is
	// ignored if All is set.
	Name string
	// Kinds lists the kinds to explain. If it is empty, Run explains all kinds.
	Kinds []definition.Kind
	// Hosts lists the hosts to explain, each with an optional version. If it is empty, Run explains
	// the newest version of every host.
	Hosts []string
	// If All is set, Run explains all definitions.
	All bool
}

// Explanation describes how each host treats the requested definitions. Its JSON is a public
// contract: fields are added, never renamed.
type Explanation struct {
	// Hosts lists the hosts. Each definition's verdicts are in the same order.
	Hosts []Host `json:"hosts"`
	// Definitions is sorted by kind and name.
	Definitions []ExplainedFile `json:"definitions"`
	// Diagnostics lists problems that do not belong to a definition.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// Host is a host in an [Explanation].
type Host struct {
	Host    string `json:"host"`
	Version string `json:"version"`
}

// ExplainedFile is a file and every host's verdict on it.
type ExplainedFile struct {
	Kind definition.Kind `json:"kind"`
	Name string          `json:"name"`
	Path string          `json:"path"`
	// OtherPaths are other paths that lead to the file through symlinks.
	OtherPaths []string         `json:"otherPaths,omitempty"`
	Layer      definition.Layer `json:"layer"`
	Plugin     string           `json:"plugin,omitempty"`
	// CopyOf is the source from which vade sync made the file for a host.
	CopyOf string `json:"copyOf,omitempty"`
	// Root is the file's root directory, in the same format as [Verdict.Reads].
	Root string `json:"root,omitempty"`
	// Problems do not depend on the host. They are the neutral view's findings
	// and, if the file was requested by name, the reason the audit rejects it.
	Problems []diag.Diagnostic `json:"problems,omitempty"`
	// Verdicts holds one verdict per host, in the order of [Explanation.Hosts].
	Verdicts []Verdict `json:"verdicts"`
}

// StateNotRead is the state of a file that the host does not look at. All other
// states are [definition.State] values.
const StateNotRead = "not read"

// Values of [Verdict.Listed] and [ListingState.Listed].
const (
	// ListedWhole is for a definition that the model sees with its description, if any.
	ListedWhole = "listed"
	// ListedCut is for a definition whose description is missing or shortened in the listing.
	ListedCut = "cut"
	// ListedNot is for a definition that the model does not see; ListedWhy explains why.
	ListedNot = "hidden"
)

// Verdict describes how one host treats one file.
type Verdict struct {
	Host string `json:"host"`
	// State is "loaded", "shadowed", "dropped", "disabled" or "not read".
	State string `json:"state"`
	// Name, Kind and Path describe the definition as the host sees it, if it reads the file.
	Name string `json:"name,omitempty"`
	Kind string `json:"kind,omitempty"`
	Path string `json:"path,omitempty"`
	// Reason explains why the definition is not loaded, and Code is the corresponding diagnostic
	// code. Fix is the smallest fix. Then lists further changes that the file needs before the host
	// can load it. Reads lists the directories that the host reads for this kind of definition.
	// Notes are additional remarks.
	Reason string    `json:"reason,omitempty"`
	Code   diag.Code `json:"code,omitempty"`
	Fix    string    `json:"fix,omitempty"`
	Then   string    `json:"then,omitempty"`
	Reads  []string  `json:"reads,omitempty"`
	// Change applies the fix. It is nil if the fix must be made by hand.
	Change *Change  `json:"-"`
	Notes  []string `json:"notes,omitempty"`
	// ShadowedBy is the file that is active in place of this file. Shadows lists the files that
	// this file overrides. Beside lists other files that are active under the same name.
	ShadowedBy string   `json:"shadowedBy,omitempty"`
	Shadows    []string `json:"shadows,omitempty"`
	Beside     []string `json:"beside,omitempty"`
	// Random is set if the active file varies from run to run.
	Random bool `json:"random,omitempty"`
	// Listed is one of the Listed… constants, or "" if the kind is not listed. Listing is the
	// entry that the model sees, in the host's format.
	Listed    string `json:"listed,omitempty"`
	Listing   string `json:"listing,omitempty"`
	ListedWhy string `json:"listedWhy,omitempty"`
	// UserCall is what a user types to invoke the definition, and ModelCall is how a model
	// invokes it.
	UserCall  string `json:"userCall,omitempty"`
	ModelCall string `json:"modelCall,omitempty"`
	// Activation lists the patterns for files that activate the definition.
	Activation []string `json:"activation,omitempty"`
	// Ignored lists the fields that the host ignores.
	Ignored []IgnoredField `json:"ignored,omitempty"`
	// Lost lists the keys in Ignored that some other host honors.
	Lost []string `json:"lost,omitempty"`
	// Trust tells the user what to do before the host reads the file. It is ""
	// if nothing is needed.
	Trust string `json:"trust,omitempty"`
	// Basis is the kind of evidence: "observed", "source", "documented" or "inferred". Cell is the
	// topic of the evidence; see [HostFact].
	Basis string `json:"basis"`
	Cell  string `json:"cell"`
	// Diagnostics lists the problems that the host's view finds in the file.
	Diagnostics []diag.Diagnostic `json:"diagnostics,omitempty"`
}

// IgnoredField is a frontmatter field that a host ignores. Field is spelled as in the file, and
// Reason says why the host ignores it.
type IgnoredField struct {
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

// Run explains how each host treats the definitions with the requested name. For a host that loads
// a definition, it reports the name under which it is loaded and what the model sees. For any other
// host, it reports the reason and a fix. In addition to the definitions in a view, Run finds files
// in places that no host reads. [catalog.Options.As] is ignored.
//
// If no definition has the name, the error is a *[definition.Error] that matches
// [definition.ErrNotFound].
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

// explainer handles one request.
type explainer struct {
	ctx     context.Context
	options catalog.Options
	request Request
	// name is the requested name without its kind, and wanted lists the requested kinds.
	name   string
	wanted []definition.Kind
	// neutral is the neutral view, and views are the hosts' views.
	neutral *view
	views   []*view
	sources catalog.SourceOfTruth
	// profiles holds all profiles except the neutral one.
	profiles []*host.Profile
}

// hosts looks up the requested hosts and splits the request's name into a kind and a name.
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
	if k, name := catalog.KindAndName(e.name); k != 0 {
		if len(e.wanted) > 0 && !slices.Contains(e.wanted, k) {
			return fmt.Errorf("vade: %q is not one of the requested kinds", e.name)
		}
		e.wanted, e.name = []definition.Kind{k}, name
	}
	return nil
}

func (e *explainer) wants(k definition.Kind) bool {
	return len(e.wanted) == 0 || slices.Contains(e.wanted, k)
}

// explanation returns every host's verdict on each subject.
func (e *explainer) explanation(subjects []*subject) (*Explanation, error) {
	x := &Explanation{Hosts: []Host{}, Definitions: make([]ExplainedFile, len(subjects)), Diagnostics: []diag.Diagnostic{}}
	for _, v := range e.views {
		x.Hosts = append(x.Hosts, Host{Host: v.profile.Name, Version: v.profile.Version})
	}
	for i, s := range subjects {
		x.Definitions[i] = ExplainedFile{
			Kind: s.kind, Name: s.name, Path: s.path, OtherPaths: s.others, Layer: s.layer, Plugin: s.plugin, Root: s.rootLabel(),
			CopyOf: e.sources.Copies[s.path], Problems: s.problems, Verdicts: make([]Verdict, len(e.views)),
		}
	}
	instruction := slices.ContainsFunc(subjects, func(s *subject) bool { return s.kind == definition.Instruction })
	err := catalog.Parallel(len(e.views), func(at int) error {
		if v := e.views[at]; instruction {
			var err error
			if v.imported, err = instructions.Imported(e.ctx, v.c); err != nil {
				return err
			}
		}
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

// HostKnowledge lists the known facts about a host.
type HostKnowledge struct {
	Host    string     `json:"host"`
	Version string     `json:"version"`
	Facts   []HostFact `json:"facts"`
}

// HostFact is a statement about a host. Cell is its topic. Basis is the kind of evidence:
// "observed", "source", "documented" or "inferred". From names the source of the evidence.
type HostFact struct {
	Cell  string `json:"cell"`
	Basis string `json:"basis"`
	Text  string `json:"text"`
	From  string `json:"from,omitempty"`
}

// KnownFacts returns the known facts about a host, sorted by cell. The name may include a
// version.
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
