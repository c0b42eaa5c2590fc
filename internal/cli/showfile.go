package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// The bounds of what is printed of a skill's files: the bytes of one, and the names of
// all.
const (
	maxShownFile  = 8 << 20
	maxShownNames = 200
)

// runShowFile prints one file of the skill that is in force under a name.
func (a *app) runShowFile(ctx context.Context, name, file string) error {
	cat, err := a.open(ctx, catalog.Options{})
	if err != nil {
		return err
	}
	defer cat.Close()
	d, err := cat.Get(ctx, definition.Skill, strings.TrimPrefix(name, "skill:"))
	if errors.Is(err, definition.ErrNotFound) {
		if off, ok := disabledSkill(ctx, cat, name); ok {
			return failure{fmt.Sprintf("the skill %s is switched off: %s", off.Name(), off.Reason()), "its fields: vade show skill:" + off.Name()}
		}
		return failure{fmt.Sprintf("no skill is named %q here", name), "see what there is with: vade list --kind skill"}
	}
	if err != nil {
		return requestFailure(err)
	}
	data, err := d.ReadFile(ctx, file, maxShownFile)
	if errors.Is(err, catalog.ErrNoFile) {
		return failure{fmt.Sprintf("the skill %s has no file %q that it gives away", d.Name(), file), a.filesOf(ctx, d)}
	}
	if err != nil {
		return err
	}
	return a.printFile([]string{d.Name(), file}, data)
}

// disabledSkill is a skill of a name that is there and is switched off.
func disabledSkill(ctx context.Context, cat *catalog.Catalog, name string) (catalog.Definition, bool) {
	list, err := cat.Named(ctx, name)
	if err != nil {
		return catalog.Definition{}, false
	}
	i := slices.IndexFunc(list, func(d catalog.Definition) bool {
		return d.Kind() == definition.Skill && d.State() == definition.Disabled
	})
	if i < 0 {
		return catalog.Definition{}, false
	}
	return list[i], true
}

// filesOf says which files a skill has.
func (a *app) filesOf(ctx context.Context, d catalog.Definition) string {
	files, more, err := d.Files(ctx, maxShownNames)
	if err != nil || len(files) == 0 {
		return "see: vade show " + d.Name()
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	if more {
		names = append(names, "…")
	}
	return "it has " + strings.Join(names, ", ")
}
