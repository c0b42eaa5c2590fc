package catalog

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/pathmatch"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/vfs"
)

// ComesWithVade reports whether the definition is one of Vade's own. What a project
// ships as its defaults is of the bundled layer too, and is not.
func (d Definition) ComesWithVade() bool { return d.c.ComesWithVade(d.d) }

func (c *Catalog) ComesWithVade(d *definition.Definition) bool {
	return d.Origin.Layer == definition.Bundled && int(d.Origin.Row) == len(c.Profile.Roots) && d.Kind == definition.Skill
}

// OwnLast groups definitions for a list: those that come with Vade stand behind all
// others, so that they are the first for which there is no room.
func (c *Catalog) BundledLast(d *definition.Definition) int {
	if c.ComesWithVade(d) {
		return 1
	}
	return 0
}

// FolderOf is the folder of a definition that comes with Vade.
func BundledFolder(d *definition.Definition) string { return path.Base(path.Dir(d.Origin.Real)) }

// Computed returns what computes the text of a definition, nil for all but a few.
func (c *Catalog) ComputedBody(d *definition.Definition) func(string) string {
	if !c.ComesWithVade(d) {
		return nil
	}
	return bundled.Body(BundledFolder(d))
}

// registered completes the definitions that come with Vade among those that were
// found: fields that stand in their metadata, and the state of those that are not in
// force, because of their condition, the policy or the project's file. A name that is
// switched off is not taken.
func (c *Catalog) completeBundled(found []*definition.Definition) {
	var reader *bundled.KeyReader
	for _, d := range found {
		if !c.ComesWithVade(d) {
			continue
		}
		if reader == nil {
			reader = &bundled.KeyReader{}
		}
		keys := reader.Keys(c.Env.Bundled, BundledFolder(d))
		for _, k := range keys {
			setField(d, k)
		}
		if d.State != definition.Loaded {
			continue
		}
		if why := c.disabledReason(d.Name, bundled.When(keys)); why != "" {
			d.State, d.ReasonCode, d.Reason = definition.Disabled, diag.SwitchedOff, why
		}
	}
}

// setField sets a field that the metadata states, unless the frontmatter does.
func setField(d *definition.Definition, k bundled.Key) {
	f := &d.Fields
	field := definition.LookupField(k.Name)
	switch field {
	case 0, definition.FieldName, definition.FieldTitle, definition.FieldDescription:
		return
	case definition.FieldUserInvocable:
		if f.UserInvocable == nil && (k.Value == "true" || k.Value == "false") {
			on := k.Value == "true"
			f.UserInvocable = &on
		}
		return
	case definition.FieldDisableModelInvocation:
		f.DisableModelInvocation = f.DisableModelInvocation || k.Value == "true"
		return
	}
	if f.List(field) != nil {
		return
	}
	switch field.Shape() {
	case definition.Text, definition.Hint, definition.Any:
		f.SetText(field, k.Value)
	case definition.Words:
		f.SetList(field, strings.FieldsFunc(k.Value, func(r rune) bool { return strings.ContainsRune(" ,[]", r) }))
	}
	if field == definition.FieldWhenToUse {
		d.ListingTokens += int32(tokens.Estimate(k.Value))
	}
}

