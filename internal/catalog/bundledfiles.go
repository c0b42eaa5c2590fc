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

// Companions puts the files beside skills that come with Vade on the disk, those of a
// skill once and when its text is first loaded: in a directory with a name that nobody
// can know before, which only the user may look into (0700, files 0600), below
// $XDG_RUNTIME_DIR or the user's cache. The zero value is ready to use, by any number
// of catalogs and goroutines. What it wrote goes with [Companions.Close]; what a killed
// process could not remove goes when the next one writes, or sweeps.
type Companions struct{ in bundled.Companions }

// Close removes all that was written. Texts that are loaded afterwards have no base
// directory. It may be called more than once.
func (c *Companions) Close() error { return c.in.Close() }

// SweepCompanions removes what processes that are gone have left of files beside
// skills, and returns how many directories that were. Those of living processes stay.
func (c *Catalog) SweepCompanions(ctx context.Context) int {
	if ctx.Err() != nil {
		return 0
	}
	return c.companions.in.Sweep(c.companionDirs())
}

// companionPlaces are the directories in which a process may make its own: the one of
// the user's session first, which is in memory and goes with the session. None is in
// the project, whatever the environment says, unless that is the home directory itself.
// A model reads the path, so that none has line ends in it.
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
		// It is made by the system: one that is not there is none.
		if real, err := vfs.RealPath(dir); err == nil {
			add(real)
		}
	}
	add(c.userDir("XDG_CACHE_HOME", ".cache"))
	return places
}

// companions returns the line before the text of a skill that comes with Vade that
// says where its other files are, "" where there is nothing to say. Where they can not
// be written a diagnostic says so, and the text is there all the same.
func (l *Loader) companionLine(d *definition.Definition) string {
	c := l.C
	if !c.ComesWithVade(d) || c.Options.Shell.Remote || !bundled.HasCompanions(c.Env.Bundled, BundledFolder(d)) {
		// Who asks over a network reads the files over it, too.
		return ""
	}
	if c.Options.NoCompanions {
		return c.companionHint(d)
	}
	dir, err := c.companions.in.Dir(c.Env.Bundled, BundledFolder(d), c.companionDirs())
	if err != nil {
		l.result.Diagnostics = append(l.result.Diagnostics,
			diag.For(d.Origin.Path, diag.CompanionsMissing, "the files beside the skill could not be written, so that it has no base directory: %v", err).
				WithFix("this prints one: vade show skill:%s --file NAME", d.Name))
		return c.companionHint(d)
	}
	if dir == "" {
		return ""
	}
	return "Base directory of this skill: " + dir + "\n\n"
}

// companionsByName is the line before the text of a skill whose other files are not on
// the disk: which there are, and what prints one.
func (c *Catalog) companionHint(d *definition.Definition) string {
	names, err := bundled.CompanionNames(c.Env.Bundled, BundledFolder(d))
	if err != nil || len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Other files of this skill: %s. This prints one: vade show skill:%s --file %s\n\n", strings.Join(names, ", "), d.Name, names[0])
}
