package vade

import (
	"context"

	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/settings"
)

// settings returns what the settings files of the view's host say; in the
// neutral view, which has none, and where there are no files, it is empty. They
// are read once. They say what the host does: nothing in them widens what Vade
// itself reads or runs.
func (c *Catalog) settings(context.Context) *settings.Settings {
	c.settingsOnce.Do(func() {
		c.settingsRead = &settings.Settings{}
		if c.profile.Settings == nil {
			return
		}
		texts, unread := c.quick.Settings()
		files := make([]settings.File, len(texts))
		for i, t := range texts {
			files[i] = settings.File(t)
		}
		c.settingsRead = settings.Read(c.profile.Settings, files)
		c.settingsRead.Diagnostics = append(unread, c.settingsRead.Diagnostics...)
	})
	return c.settingsRead
}

// switches are the settings that switch definitions off.
func (c *Catalog) switches(ctx context.Context) resolve.Switches {
	if c.profile.Settings == nil {
		return resolve.Switches{}
	}
	s := c.settings(ctx)
	return resolve.Switches{Overrides: s.Overrides, PluginOnly: s.PluginOnly}
}

// setting returns an environment variable as the host has it: the settings set
// it for its session, whatever the process has.
func (c *Catalog) setting(ctx context.Context, name string) string {
	if v, ok := c.settings(ctx).Env[name]; ok {
		return v
	}
	return c.options.Getenv(name)
}
