package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/resolve"
)

// why says why a name can not be called now, and what to do about it.
func (h *hostCall) whyNotCallable(name string) (reason, fix string) {
	o := &h.c.Options.Client
	list := "vade list --all --as " + h.c.Profile.Name
	if o.Bare || o.NoCommands {
		return "the client loads no skills and no commands", "leave out --bare and --disable-slash-commands"
	}
	all, err := h.c.Scan(h.ctx)
	if err != nil {
		return "", "see what there is: " + list
	}
	for _, d := range all.All {
		if (d.Kind != definition.Skill && d.Kind != definition.Command) || !resolve.HasName(d, name) {
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
	return "", "see what there is: " + list
}

// whyNot says why a definition that has the name does not answer to it.
func (h *hostCall) whyInactive(d *definition.Definition) (reason, fix string) {
	path := d.Origin.Path
	if d.State != definition.Loaded {
		if d.ReasonCode == diag.SwitchedOff {
			return fmt.Sprintf("%s: %s", path, d.Reason), "change the host's settings"
		}
		return fmt.Sprintf("%s: %s", path, d.Reason), "vade show " + d.Name + " --as " + h.c.Profile.Name + " says more"
	}
	if h.c.active(d) {
		return "", ""
	}
	if d.Origin.Nested != "" {
		return fmt.Sprintf("%s is there once a file below %s was touched", path, d.Origin.Nested), "name one: --touched " + d.Origin.Nested + "/FILE"
	}
	return fmt.Sprintf("%s waits for a file that matches %s", path, strings.Join(d.Fields.Paths(), ", ")), "name one: --touched FILE"
}
