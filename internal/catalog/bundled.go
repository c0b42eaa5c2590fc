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
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/vfs"
)

// ComesWithVade reports whether the definition is bundled with Vade. A project's own defaults are
// also in the bundled layer, but ComesWithVade returns false for them.
func (d Definition) ComesWithVade() bool { return d.c.ComesWithVade(d.d) }

func (c *Catalog) ComesWithVade(d *definition.Definition) bool {
	return d.Origin.Layer == definition.Bundled && int(d.Origin.Row) == len(c.Profile.Roots) && d.Kind == definition.Skill
}

// BundledLast returns a sort key that puts the definitions that come with Vade after all others, so
// they are the first to be cut when space runs out.
func (c *Catalog) BundledLast(d *definition.Definition) int {
	if c.ComesWithVade(d) {
		return 1
	}
	return 0
}

// BundledFolder returns the name of a bundled definition's directory.
func BundledFolder(d *definition.Definition) string { return path.Base(path.Dir(d.Origin.Real)) }

// ComputedBody returns the function that computes a definition's text. It returns nil for all but
// a few bundled definitions.
func (c *Catalog) ComputedBody(d *definition.Definition) func(string) string {
	if !c.ComesWithVade(d) {
		return nil
	}
	return bundled.Body(c.Env.Bundled, BundledFolder(d))
}

// completeBundled sets the fields of bundled definitions from their metadata. It disables a
// definition if its condition is not met, or if the policy or vade.yaml turns it off. A disabled
// definition does not shadow other definitions.
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

// setField sets a field to the value in the metadata unless the frontmatter already sets it.
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

// disabledReason explains why a bundled definition is off and how to enable it. It returns "" if
// the definition is on.
func (c *Catalog) disabledReason(name string, condition bundled.Condition) string {
	p, _ := c.EffectivePolicy()
	has := func(list []policy.Value) *policy.Value {
		if i := slices.IndexFunc(list, func(v policy.Value) bool { return pathmatch.Star(v.Text, name) }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	if file := p.From("bundled").File; slices.Contains(p.Bundled.Invalid, file) {
		return fmt.Sprintf("%s is invalid and might disable this definition; to see the errors, run: vade policy show", c.displayPath(file))
	}
	if p.Bundled.Off {
		return fmt.Sprintf("the policy disables all bundled definitions: %s", p.From("bundled"))
	}
	if v := has(p.Bundled.Disable); v != nil {
		return fmt.Sprintf("disabled by the policy: %s", v.Origin)
	}
	if why := c.Project.Without(name); why != "" {
		return why
	}
	met, why := condition.Met(machine{c})
	if met || has(p.Bundled.Enable) != nil {
		return ""
	}
	return why + "; " + c.enableHint(p, name)
}

// enableHint returns instructions for enabling a bundled definition without changing anything else
// in the policy file.
func (c *Catalog) enableHint(p *policy.Policy, name string) string {
	if !p.UserGrants {
		return fmt.Sprintf("only an administrator can enable it: %s", p.From("allow-user-grants"))
	}
	dir := c.userDir("XDG_CONFIG_HOME", ".config")
	if dir == "" || c.Env.Only {
		return fmt.Sprintf("to enable it, set bundled: {enable: [%s]} in your policy file", name)
	}
	file := path.Join(dir, policyName)
	form := "to enable it, set bundled: {enable: [%s]} in %s"
	if slices.Contains(p.Bundled.Listed, file) {
		form = "to enable it, add %s to bundled.enable in %s"
	} else if slices.Contains(p.Bundled.Stated, file) {
		form = "to enable it, change bundled to {enable: [%s]} in %s"
	}
	return fmt.Sprintf(form, name, c.displayPath(file))
}

// bundledDiagnostics returns the errors in policy files that cause bundled definitions to be
// disabled.
func (c *Catalog) bundledDiagnostics() []diag.Diagnostic {
	if c.Env.Bundled == nil || !c.Profile.Bundled {
		return nil
	}
	p, diags := c.EffectivePolicy()
	var list []diag.Diagnostic
	for _, d := range diags {
		if slices.Contains(p.Bundled.Invalid, d.File) && d.Severity == diag.Error {
			list = append(list, d)
		}
	}
	return list
}

// displayPath abbreviates the home directory to "~".
func (c *Catalog) displayPath(file string) string {
	if rest, ok := strings.CutPrefix(file, c.Env.Home+"/"); ok && c.Env.Home != "" {
		return "~/" + rest
	}
	return file
}

// unknownBundled reports policy entries that match no bundled definition.
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
		d := diag.For(v.Origin.File, diag.PolicyNoEffect, "no bundled definition matches %q", v.Text)
		d.Line, d.Column = v.Origin.Line, 1
		list = append(list, d.WithFix("%s", DidYouMean(v.Text, names, "to list bundled definitions, run: vade list --all --layer bundled")))
	}
	return list
}

// machine provides the facts that the conditions of bundled definitions test. It does not open
// files or run programs. If the catalog is isolated from the machine, every fact is false.
type machine struct{ c *Catalog }

// Program implements [bundled.Facts]. It reports whether PATH contains an executable with the given
// name.
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