// switchedOff says why a definition that comes with Vade is not in force, and what
// switches it on; "" where it is.
func (c *Catalog) disabledReason(name string, when bundled.Condition) string {
	p, _ := c.EffectivePolicy()
	has := func(list []policy.Value) *policy.Value {
		if i := slices.IndexFunc(list, func(v policy.Value) bool { return pathmatch.Star(v.Text, name) }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	if file := p.From("bundled").File; slices.Contains(p.Bundled.Unclear, file) {
		return fmt.Sprintf("a policy file can not be understood, and may switch it off: %s; see: vade policy show", c.displayPath(file))
	}
	if p.Bundled.Off {
		return fmt.Sprintf("the policy switches all of these off: %s", p.From("bundled"))
	}
	if v := has(p.Bundled.Disable); v != nil {
		return fmt.Sprintf("the policy switches it off: %s", v.Origin)
	}
	if why := c.Project.Without(name); why != "" {
		return why
	}
	met, why := when.Met(machine{c})
	if met || has(p.Bundled.Enable) != nil {
		return ""
	}
	return why + "; " + c.enableHint(p, name)
}

// switchOn says how the user switches one on, so that doing it leaves the rest of the
// policy file in force.
func (c *Catalog) enableHint(p *policy.Policy, name string) string {
	if !p.UserGrants {
		return fmt.Sprintf("only an administrator can switch it on: %s", p.From("allow-user-grants"))
	}
	dir := c.userDir("XDG_CONFIG_HOME", ".config")
	if dir == "" || c.Env.Only {
		return fmt.Sprintf("to switch it on, write bundled: {enable: [%s]} in your policy file", name)
	}
	file := path.Join(dir, policyName)
	form := "to switch it on, write bundled: {enable: [%s]} in %s"
	if slices.Contains(p.Bundled.Listed, file) {
		form = "to switch it on, add %s to enable below bundled in %s"
	} else if slices.Contains(p.Bundled.Stated, file) {
		form = "to switch it on, make bundled {enable: [%s]} in %s"
	}
	return fmt.Sprintf(form, name, c.displayPath(file))
}

// bundledDiagnostics is what is wrong with the policy files because of which nothing
// that comes with Vade is in force.
func (c *Catalog) bundledDiagnostics() []diag.Diagnostic {
	if c.Env.Bundled == nil || !c.Profile.Bundled {
		return nil
	}
	p, diags := c.EffectivePolicy()
	var list []diag.Diagnostic
	for _, d := range diags {
		if slices.Contains(p.Bundled.Unclear, d.File) && d.Severity == diag.Error {
			list = append(list, d)
		}
	}
	return list
}

// forPeople writes a path with "~" where it is below the home directory.
func (c *Catalog) displayPath(file string) string {
	if rest, ok := strings.CutPrefix(file, c.Env.Home+"/"); ok && c.Env.Home != "" {
		return "~/" + rest
	}
	return file
}

// unknownBundled reports names in the policy that nothing that comes with Vade has.
func (c *Catalog) unknownBundled(p *policy.Policy) []diag.Diagnostic {
	values := slices.Concat(p.Bundled.Enable, p.Bundled.Disable)
	if len(values) == 0 || c.Env.Bundled == nil {
		return nil
	}
	names := bundled.Names(c.Env.Bundled)
	var list []diag.Diagnostic
	for _, v := range values {
		if slices.ContainsFunc(names, func(n string) bool { return pathmatch.Star(v.Text, n) }) {
			continue
		}
		d := diag.For(v.Origin.File, diag.PolicyNoEffect, "nothing that comes with Vade is named %q", v.Text)
		d.Line, d.Column = v.Origin.Line, 1
		fix := "see what there is with: vade list --all --layer bundled"
		if near := resolve.Nearest(v.Text, names); len(near) > 0 {
			fix = "did you mean " + strings.Join(near, " or ") + "?"
		}
		list = append(list, d.WithFix("%s", fix))
	}
	return list
}

// machine answers what conditions ask. Nothing is opened and nothing is run; a catalog
// that looks at nothing of the machine's knows nothing of it.
type machine struct{ c *Catalog }

// Program implements [bundled.Facts]: a file that can be run is in a directory of PATH.
func (m machine) Program(name string) bool {
	if m.c.Env.Only || strings.ContainsAny(name, `/\`) {
		return false
	}
	extensions := []string{""}
	if m.c.Env.GOOS == "windows" {
		extensions = []string{".exe", ".cmd", ".bat", ".com"}
	}
	for _, dir := range filepath.SplitList(m.c.Options.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, extension := range extensions {
			info, err := os.Stat(filepath.Join(dir, name+extension))
			if err == nil && info.Mode().IsRegular() && (!vfs.HasExecBits() || info.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}

// Exists implements [bundled.Facts].
func (m machine) Exists(name string) bool {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && m.c.Env.Home != "" && fs.ValidPath(rest) {
		name = path.Join(m.c.Env.Home, rest)
	}
	if m.c.Env.Only || !vfs.IsAbs(name) {
		return false
	}
	_, err := os.Stat(filepath.FromSlash(name))
	return err == nil
}

// Variable implements [bundled.Facts].
func (m machine) Variable(name string) bool { return !m.c.Env.Only && m.c.Options.Getenv(name) != "" }
