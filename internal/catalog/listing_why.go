package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/listing"
	"github.com/vadehq/vade/internal/vfs"
)

// skip notes that a definition is not listed.
func (w *lister) skip(d *definition.Definition, reason string) {
	w.out.Skipped = append(w.out.Skipped, Skipped{d.Kind, d.Name, d.Origin.Path, reason})
}

// notInForce notes a definition that the view does not use, but for what others
// stand in for: those of its name, or the same file under another path.
func (w *lister) skipInactive(d *definition.Definition) {
	if d.State == definition.Shadowed || d.ReasonCode == diag.SameFile || w.c.ComesWithVade(d) {
		// What comes with Vade and waits to be switched on is nobody's loss.
		return
	}
	reason := d.Reason
	if d.ReasonCode == diag.SwitchedOff {
		if word := w.override(d); word == host.OverrideOff {
			reason = w.setTo(d, word)
		} else if key := w.key(host.SettingPluginOnly); key != "" {
			reason += "; " + key + " there says so"
		}
	}
	w.skip(d, reason)
	for _, x := range d.Diagnostics {
		if x.Severity > diag.Info {
			w.report(x)
		}
	}
}

// unlisted says why the host does not list a skill or command that it uses, or
// "". active: it is available.
func (w *lister) whyUnlisted(d *definition.Definition, active bool) string {
	if w.c.Profile.Listing == nil {
		return ""
	}
	if d.Kind == definition.Command && !w.table.Commands {
		return "the host lists no commands: a user calls it by its name"
	}
	if d.Fields.DisableModelInvocation && !w.table.Manual {
		if word := w.override(d); word == host.OverrideUserOnly {
			return "only a user can call it: " + w.setTo(d, word)
		}
		return "only a user can call it: take disable-model-invocation out of its frontmatter to list it"
	}
	if w.table.NeedsDescription && d.Description == "" {
		return "it has no description: give it one"
	}
	if why := w.hiddenByPolicy(d); why != "" {
		return why
	}
	if why := w.whyNotBelow(d); why != "" || active {
		return why
	}
	return w.waitingFor(d)
}

// policy says why a file beside a skill hides it, or "". What can not be read
// hides nothing (source, codex-rs/core-skills/src/loader.rs).
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
	return "only a user can call it: " + strings.Join(t.Keys, ".") + " is false in its " + t.File
}

// maxPolicyFile is the length of the longest file that can hide a skill.
const maxPolicyFile = 64 << 10

// hidden says why the host does not list an agent that it uses, or "".
func (w *lister) agentHidden(d *definition.Definition) string {
	if w.table.AgentHidden == nil {
		return ""
	}
	return w.table.AgentHidden(func(key string) string { return w.c.FieldText(w.ctx, d, key) })
}

// below says why what stands below the working directory is not listed whatever
// is touched, or "".
func (w *lister) whyNotBelow(d *definition.Definition) string {
	if d.Origin.Nested == "" || w.c.Profile.Listing == nil || w.c.Profile.Roots[d.Origin.Row].Touched {
		return ""
	}
	return "the host reads no " + d.Kind.String() + "s below the working directory: move it to the top of the project"
}

// maxPatterns is how many patterns a reason names.
const maxPatterns = 5

// waits says which file would make a definition available.
func (w *lister) waitingFor(d *definition.Definition) string {
	if dir := d.Origin.Nested; dir != "" {
		if _, ok := w.c.firstTouched(func(file string) bool { return strings.HasPrefix(w.c.fromTop(file), dir+"/") }); !ok {
			rel, ok := strings.CutPrefix(dir, w.c.fromTop(""))
			if !ok {
				return "it stands beside the working directory: work in " + dir + " to list it"
			}
			return "waits for a file below " + dir + "; see it with --touched " + rel + "/FILE"
		}
	}
	paths, more := w.c.SourcePatterns(w.ctx, d), ""
	if len(paths) == 0 {
		paths = d.Fields.Paths()
	}
	if n := len(paths) - maxPatterns; n > 0 {
		paths, more = paths[:maxPatterns], fmt.Sprintf(" or %d more", n)
	}
	return "waits for a file that matches " + strings.Join(paths, " or ") + more + "; see it with --touched FILE"
}

// cut says what takes from a description.
func (w *lister) cut(x listing.Cut) Cut {
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
		reason = "the description is longer than " + Thousands(x.Most) + " units, the most that one may have"
	case listing.CutNameOnly:
		reason = w.setTo(d, host.OverrideNameOnly)
	}
	return Cut{d.Name, d.Origin.Path, reason}
}

// Thousands writes a number of at most six digits with a comma.
func Thousands(n int) string {
	if n < 1000 || n >= 1_000_000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// override is what the settings make of a skill or command, "" for nothing. Those
// of plugins are not theirs to change.
func (w *lister) override(d *definition.Definition) string {
	if d.Origin.Plugin != "" || d.Kind == definition.Agent {
		return ""
	}
	return w.settings.Overrides[d.Name]
}

// setTo says that the settings make a word of a skill or command.
func (w *lister) setTo(d *definition.Definition, word string) string {
	return fmt.Sprintf("%s in the settings has %q: %q; take that out to list it as it is", w.key(host.SettingOverrides), d.Name, word)
}

// key is the key of a setting.
func (w *lister) key(of host.Setting) string { return w.c.Profile.Settings.Key(of) }

// touched reports the touched files that can bring nothing in, and those that are
// likely misspelt.
func (w *lister) checkTouched() {
	for _, file := range w.c.Env.Client.Touched {
		if x := w.c.touchedProblem(file); x != nil {
			x.Severity = diag.Info
			w.report(*x)
		}
	}
}

// touchedProblem says what is wrong with one touched file, nil for nothing.
func (c *Catalog) touchedProblem(file string) *diag.Diagnostic {
	rel, ok := c.Quick.Below(file)
	var x diag.Diagnostic
	switch {
	case !ok:
		x = diag.For(file, diag.FileOutsideRoot, "the touched file is not below the working directory and makes nothing available").
			WithFix("name a file below the working directory")
	case c.Quick.Project == nil:
		return nil
	default:
		typ, err := c.Quick.Project.Lstat(c.fromTop(rel))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x = diag.For(file, diag.FileNotFound, "the touched file does not exist; it counts all the same").WithFix("look for a slip in its name")
		case err == nil && typ == vfs.Dir:
			x = diag.For(file, diag.FileDirectory, "what is touched is a directory; it counts as a file of that name").WithFix("name a file in it")
		default:
			return nil
		}
	}
	return &x
}
