package check

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/vfs"
)

// readConfig reads the project's settings of checks. What can not be read is
// reported, and the check goes on without.
func (k *Checker) readConfig() error {
	tree := k.neutral.Quick.Project
	data, err := tree.ReadFile(rules.ConfigFile, rules.MaxConfig+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		k.config = rules.UnreadConfig(rules.ConfigFile, configUnread(err))
		return nil
	}
	k.config = rules.ParseConfig(rules.ConfigFile, data, func(name string) bool {
		p, ok := registry.Lookup(name)
		return ok && p.Name != host.NeutralName
	})
	return nil
}

// configUnread says why the project's settings can not be read.
func configUnread(err error) string {
	switch {
	case errors.Is(err, vfs.ErrTooLarge):
		return fmt.Sprintf("it is longer than %d KiB", rules.MaxConfig>>10)
	case errors.Is(err, vfs.ErrLink):
		return "it is a link, or is reached by one"
	case errors.Is(err, vfs.ErrHardLink):
		return "it has more than one hard link"
	case errors.Is(err, vfs.ErrDirectory), errors.Is(err, vfs.ErrNotRegular):
		return "it is no regular file"
	case errors.Is(err, fs.ErrPermission):
		return "you have no right to read it"
	}
	return "it can not be read: " + catalog.ReasonOf(err).Error()
}

// wanted reports whether a path below the top is asked for.
func (k *Checker) wanted(rel string) bool {
	if len(k.scope) == 0 {
		return true
	}
	return slices.ContainsFunc(k.scope, func(s string) bool { return rel == s || strings.HasPrefix(rel, s+"/") })
}

// inScope leaves out what is not asked for. What is said of a directory is kept
// where the directory is above a path that is asked for.
func (k *Checker) inScope(list []rules.Finding) []rules.Finding {
	return slices.DeleteFunc(list, func(f rules.Finding) bool {
		above := slices.ContainsFunc(k.scope, func(s string) bool { return strings.HasPrefix(s, f.Path+"/") })
		if f.Path != "." && !k.wanted(f.Path) && !above {
			return true
		}
		excluded := k.config.Excludes(f.Path)
		if excluded && f.Severity == diag.Error {
			k.excludedErrors++
		}
		return excluded
	})
}

// emptyScope refuses a path that is asked for and at which nothing is to check.
func (k *Checker) emptyScope(list []rules.Finding) error {
	for _, s := range k.scope {
		below := func(p string) bool { return p == s || strings.HasPrefix(p, s+"/") }
		item := func(it *checked) bool { return below(it.path) }
		if slices.ContainsFunc(k.items, item) || slices.ContainsFunc(k.left, item) ||
			slices.ContainsFunc(list, func(f rules.Finding) bool { return below(f.Path) }) {
			continue
		}
		what := ""
		switch typ, err := k.neutral.Quick.Project.Lstat(s); {
		case err != nil:
		case typ == vfs.Link:
			if target, err := k.neutral.Quick.Project.Readlink(s); err == nil {
				what = ": it is a link, which leads to " + target
			}
		case typ == vfs.Other:
			what = ": it is neither a file nor a directory"
		}
		return fmt.Errorf("vade: %s: %w%s", s, ErrNoDefinition, what)
	}
	return nil
}
