package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/vfs"
)

// Definition is a definition in a catalog, without its body. It is valid while the catalog is
// open.
type Definition struct {
	c *Catalog
	d *definition.Definition
}

// Handle returns a Definition for a record in the catalog.
func (c *Catalog) Handle(d *definition.Definition) Definition { return Definition{c, d} }

// Record returns the definition's data.
func (d Definition) Record() *definition.Definition { return d.d }

// Catalog returns the catalog that the definition belongs to.
func (d Definition) Catalog() *Catalog { return d.c }

// Kind returns the definition's kind.
func (d Definition) Kind() definition.Kind { return d.d.Kind }

// Name returns the name that the definition is loaded by.
func (d Definition) Name() string { return d.d.Name }

// Aliases returns other names that load the definition.
func (d Definition) Aliases() []string { return d.d.Aliases }

// Title returns the name as the author wrote it.
func (d Definition) Title() string { return d.d.Title }

// Description returns the description, or the view's substitute if the file has none.
func (d Definition) Description() string { return d.d.Description }

// Layer returns the layer that the definition comes from.
func (d Definition) Layer() definition.Layer { return d.d.Origin.Layer }

// Path returns the file's path: relative to the project, with forward slashes,
// if the file is in the project, and absolute otherwise.
func (d Definition) Path() string { return d.d.Origin.Path }

// Plugin returns the plugin that the definition belongs to, or "".
func (d Definition) Plugin() string { return d.d.Origin.Plugin }

// Legacy reports whether the file is in a directory that its host supports only for backward
// compatibility, such as .claude/commands.
func (d Definition) Legacy() bool { return d.d.Origin.Legacy }

// Size returns the file size in bytes. Tokens estimates the token count of the whole file.
// ListingTokens estimates the token count of the definition's name, description and when_to_use.
func (d Definition) Size() int64        { return d.d.Size }
func (d Definition) Tokens() int        { return int(d.d.Tokens) }
func (d Definition) ListingTokens() int { return int(d.d.ListingTokens) }

// State returns the definition's state, which shows whether it is active and, if not, why.
func (d Definition) State() definition.State { return d.d.State }

// Reason explains why the definition is not active. It is "" for active definitions.
func (d Definition) Reason() string { return d.d.Reason }

// ShadowedBy returns the definition that is active instead, if any.
func (d Definition) ShadowedBy() (Definition, bool) {
	return Definition{d.c, d.d.ReplacedBy}, d.d.ReplacedBy != nil && d.d.State == definition.Shadowed
}

// Diagnostics returns the problems in the file. They include warnings about content that the host
// ignores.
func (d Definition) Diagnostics() []diag.Diagnostic { return d.d.Diagnostics }

// UserInvocable reports whether a user may invoke the definition by name.
func (d Definition) UserInvocable() bool {
	return d.d.Fields.UserInvocable == nil || *d.d.Fields.UserInvocable
}

// ModelInvocable reports whether a model may invoke the definition by name.
func (d Definition) ModelInvocable() bool { return !d.d.Fields.DisableModelInvocation }

// Paths returns the file patterns that make the definition available, in .gitignore syntax or the
// syntax of the view's host. A definition without patterns is always available.
func (d Definition) Paths() []string { return d.d.Fields.Paths() }

// Active reports whether touching the file, whose path is relative to the project, makes the
// definition available.
func (d Definition) Active(file string) bool {
	if len(d.d.Fields.Paths()) == 0 {
		return true
	}
	form := d.c.Profile.Patterns
	m, _ := form.Compile(d.d.Fields.Paths())
	if m == nil {
		return true
	}
	return m.MatchUnder(form.Subject(file, Absolute(d.c.Quick.Project, file)), false)
}

// Body returns the text after the frontmatter, as written in the file.
func (d Definition) Body(ctx context.Context) (string, error) {
	doc, err := d.c.Document(ctx, d.d)
	return doc.Body, err
}

