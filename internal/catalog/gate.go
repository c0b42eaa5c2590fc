package catalog

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/bundle"
	auditrules "github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/auditcache"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/trust"
	"github.com/vadehq/vade/internal/vfs"
)

// maxRefusing is how many findings an error carries.
const maxRefusing = 20

// Gate audits a definition whose content is about to be rendered, and refuses it where
// the policy says so. doc is what will be rendered: what is judged is these bytes, and
// what stands beside them now.
func (c *Catalog) Gate(ctx context.Context, d *definition.Definition, doc *parse.Document) (*definition.LoadVerdict, error) {
	p, _ := c.EffectivePolicy()
	mode, approvedMode := p.Audit.Mode(c.AuditLayer(d))
	v := &definition.LoadVerdict{Mode: mode.String()}
	if mode == policy.AuditOff || c.Options.Unaudited {
		return v, nil
	}
	verdict, found, err := c.verdictFor(ctx, d, doc, p, true)
	if err != nil {
		return nil, err
	}
	v.Diagnostics = found
	return v, c.refuseFindings(ctx, d, doc, v, verdict, p, mode, approvedMode)
}

// refuseFound refuses a definition in which something was found that the mode does not
// let pass.
func (c *Catalog) refuseFindings(ctx context.Context, d *definition.Definition, doc *parse.Document, v *definition.LoadVerdict, verdict *auditcache.Verdict, p *policy.Policy, mode, approvedMode policy.AuditMode) error {
	recordFindings(v, verdict, p, d, c.Options.Now())
	refusing := refusingFindings(v, mode)
	if len(refusing) == 0 {
		return nil
	}
	if len(refusingFindings(v, approvedMode)) == 0 && c.isApproved(ctx, d, doc) {
		v.Approved = true
		return nil
	}
	return c.blocked(d, refusing)
}

// fill takes over what was found, and which of it does not count.
func recordFindings(v *definition.LoadVerdict, verdict *auditcache.Verdict, p *policy.Policy, d *definition.Definition, now time.Time) {
	v.Verdict, v.Complete = verdict.Severity.String(), verdict.Complete
	for i := range verdict.Findings {
		f := &verdict.Findings[i]
		x := definition.LoadFinding{ID: f.Rule, Name: f.Name, Severity: f.Severity.String(), Path: f.Path, Line: f.Line, Message: f.Message, Digest: f.Digest, More: f.More, Suppressed: ""}
		shown := findingPath(d, f.Path)
		for k := range p.Audit.Suppress {
			if s := &p.Audit.Suppress[k]; f.More == 0 && s.Covers(f.Rule, d.Name, shown, f.Digest, now) {
				x.Suppressed = s.Reason
				break
			}
		}
		v.Findings = append(v.Findings, x)
	}
}

// findingPath is the path of a file of a definition as it is shown.
func findingPath(d *definition.Definition, rel string) string {
	if !ownsDirectory(d) {
		return d.Origin.Path
	}
	return path.Join(path.Dir(d.Origin.Path), rel)
}

// counting are the findings for which a mode refuses.
func refusingFindings(v *definition.LoadVerdict, mode policy.AuditMode) []definition.LoadFinding {
	if mode == policy.AuditOff {
		return nil
	}
	var list []definition.LoadFinding
	for _, f := range v.Findings {
		if f.Suppressed == "" && (f.Severity == auditrules.Block.String() || mode == policy.AuditReview) {
			list = append(list, f)
		}
	}
	return list
}

// told reports whether the verdict is worth a place in a result.
func hasFindings(v *definition.LoadVerdict) bool { return v != nil && len(v.Findings) > 0 }

