package catalog

import (
	"cmp"
	"context"
	"errors"
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
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/trust"
	"github.com/vadehq/vade/internal/vfs"
)

// maxRefusing is the maximum number of findings that an error lists.
const maxRefusing = 20

// Gate audits a definition before its content is rendered. It returns an error if the policy does
// not allow the findings. doc is the document to be rendered. The verdict applies to doc and the
// current companion files.
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

// refuseFindings records the audit's findings in the load verdict v. It returns an error if the
// audit mode does not allow them and the user did not approve the definition.
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

// recordFindings copies the audit's findings to the load verdict v and marks the ones that the
// policy suppresses.
func recordFindings(v *definition.LoadVerdict, verdict *auditcache.Verdict, p *policy.Policy,
	d *definition.Definition, now time.Time) {
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

// findingPath returns the display path of one of a definition's files.
func findingPath(d *definition.Definition, rel string) string {
	if !ownsDirectory(d) {
		return d.Origin.Path
	}
	return path.Join(path.Dir(d.Origin.Path), rel)
}

// refusingFindings returns the findings that the audit mode does not allow.
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

func hasFindings(v *definition.LoadVerdict) bool { return v != nil && len(v.Findings) > 0 }

// blocked returns the error for a definition that the audit refuses. A model may read the message,
// so it quotes only the definition's name and a path inside the definition, and never a local path.
func (c *Catalog) blocked(d *definition.Definition, refusing []definition.LoadFinding) error {
	first := refusing[0]
	message := fmt.Sprintf("the %s '%s' is not loaded: %s", d.Kind, cmp.Or(d.Name, path.Base(d.Origin.Path)), FindingSummary(refusing))
	at := d.Origin.Path
	if ownsDirectory(d) {
		at = path.Dir(at)
	}
	fix := fmt.Sprintf("to inspect it, run: vade audit %s; if you accept the risk, run: vade trust %s (only for skills and commands in the project or "+
		"your home directory), or add the rule and digest of each finding to audit.suppress in your policy (findings without a digest cannot be suppressed)",
		shell.ForShell(at), shell.ForShell(d.Kind.String()+":"+d.Name))
	if c.AuditLayer(d) == definition.MCP {
		fix = fmt.Sprintf("for details about the rule, run: vade audit --explain %s; report the finding to the server's operator, or remove the server from %s", first.ID, serversFile)
	}
	return &definition.Error{
		Code: diag.AuditBlocked, Message: message, SearchedPaths: []string{d.Origin.Path}, Fix: fix,
		Findings: refusing[:min(len(refusing), maxRefusing)],
	}
}

// approvableFindings returns the findings that block a definition until the user approves it.
func (c *Catalog) approvableFindings(ctx context.Context, d *definition.Definition,
	doc *parse.Document) ([]definition.LoadFinding, error) {
	p, _ := c.EffectivePolicy()
	mode, approvedMode := p.Audit.Mode(c.AuditLayer(d))
	if mode == policy.AuditOff || d.Origin.Layer == definition.MCP {
		return nil, nil
	}
	// This function only displays an approval, so it must not write to the cache.
	verdict, _, err := c.verdictFor(ctx, d, doc, p, false)
	if err != nil {
		return nil, err
	}
	var v definition.LoadVerdict
	recordFindings(&v, verdict, p, d, c.Options.Now())
	if len(refusingFindings(&v, approvedMode)) > 0 {
		// An approval cannot override these findings.
		return nil, nil
	}
	return refusingFindings(&v, mode), nil
}

// FindingSummary describes the most severe finding and gives the number of additional findings.
func FindingSummary(refusing []definition.LoadFinding) string {
	first := refusing[0]
	text := fmt.Sprintf("the audit found %s (%s)", first.ID, first.Name)
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

// GatedDocument reads a definition's file for rendering and passes it through the gate.
func (c *Catalog) GatedDocument(ctx context.Context, d *definition.Definition) (parse.Document, error) {
	doc, err := c.Document(ctx, d)
	if err != nil {
		return doc, err
	}
	_, err = c.Gate(ctx, d, &doc)
	return doc, err
}

// AuditLayer returns the layer whose audit settings apply to a definition. Definitions that come
// with Vade are audited as bundled; defaults from a project or host are not.
func (c *Catalog) AuditLayer(d *definition.Definition) definition.Layer {
	switch l := d.Origin.Layer; {
	case d.Origin.Path == agentsFlag:
		// The user passed these agents on the command line, so trust them like bundled ones.
		return definition.Bundled
	case l != definition.Bundled || c.ComesWithVade(d):
		return l
	case d.Format == definition.Package || c.InsideProject(d):
		return definition.Project
	}
	return definition.User
}

// ownsDirectory reports whether a definition includes all files in its directory, as a SKILL.md
// does.
func ownsDirectory(d *definition.Definition) bool {
	// If the file was found through a symlink, either the symlink or its target may be named
	// SKILL.md.
	return d.Kind == definition.Skill && d.Format != definition.Package && (strings.EqualFold(path.Base(d.Origin.Path), SkillFileName) || strings.EqualFold(path.Base(d.Origin.Real), SkillFileName))
}

// isApproved reports whether the user approved exactly this content.
func (c *Catalog) isApproved(ctx context.Context, d *definition.Definition, doc *parse.Document) bool {
	if d.Kind != definition.Skill && d.Kind != definition.Command || d.Format == definition.Package ||
		d.Origin.Layer == definition.MCP {
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

// gateRemote audits a server's SKILL.md before it is rendered. gateRemoteFile does the same for a
// companion file that was not audited before.
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
	pkg := &signal.Package{Name: d.Name, Kind: d.Kind, Layer: definition.MCP, Bare: true,
		Files: []*signal.File{{Path: file, Raw: data, Size: int64(len(data))}}}
	o := AuditOptions(p)
	return c.refuseFindings(ctx, d, nil, &definition.LoadVerdict{}, auditcache.New(pkg, o, auditcache.Key(pkg, o), bundle.Digests(nil, "", pkg)), p, mode, approvedMode)
}

// Audited returns the audit verdict for the definition's current content, which is the verdict that
// loading it would return. If the audit blocks the definition, the error is an *[Error] with the
// code AUDIT_BLOCKED.
func (d Definition) Audited(ctx context.Context) (*definition.LoadVerdict, error) {
	doc, err := d.c.Document(ctx, d.d)
	if err != nil {
		return nil, err
	}
	return d.c.Gate(ctx, d.d, &doc)
}

// AuditProblem reports whether the audit blocks the definition, and returns the diagnostic that
// says why. A definition that cannot be read is not blocked.
func (d Definition) AuditProblem(ctx context.Context) (diag.Diagnostic, bool) {
	_, err := d.Audited(ctx)
	var refused *definition.Error
	if !errors.As(err, &refused) || refused.Code != diag.AuditBlocked {
		return diag.Diagnostic{}, false
	}
	return diag.For(d.Path(), diag.AuditBlocked, "Vade does not load the definition: %s", FindingSummary(refused.Findings)).WithFix("%s", refused.Fix), true
}

// WithAuditProblem returns the definition with the diagnostic of [Definition.AuditProblem], if any.
func (d Definition) WithAuditProblem(ctx context.Context) Definition {
	problem, blocked := d.AuditProblem(ctx)
	if !blocked {
		return d
	}
	record := *d.d
	record.Diagnostics = append(slices.Clip(record.Diagnostics), problem)
	return Definition{d.c, &record}
}

// auditState caches a catalog's audit verdicts, so that a long-running program does not reread a
// skill's files on each load. The zero value is an empty cache.
type auditState struct {
	mu    sync.Mutex
	known map[fileKey]*cachedVerdict

	once  sync.Once
	cache *auditcache.Cache
}

// cachedVerdict holds a verdict and the conditions under which it is valid.
type cachedVerdict struct {
	verdict *auditcache.Verdict
	// digest is the digest of the definition's own file, and policy is the
	// policy that was in effect.
	digest string
	policy *policy.Policy
	// at is the time when reading began. siblings lists the other files that the directory
	// contained at that time.
	at       time.Time
	siblings []siblingFile
	// siblingsKnown is set if siblings is certain to be complete.
	siblingsKnown bool
}

// siblingFile is an entry in a skill's directory.
type siblingFile struct {
	path        string
	fingerprint vfs.Fingerprint
}

// maxVerdicts is the maximum number of verdicts that a catalog caches.
const maxVerdicts = 1 << 12

// matches reports whether the verdict is certain to be valid for the current content.
func (j *cachedVerdict) matches(main string, p *policy.Policy, siblings []siblingFile) bool {
	return j.siblingsKnown && j.digest == main && j.policy == p &&
		slices.EqualFunc(siblings, j.siblings, func(now, before siblingFile) bool {
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

// InsideProject reports whether a definition's file is in the project.
func (c *Catalog) InsideProject(d *definition.Definition) bool {
	if c.Quick.Project == nil {
		return false
	}
	_, ok := c.Quick.Project.Rel(d.Origin.Real)
	return ok
}
