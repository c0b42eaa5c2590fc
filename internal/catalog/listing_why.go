package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/vfs"
)

func (w *lister) skip(d *definition.Definition, reason string) {
	w.out.Skipped = append(w.out.Skipped, Skipped{d.Kind, d.Name, d.Origin.Path, reason})
}

// skipInactive records why a definition is not active in this view. It ignores shadowed
// definitions, additional paths to the same file, and definitions that come with Vade.
func (w *lister) skipInactive(d *definition.Definition) {
	if d.State == definition.Shadowed || d.ReasonCode == diag.SameFile || w.c.ComesWithVade(d) {
		// Some bundled definitions are off by default and are not worth reporting.
		return
	}
	reason := d.Reason
	if d.ReasonCode == diag.SwitchedOff {
		if word := w.override(d); word == host.OverrideOff {
			reason = w.setTo(d, word)
		} else if key := w.key(host.SettingPluginOnly); key != "" {
			reason += " (" + key + ")"
		}
	}
	w.skip(d, reason)
	for _, x := range d.Diagnostics {
		if x.Severity > diag.Info {
			w.report(x)
		}
	}
}

// whyUnlisted explains why the host does not list an active skill or command. It returns "" if the
// host lists the definition. active reports whether the definition is available in the session.
func (w *lister) whyUnlisted(d *definition.Definition, active bool) string {
	if w.c.Profile.Listing == nil {
		return ""
	}
	if d.Kind == definition.Command && !w.table.Commands {
		return "the host does not list commands; users invoke them by name"
	}
	if first := w.table.SkillsFirst; d.Kind == definition.Command && first != nil {
		if s := w.all.Get(definition.Skill, d.Name); slices.Contains(first, d.Name) || s != nil && !s.Fields.DisableModelInvocation {
			return "a skill has the same name; rename the command"
		}
	}
	if d.Fields.DisableModelInvocation && !w.table.Manual {
		if word := w.override(d); word == host.OverrideUserOnly {
			return "only users can invoke it: " + w.setTo(d, word)
		}
		return "only users can invoke it; to list it, remove disable-model-invocation from its frontmatter"
	}
	if w.undescribed(d) {
		return "the host lists a plugin's definition only if its frontmatter has a description or when_to_use; add one"
	}
	if w.table.NeedsDescription && d.Description == "" && !d.Fields.BlankDescription() {
		return "it has no description; add one"
	}
	if why := cmp.Or(w.hiddenByPolicy(d), w.deniedTool("", w.table.SkillTool)); why != "" {
		return why
	}
	if why := w.whyNestedUnlisted(d); why != "" || active {
		return why
	}
	return w.activationHint(d)
}

// undescribed reports whether the host omits a plugin's definition because its frontmatter has
// neither a description nor when_to_use.
func (w *lister) undescribed(d *definition.Definition) bool {
	return w.table.PluginsNeedOne && d.Origin.Plugin != "" && d.Fields.Description == "" && d.Fields.WhenToUse() == ""
}

// hiddenByPolicy explains how a file next to a skill hides the skill from the model. It returns ""
// if the skill is not hidden. An unreadable file hides nothing (see
// codex-rs/core-skills/src/loader.rs in Codex's source).
func (w *lister) hiddenByPolicy(d *definition.Definition) string {
	t := w.table.Policy
	if t == nil || d.Kind != definition.Skill || d.Origin.Real == "" || d.Fields.Inline() != "" {
		return ""
	}
	data, err := w.c.Full.Read(path.Join(path.Dir(d.Origin.Real), t.File), maxPolicyFile)
	if err != nil {
		return ""
	}
	if !listing.PolicyHides(t, data) {
		return ""
	}
	return "only users can invoke it: " + strings.Join(t.Keys, ".") + " is false in its " + t.File
}

// maxPolicyFile is the maximum size of a file that can hide a skill.
const maxPolicyFile = 64 << 10

// agentHidden explains why the host does not list an active agent, or returns "".
func (w *lister) agentHidden(d *definition.Definition) string {
	if w.table.AgentHidden == nil {
		return w.deniedTool(d.Name, w.table.AgentTools...)
	}
	return w.table.AgentHidden(d, func(key string) string { return w.c.FieldText(w.ctx, d, key) })
}

// deniedTool names the permission rule that denies one of the tools. If name is not "", a rule that
// denies the tool only for that name also counts. deniedTool returns "" if there is no such rule.
func (w *lister) deniedTool(name string, tools ...string) string {
	for _, tool := range tools {
		for _, rule := range w.settings.Deny {
			rest, ok := strings.CutPrefix(rule, tool)
			if tool != "" && ok && (rest == "" || rest == "(*)" || name != "" && rest == "("+name+")") {
				return "hidden by the rule " + rule + " in " + w.key(host.SettingDeny) + " in the settings; remove the rule to list it"
			}
		}
	}
	return ""
}

