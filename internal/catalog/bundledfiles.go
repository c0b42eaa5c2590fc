package catalog

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/vfs"
)

// Companions writes the companion files of bundled skills to disk. The files of a skill are written
// only once, when the skill's text is first loaded. They are in a private directory (0700, files
// 0600) with an unpredictable name, below $XDG_RUNTIME_DIR or the user's cache directory.
// [Companions.Close] removes them. If a process is killed, its files are removed by the next
// process that writes companion files or calls [SweepCompanions]. The zero value is ready to use
// and safe for concurrent use by multiple catalogs.
type Companions struct{ in bundled.Companions }

// Close removes all files. Texts loaded afterward do not have a base directory. Close may be called
// more than once.
func (c *Companions) Close() error { return c.in.Close() }

// SweepCompanions removes the companion files of processes that are no longer running, and returns
// the number of directories removed.
func (c *Catalog) SweepCompanions(ctx context.Context) int {
	if ctx.Err() != nil {
		return 0
	}
	return c.companions.in.Sweep(c.companionDirs())
}

// companionDirs returns candidate parent directories for companion files. The session's runtime
// directory comes first because it is in memory and removed with the session. A directory inside
// the project is excluded, even if an environment variable points there, unless the home directory
// is the project. A path with control characters is excluded because a model reads it.
func (c *Catalog) companionDirs() []string {
	if c.Env.Only {
		return nil
	}
	var places []string
	add := func(dir string) {
		if place := path.Join(dir, "vade/companions"); dir != "" && !strings.ContainsFunc(dir, unicode.IsControl) && !c.ownedByProject(place) {
			places = append(places, place)
		}
	}
	if dir := c.Options.Getenv("XDG_RUNTIME_DIR"); vfs.IsAbs(dir) {
		// Only the system may create this directory, so use it only if it exists.
		if real, err := vfs.RealPath(dir); err == nil {
			add(real)
		}
	}
	add(c.userDir("XDG_CACHE_HOME", ".cache"))
	return places
}

// companionLine returns a line to put before a bundled skill's text that tells the reader where the
// skill's companion files are, or "" if no line is needed. If the files cannot be written, it adds
// a diagnostic, and the skill is loaded anyway.
func (l *Loader) companionLine(d *definition.Definition) string {
	c := l.C
	if !c.ComesWithVade(d) || c.Options.Shell.Remote || !bundled.HasCompanions(c.Env.Bundled, BundledFolder(d)) {
		// Remote clients cannot access this machine's disk. They request the files over the network
		// instead.
		return ""
	}
	if c.Options.NoCompanions {
		return c.companionHint(d)
	}
	dir, err := c.companions.in.Dir(c.Env.Bundled, BundledFolder(d), c.companionDirs())
	if err != nil {
		l.result.Diagnostics = append(l.result.Diagnostics,
			diag.For(d.Origin.Path, diag.CompanionsMissing, "cannot write the skill's companion files, so the skill has no base directory: %v", err).
				WithFix("to print a file, run: vade show skill:%s --file NAME", d.Name))
		return c.companionHint(d)
	}
	if dir == "" {
		return ""
	}
	return "Base directory for this skill: " + dir + "\n\n"
}

// companionHint returns a line to put before a skill's text if the skill's companion files are not
// on disk. The line lists the files and gives the command that prints them.
func (c *Catalog) companionHint(d *definition.Definition) string {
	names, err := bundled.CompanionNames(c.Env.Bundled, BundledFolder(d))
	if err != nil || len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Other files in this skill: %s. To print one, run: vade show skill:%s --file %s\n\n", strings.Join(names, ", "), d.Name, names[0])
}
