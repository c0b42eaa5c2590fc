package catalog

import (
	"context"

	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/settings"
)

// Settings returns what the settings files of the view's host say; in the
// neutral view, which has none, and where there are no files, it is empty. They
// are read once. They say what the host does: nothing in them widens what Vade
// itself reads or runs.
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

// switches are the settings that switch definitions off.
func (c *Catalog) switches(ctx context.Context) resolve.Switches {
	if c.Profile.Settings == nil {
		return resolve.Switches{}
	}
	s := c.Settings(ctx)
	return resolve.Switches{Overrides: s.Overrides, PluginOnly: s.PluginOnly}
}

// setting returns an environment variable as the host has it: the settings set
// it for its session, whatever the process has.
func (c *Catalog) setting(ctx context.Context, name string) string {
	if v, ok := c.Settings(ctx).Env[name]; ok {
		return v
	}
	return c.Options.Getenv(name)
}
