package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/vfs"
)

// Definition is one definition of a catalog: what is known without reading its
// body. It is valid as long as the catalog is open.
type Definition struct {
	c *Catalog
	d *definition.Definition
}

// Handle returns a record of the catalog with the methods that read more of it.
func (c *Catalog) Handle(d *definition.Definition) Definition { return Definition{c, d} }

// Record returns the definition as data.
func (d Definition) Record() *definition.Definition { return d.d }

// Catalog returns the catalog that it is from.
func (d Definition) Catalog() *Catalog { return d.c }

// Kind says what the definition is for.
func (d Definition) Kind() definition.Kind { return d.d.Kind }

// Name is the name that it is loaded by.
func (d Definition) Name() string { return d.d.Name }

// Aliases are further names that it answers to.
func (d Definition) Aliases() []string { return d.d.Aliases }

// Title is the name as its author wrote it.
func (d Definition) Title() string { return d.d.Title }

// Description is the description, or what the view takes for a missing one.
func (d Definition) Description() string { return d.d.Description }

// Layer says where it comes from.
func (d Definition) Layer() definition.Layer { return d.d.Origin.Layer }

// Path is the file: relative to the project, with forward slashes, where it is
// inside it; else absolute.
func (d Definition) Path() string { return d.d.Origin.Path }

// Plugin is the plugin that it belongs to, or "".
func (d Definition) Plugin() string { return d.d.Origin.Plugin }

// Legacy reports whether it stands in a host's older directory, such as
// .claude/commands.
func (d Definition) Legacy() bool { return d.d.Origin.Legacy }

// Size is the length of its file in bytes. Tokens estimates what the file costs
// a model, ListingTokens what its name, description and when_to_use do.
func (d Definition) Size() int64        { return d.d.Size }
func (d Definition) Tokens() int        { return int(d.d.Tokens) }
func (d Definition) ListingTokens() int { return int(d.d.ListingTokens) }

// State says whether it is in force.
func (d Definition) State() definition.State { return d.d.State }

// Reason says why it is not in force, or "".
func (d Definition) Reason() string { return d.d.Reason }

// ShadowedBy returns the definition that is in force in its place, if there is
// one.
func (d Definition) ShadowedBy() (Definition, bool) {
	return Definition{d.c, d.d.ReplacedBy}, d.d.ReplacedBy != nil && d.d.State == definition.Shadowed
}

// Diagnostics are what is wrong with the file, or ignored in it.
func (d Definition) Diagnostics() []diag.Diagnostic { return d.d.Diagnostics }

// UserInvocable and ModelInvocable report whether a user, and whether a model,
// may call for it by its name.
func (d Definition) UserInvocable() bool {
	return d.d.Fields.UserInvocable == nil || *d.d.Fields.UserInvocable
}

// ModelInvocable is explained at UserInvocable.
func (d Definition) ModelInvocable() bool { return !d.d.Fields.DisableModelInvocation }

// Paths are the patterns of the files that make the definition available, in the
// manner of .gitignore or in that of the view's host. Without any it always is.
func (d Definition) Paths() []string { return d.d.Fields.Paths() }

// Active reports whether touching a file, by its path in the project, makes the
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

// Body reads the text behind the frontmatter, as it stands in the file.
func (d Definition) Body(ctx context.Context) (string, error) {
	doc, err := d.c.Document(ctx, d.d)
	return doc.Body, err
}

// Frontmatter reads the fields of the file.
func (d Definition) Frontmatter(ctx context.Context) (definition.Frontmatter, error) {
	doc, err := d.c.Document(ctx, d.d)
	return FrontmatterOf(doc.Entries), err
}

// Document reads the file of a definition again.
func (c *Catalog) Document(ctx context.Context, d *definition.Definition) (parse.Document, error) {
	if err := ctx.Err(); err != nil {
		return parse.Document{}, err
	}
	if d.Origin.Layer == definition.MCP {
		return c.remoteDocument(ctx, d)
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
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return parse.Document{}, fmt.Errorf("vade: %s: %w", d.Origin.Path, err)
	}
	return parse.File(d, data, c.Profile), nil
}

// FrontmatterOf returns fields with their JSON.
func FrontmatterOf(entries []definition.Entry) definition.Frontmatter {
	return definition.Frontmatter{Entries: entries, JSON: parse.FieldsJSON(entries)}
}

// MarshalJSON writes what [Overview.WriteJSON] writes of each definition.
func (d Definition) MarshalJSON() ([]byte, error) {
	if d.d == nil {
		return []byte("null"), nil
	}
	return terminal.EscapeJSON(AppendDefinition(nil, d.d, true)), nil
}

// Absolute returns the absolute path of what is shown.
func Absolute(project *vfs.Tree, shown string) string {
	if project == nil || vfs.IsAbs(shown) || !fs.ValidPath(shown) {
		return shown
	}
	return project.RealPath(shown)
}

// WrittenPatterns returns the patterns of a file as they are written: those in
// its fields have another form, which is the one that is compared.
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

// FieldText returns a field of a file as text, or "".
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