// blocked is the error for a definition that the audit refuses. The message has none of
// the definition's words but its name and a path in it, since a model may read it, and
// no path of this machine.
func (c *Catalog) blocked(d *definition.Definition, refusing []definition.LoadFinding) error {
	first := refusing[0]
	message := fmt.Sprintf("the %s '%s' is not loaded: %s", d.Kind, cmp.Or(d.Name, path.Base(d.Origin.Path)), FindingSummary(refusing))
	at := d.Origin.Path
	if ownsDirectory(d) {
		at = path.Dir(at)
	}
	fix := fmt.Sprintf("look at it with: vade audit %s; what it means: vade audit --explain %s; ", at, first.ID)
	switch {
	case first.Digest == "" || first.More > 0:
		fix += "it can not be suppressed: no digest stands for all that was found"
	default:
		fix += fmt.Sprintf("if you have read it and want it, suppress the finding in your own policy (audit: suppress), with rule %s and digest %s", first.ID, first.Digest)
	}
	if c.AuditLayer(d) == definition.MCP {
		fix = fmt.Sprintf("what it means: vade audit --explain %s; tell who runs the server, or take it out of your %s", first.ID, serversFile)
	}
	return &definition.Error{
		Code: diag.AuditBlocked, Message: message, SearchedPaths: []string{d.Origin.Path}, Fix: fix,
		Findings: refusing[:min(len(refusing), maxRefusing)],
	}
}

// overridden are the findings for which a definition is refused until the user consents
// to it.
func (c *Catalog) approvableFindings(ctx context.Context, d *definition.Definition, doc *parse.Document) ([]definition.LoadFinding, error) {
	p, _ := c.EffectivePolicy()
	mode, approvedMode := p.Audit.Mode(c.AuditLayer(d))
	if mode == policy.AuditOff || d.Origin.Layer == definition.MCP {
		return nil, nil
	}
	// To look at a consent writes nothing.
	verdict, _, err := c.verdictFor(ctx, d, doc, p, false)
	if err != nil {
		return nil, err
	}
	var v definition.LoadVerdict
	recordFindings(&v, verdict, p, d, c.Options.Now())
	if len(refusingFindings(&v, approvedMode)) > 0 {
		// A consent changes nothing of these.
		return nil, nil
	}
	return refusingFindings(&v, mode), nil
}