// AppendFingerprint appends a fingerprint of the file to b, for use in caches. It returns false if
// no fingerprint can prove that the file is unchanged.
func (d Definition) AppendFingerprint(b []byte) ([]byte, bool) {
	now := time.Now()
	f, err := d.c.Quick.Fingerprint(d.d.Origin.Real)
	if d.d.Origin.Plugin != "" {
		if plan, planErr := d.c.Plan(context.Background()); planErr == nil {
			f, err = plan.Fingerprint(d.d.Origin.Real)
		}
	}
	return f.Append(b), err == nil && f.Unchanged(f, now)
}

// Frontmatter returns the file's frontmatter fields.
func (d Definition) Frontmatter(ctx context.Context) (definition.Frontmatter, error) {
	doc, err := d.c.Document(ctx, d.d)
	return FrontmatterOf(doc.Entries), err
}

// Document rereads and parses a definition's file.
func (c *Catalog) Document(ctx context.Context, d *definition.Definition) (parse.Document, error) {
	if err := ctx.Err(); err != nil {
		return parse.Document{}, err
	}
	if d.Origin.Layer == definition.MCP {
		return c.remoteDocument(ctx, d)
	}
	if d.Origin.Outside {
		return parse.Document{}, c.outsideError(d)
	}
	if d.Format == definition.Package {
		return parse.File(d, nil, c.Profile), nil
	}
	plan := c.Quick
	if d.Origin.Plugin != "" {
		var err error
		if plan, err = c.Plan(ctx); err != nil {
			return parse.Document{}, err
		}
	}
	data, err := plan.Read(d.Origin.Real, c.Profile.MaxFile)
	if err != nil {
		return parse.Document{}, fmt.Errorf("vade: %s: %w", d.Origin.Path, vfs.WithoutPath(err))
	}
	return parse.File(d, data, c.Profile), nil
}

// FrontmatterOf returns a Frontmatter with the given entries and their JSON encoding.
func FrontmatterOf(entries []definition.Entry) definition.Frontmatter {
	return definition.Frontmatter{Entries: entries, JSON: parse.FieldsJSON(entries)}
}

// MarshalJSON encodes the definition as [Overview.WriteJSON] does.
func (d Definition) MarshalJSON() ([]byte, error) {
	if d.d == nil {
		return []byte("null"), nil
	}
	return terminal.EscapeJSON(AppendDefinition(nil, d.d, true)), nil
}

// Absolute converts a display path to an absolute path.
func Absolute(project *vfs.Tree, shown string) string {
	if project == nil || vfs.IsAbs(shown) || !fs.ValidPath(shown) {
		return shown
	}
	return project.RealPath(shown)
}

// SourcePatterns returns a file's patterns as written. The patterns in a
// definition's fields are normalized for matching.
func (c *Catalog) SourcePatterns(ctx context.Context, d *definition.Definition) []string {
	doc, err := c.Document(ctx, d)
	if err != nil {
		return nil
	}
	var list []string
	for i := range doc.Entries {
		e := &doc.Entries[i]
		f := definition.LookupField(e.Key)
		if f != definition.FieldPaths && f != definition.FieldGlobs && f != definition.FieldApplyTo {
			continue
		}
		if accepts := c.Profile.Accepts; accepts != nil && !accepts(d.Kind, f, e.Key) {
			continue
		}
		for _, entry := range parse.Globs(c.Profile, d.Kind, e.Value) {
			for _, p := range pathmatch.Split(entry) {
				if p = strings.TrimSpace(p); p != "" {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// FieldText returns a frontmatter field as text, or "".
func (c *Catalog) FieldText(ctx context.Context, d *definition.Definition, key string) string {
	doc, err := c.Document(ctx, d)
	if err != nil {
		return ""
	}
	for i := range doc.Entries {
		if doc.Entries[i].Key == key {
			return definition.Flat(&doc.Entries[i].Value)
		}
	}
	return ""
}
