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
)

// Speakable reports whether a model may read the name and the description of a
// definition in a list: they come to it before anything is loaded. Where the audit finds
// something in these words that the policy does not let pass, the error is that of
// loading it, an *[Error] of the code AUDIT_BLOCKED.
func (d Definition) AuditListing(ctx context.Context) error { return d.c.AuditListing(ctx, d.d) }

// rowMemory are the rows that a catalog has judged already.
type rowCache struct {
	mu    sync.Mutex
	found map[rowKey]auditrules.Severity
}

// rowKey is all that a row says.
type rowKey struct {
	layer             definition.Layer
	kind              definition.Kind
	name, title, text string
}

// Speakable judges the words of a row alone, which costs little. Only where there is
// something in them the whole is judged, as loading does it: there it may be suppressed,
// or consented to.
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

// rowSeverity is the worst that is found in the words of a row.
func rowSeverity(key rowKey, o audit.Options) auditrules.Severity {
	// Strings: this can not fail.
	head, _ := json.Marshal(map[string]string{"name": key.name, "title": key.title, "description": key.text})
	data := []byte("---\n" + string(head) + "\n---\n")
	r := audit.Run(&signal.Package{Name: key.name, Kind: key.kind, Layer: key.layer, Files: []*signal.File{{Path: SkillFileName, Raw: data, Size: int64(len(data))}}}, o)
	return r.Verdict
}

// Unspoken is the diagnostic for a row that is left out.
func UnlistedDiagnostic(d *definition.Definition, err error) diag.Diagnostic {
	var e *definition.Error
	if errors.As(err, &e) && e.Code == diag.AuditBlocked {
		return diag.For(d.Origin.Path, diag.AuditBlocked, "it is not listed: %s", FindingSummary(e.Findings)).WithFix("%s", e.Fix)
	}
	return diag.For(d.Origin.Path, diag.FileUnreadable, "it is not listed: %v", pathErrorCause(err))
}