// FoundBy says what the audit refuses something for: the worst, and how many others.
func FindingSummary(refusing []definition.LoadFinding) string {
	first := refusing[0]
	text := fmt.Sprintf("the audit finds %s (%s)", first.ID, first.Name)
	if first.Path != "" {
		text += " in " + first.Path
	}
	if first.Line > 0 {
		text += fmt.Sprintf(":%d", first.Line)
	}
	if n := len(refusing) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

// Gated reads the file of a definition that is about to be rendered, past the gate.
func (c *Catalog) GatedDocument(ctx context.Context, d *definition.Definition) (parse.Document, error) {
	doc, err := c.Document(ctx, d)
	if err != nil {
		return doc, err
	}
	_, err = c.Gate(ctx, d, &doc)
	return doc, err
}

// AuditLayer is the layer that the audit takes a definition to be of. What comes with
// Vade is bundled; what a project or a host ships as its own default is not.
func (c *Catalog) AuditLayer(d *definition.Definition) definition.Layer {
	switch l := d.Origin.Layer; {
	case d.Origin.Path == agentsFlag:
		// The user has typed it.
		return definition.Bundled
	case l != definition.Bundled || c.ComesWithVade(d):
		return l
	case d.Format == definition.Package || c.InsideProject(d):
		return definition.Project
	}
	return definition.User
}

// hasDirectory reports whether the directory of a definition's file belongs to it.
func ownsDirectory(d *definition.Definition) bool {
	// A link may have the name, or lead to what has it.
	return d.Kind == definition.Skill && d.Format != definition.Package && (strings.EqualFold(path.Base(d.Origin.Path), SkillFileName) || strings.EqualFold(path.Base(d.Origin.Real), SkillFileName))
}

// consentedTo reports whether the user has consented to this very content.
func (c *Catalog) isApproved(ctx context.Context, d *definition.Definition, doc *parse.Document) bool {
	if d.Kind != definition.Skill && d.Kind != definition.Command || d.Format == definition.Package || d.Origin.Layer == definition.MCP {
		return false
	}
	env, refused := c.shellEnv(d, "")
	if refused != nil {
		return false
	}
	defer env.close()
	env.read(doc, c.Input(d, doc, doc.Body))
	closure, err := env.closure(ctx)
	if err != nil {
		return false
	}
	store, err := c.store()
	if err != nil {
		return false
	}
	state, _, err := store.Check(closure)
	return err == nil && state == trust.Trusted
}

// gateRemote is gate for the SKILL.md of a server, gateRemoteFile for a file beside it,
// which nobody has read before.
func (c *Catalog) gateRemote(ctx context.Context, d *definition.Definition, data []byte) error {
	_, err := c.Gate(ctx, d, &parse.Document{File: diag.NewFile(d.Origin.Path, data), BodyAt: -1})
	return err
}

func (c *Catalog) gateRemoteFile(ctx context.Context, d *definition.Definition, file string, data []byte) error {
	p, _ := c.EffectivePolicy()
	mode, approvedMode := p.Audit.Mode(definition.MCP)
	if mode == policy.AuditOff {
		return nil
	}
	pkg := &signal.Package{Name: d.Name, Kind: d.Kind, Layer: definition.MCP, Bare: true, Files: []*signal.File{{Path: file, Raw: data, Size: int64(len(data))}}}
	o := AuditOptions(p)
	return c.refuseFindings(ctx, d, nil, &definition.LoadVerdict{}, auditcache.New(pkg, o, auditcache.Key(pkg, o), bundle.Digests(nil, "", pkg)), p, mode, approvedMode)
}

// Audited returns what the audit says of a definition as it is now, as loading it would
// ask. It is refused, with an *[Error] of the code AUDIT_BLOCKED, where loading it would
// be.
func (d Definition) Audited(ctx context.Context) (*definition.LoadVerdict, error) {
	doc, err := d.c.Document(ctx, d.d)
	if err != nil {
		return nil, err
	}
	return d.c.Gate(ctx, d.d, &doc)
}

// gateMemory is what one catalog knows of what it has judged, so that a program that
// runs for long does not read all files of a skill each time. Its zero value is empty.
type auditState struct {
	mu    sync.Mutex
	known map[fileKey]*cachedVerdict

	once  sync.Once
	cache *auditcache.Cache
}

// judgement is a verdict, and what it holds for.
type cachedVerdict struct {
	verdict *auditcache.Verdict
	// main is the digest of the definition's own file, policy what was in force.
	digest string
	policy *policy.Policy
	// at is when the reading began, beside what else was there.
	at       time.Time
	siblings []siblingFile
	// listed: beside is known.
	siblingsKnown bool
}

// besideFile is one name in the directory of a skill.
type siblingFile struct {
	path        string
	fingerprint vfs.Fingerprint
}

// maxJudged is how many verdicts a catalog keeps at most.
const maxVerdicts = 1 << 12

// holds reports whether a judgement is certain to be that of what is there now.
func (j *cachedVerdict) matches(main string, p *policy.Policy, beside []siblingFile) bool {
	return j.siblingsKnown && j.digest == main && j.policy == p && slices.EqualFunc(beside, j.siblings, func(now, before siblingFile) bool {
		return now.path == before.path && now.fingerprint.Unchanged(before.fingerprint, j.at)
	})
}

func (g *auditState) get(key fileKey) *cachedVerdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[key]
}

func (g *auditState) put(key fileKey, j *cachedVerdict) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil || len(g.known) >= maxVerdicts {
		g.known = map[fileKey]*cachedVerdict{}
	}
	g.known[key] = j
}

const SkillFileName = "SKILL.md"

// Inside reports whether a definition is a file of the project, or of one.
func (c *Catalog) InsideProject(d *definition.Definition) bool {
	if c.Quick.Project == nil {
		return false
	}
	_, ok := c.Quick.Project.Rel(d.Origin.Real)
	return ok
}
