package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/shell"
)

// whyNotCallable explains why a name cannot be invoked now and how to change that.
func (h *hostCall) whyNotCallable(name string) (reason, fix string) {
	o := &h.c.Options.Client
	list := "vade list --all --host " + h.c.Profile.Name
	if o.Bare || o.NoCommands {
		return "the client options disable skills and commands", "omit --bare and --disable-slash-commands"
	}
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return "", "to list definitions, run: " + list
	}
	for _, d := range all.All {
		if !d.Kind.Callable() || !resolve.HasName(d, name) {
			continue
		}
		if reason, fix := h.whyInactive(d); reason != "" {
			return reason, fix
		}
	}
	near := slices.DeleteFunc(h.c.Nearest(h.ctx, name), func(n string) bool { return n == name })
	if len(near) > 0 {
		return "", "did you mean " + strings.Join(near, ", ") + "? See: " + list
	}
	return "", "to list definitions, run: " + list
}

// whyInactive explains why a definition is not available and how to fix it.
func (h *hostCall) whyInactive(d *definition.Definition) (reason, fix string) {
	path := d.Origin.Path
	if d.State != definition.Loaded {
		if d.ReasonCode == diag.SwitchedOff {
			return fmt.Sprintf("%s: %s", path, d.Reason), "change the host's settings"
		}
		return fmt.Sprintf("%s: %s", path, d.Reason), "for details, run: vade show " + shell.ForShell(d.Name) + " --host " + h.c.Profile.Name
	}
	if h.c.active(d) {
		return "", ""
	}
	if d.Origin.Nested != "" {
		dir, ok := strings.CutPrefix(d.Origin.Nested, h.c.fromTop(""))
		if !ok {
			return path + " is outside the working directory", "run Vade in " + dir
		}
		return fmt.Sprintf("%s is available once a file in %s is touched", path, d.Origin.Nested), "specify one with --touched " + dir + "/FILE"
	}
	return fmt.Sprintf("%s is available once a file matching %s is touched", path, strings.Join(d.Fields.Paths(), ", ")), "specify one with --touched FILE"
}
