package catalog

import (
	"context"
	"fmt"

	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/settings"
	"github.com/vadehq/vade/internal/vfs"
)

// Settings returns the settings of the view's host, read once. They are empty
// in the neutral view and if no settings files exist. Settings describe the
// host's behavior; they never extend what Vade itself reads or runs.
func (c *Catalog) Settings(context.Context) *settings.Settings {
	c.settingsOnce.Do(func() {
		c.settingsRead = &settings.Settings{}
		if c.Profile.Settings == nil {
			return
		}
		texts, unread := c.Quick.Settings()
		files := make([]settings.File, len(texts))
		for i, t := range texts {
			files[i] = settings.File(t)
		}
		c.settingsRead = settings.Read(c.Profile.Settings, files)
		c.settingsRead.Diagnostics = append(unread, c.settingsRead.Diagnostics...)
	})
	return c.settingsRead
}

// switches returns the settings that disable definitions.
func (c *Catalog) switches(ctx context.Context) resolve.Switches {
	if c.Profile.Settings == nil {
		return resolve.Switches{}
	}
	s := c.Settings(ctx)
	return resolve.Switches{Overrides: s.Overrides, PluginOnly: s.PluginOnly}
}

// setting returns the value that an environment variable has in the host's session. The settings
// take precedence over the process environment.
func (c *Catalog) setting(ctx context.Context, name string) string {
	if v, ok := c.Settings(ctx).Env[name]; ok {
		return v
	}
	return c.Options.Getenv(name)
}

// ChangeFile replaces the content of a host's configuration file. file is the file's path in the
// directory dir, before is the content that it must have now, and after is the new content. If
// before is nil, ChangeFile creates the file; if after is nil, it removes the file. ChangeFile
// returns an error and changes nothing if the current content is not before, the file has other
// hard links, or the path contains a symlink. shown is the path used in errors. If removeDir is
// set, removing the file also removes its directory if the directory is then empty.
func ChangeFile(dir, file, shown string, before, after []byte, removeDir bool) error {
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer tree.Close()
	if err := tree.Change(file, before, after, removeDir); err != nil {
		return fmt.Errorf("vade: write %s: %w", shown, Cause(err))
	}
	return nil
}
