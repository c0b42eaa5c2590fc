package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit"
	auditrules "github.com/vadehq/vade/internal/audit/rules"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/vfs"
)

// AuditListing returns nil if a model may read the definition's name and description in a list. A
// model sees the list before it loads anything. If the policy does not allow the audit's findings
// in this text, AuditListing returns the same error as loading the definition: an *[Error] with the
// code AUDIT_BLOCKED.
func (d Definition) AuditListing(ctx context.Context) error { return d.c.AuditListing(ctx, d.d) }

// rowCache caches the audit verdicts for listing rows.
type rowCache struct {
	mu    sync.Mutex
	found map[rowKey]auditrules.Severity
}

// rowKey identifies a listing row by its text.
type rowKey struct {
	layer             definition.Layer
	kind              definition.Kind
	name, title, text string
}

// AuditListing audits only the text that a list shows for the definition, which is cheap. If the
// text has findings, AuditListing audits the whole definition, because the findings may be
// suppressed or approved.
func (c *Catalog) AuditListing(ctx context.Context, d *definition.Definition) error {
	p, _ := c.EffectivePolicy()
	layer := c.AuditLayer(d)
	mode, _ := p.Audit.Mode(layer)
	if mode == policy.AuditOff {
		return nil
	}
	key := rowKey{layer, d.Kind, d.Name, d.Title, d.Description + "\n" + d.Fields.WhenToUse()}
	c.rowCache.mu.Lock()
	worst, known := c.rowCache.found[key]
	c.rowCache.mu.Unlock()
	if !known {
		worst = rowSeverity(key, AuditOptions(p))
		c.rowCache.mu.Lock()
		if c.rowCache.found == nil || len(c.rowCache.found) >= maxVerdicts {
			c.rowCache.found = map[rowKey]auditrules.Severity{}
		}
		c.rowCache.found[key] = worst
		c.rowCache.mu.Unlock()
	}
	if worst < auditrules.Block && (mode != policy.AuditReview || worst < auditrules.Review) {
		return nil
	}
	doc, err := c.Document(ctx, d)
	if err != nil {
		return err
	}
	_, err = c.Gate(ctx, d, &doc)
	return err
}

// rowSeverity returns the severity of the worst finding in the text of a listing row.
func rowSeverity(key rowKey, o audit.Options) auditrules.Severity {
	// Marshaling strings cannot fail.
	head, _ := json.Marshal(map[string]string{"name": key.name, "title": key.title, "description": key.text})
	data := []byte("---\n" + string(head) + "\n---\n")
	r := audit.Run(&signal.Package{Name: key.name, Kind: key.kind, Layer: key.layer,
		Files: []*signal.File{{Path: SkillFileName, Raw: data, Size: int64(len(data))}}}, o)
	return r.Verdict
}

// UnlistedDiagnostic returns the diagnostic for a row that a listing omits.
func UnlistedDiagnostic(d *definition.Definition, err error) diag.Diagnostic {
	var e *definition.Error
	if errors.As(err, &e) && e.Code == diag.AuditBlocked {
		return diag.For(d.Origin.Path, diag.AuditBlocked, "not listed: %s", FindingSummary(e.Findings)).WithFix("%s", e.Fix)
	}
	return diag.For(d.Origin.Path, diag.FileUnreadable, "not listed: %v", vfs.WithoutPath(err))
}