// whyNestedUnlisted explains why a definition below the working directory is never listed, no
// matter which files the session touches. It returns "" if the definition can be listed.
func (w *lister) whyNestedUnlisted(d *definition.Definition) string {
	if d.Origin.Nested == "" || w.c.Profile.Listing == nil || w.c.Profile.Roots[d.Origin.Row].Touched {
		return ""
	}
	return "the host does not read " + d.Kind.String() + "s in " + d.Origin.Root + "; move it to " + w.c.Profile.Roots[d.Origin.Row].Dir + " in the project root"
}

// maxPatterns is the maximum number of patterns listed in a reason.
const maxPatterns = 5

// activationHint names the files that would make a definition available.
func (w *lister) activationHint(d *definition.Definition) string {
	if dir := d.Origin.Nested; dir != "" {
		if _, ok := w.c.firstTouched(func(file string) bool { return strings.HasPrefix(w.c.fromTop(file), dir+"/") }); !ok {
			rel, ok := strings.CutPrefix(dir, w.c.fromTop(""))
			if !ok {
				return "it is outside the working directory; to list it, change to " + dir
			}
			return "available once a file in " + dir + " is touched; try vade listing --touched " + rel + "/FILE"
		}
	}
	paths, more := w.c.SourcePatterns(w.ctx, d), ""
	if len(paths) == 0 {
		paths = d.Fields.Paths()
	}
	if n := len(paths) - maxPatterns; n > 0 {
		paths, more = paths[:maxPatterns], fmt.Sprintf(" or %d more", n)
	}
	return "available once a file matching " + strings.Join(paths, " or ") + more + " is touched; try vade listing --touched FILE"
}

// cutReason returns the [Cut] for a description that was shortened or dropped.
func (w *lister) cutReason(x listing.Cut) Cut {
	d := x.Definition
	reason := ""
	switch x.Why {
	case listing.CutDropped:
		reason = CutDropped
	case listing.CutShortened:
		reason = CutShortened
	case listing.CutOmitted:
		reason = CutOmitted
	case listing.CutLong:
		reason = "the description is longer than the limit of " + Thousands(x.Most) + " characters"
	case listing.CutNameOnly:
		reason = w.setTo(d, host.OverrideNameOnly)
	}
	return Cut{d.Name, d.Origin.Path, reason}
}

// Thousands formats a number of at most six digits with a thousands separator.
func Thousands(n int) string {
	if n < 1000 || n >= 1_000_000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// override returns the override for a skill or command in the settings, or "". Settings cannot
// override a plugin's definitions.
func (w *lister) override(d *definition.Definition) string {
	if d.Origin.Plugin != "" || d.Kind == definition.Agent {
		return ""
	}
	return w.settings.Overrides[d.Name]
}

// setTo describes the setting that overrides a skill or command.
func (w *lister) setTo(d *definition.Definition, word string) string {
	return fmt.Sprintf("%s in the settings sets %q to %q; remove it to list the definition normally", w.key(host.SettingOverrides), d.Name, word)
}

// key returns a setting's name in the host's settings file.
func (w *lister) key(of host.Setting) string { return w.c.Profile.Settings.Key(of) }

// checkTouched adds diagnostics for touched files that cannot activate a definition and for paths
// that are probably misspelled.
func (w *lister) checkTouched() {
	for _, file := range w.c.Env.Client.Touched {
		if x := w.c.touchedProblem(file); x != nil {
			x.Severity = diag.Info
			w.report(*x)
		}
	}
}

// touchedProblem returns a diagnostic if there is a problem with a touched file, and nil otherwise.
func (c *Catalog) touchedProblem(file string) *diag.Diagnostic {
	rel, ok := c.Quick.Below(file)
	var x diag.Diagnostic
	switch {
	case !ok:
		x = diag.For(file, diag.FileOutsideRoot, "the touched file is outside the working directory and does not activate any definitions").
			WithFix("specify a file in the working directory")
	case c.Quick.Project == nil:
		return nil
	default:
		typ, err := c.Quick.Project.Lstat(c.fromTop(rel))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x = diag.For(file, diag.FileNotFound, "the touched file does not exist; Vade treats it as touched anyway").WithFix("check the spelling of the path")
		case err == nil && typ == vfs.Dir:
			x = diag.For(file, diag.FileDirectory, "the path given as touched is a directory, but Vade treats it as a file").WithFix("specify a file in the directory")
		default:
			return nil
		}
	}
	return &x
}
