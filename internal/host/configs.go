package host

import "github.com/vadehq/vade/definition"

// ConfigFiles returns the files that contain hooks and MCP server entries.
func (p *Profile) ConfigFiles() []Config {
	if p.Configs == nil {
		return nil
	}
	return p.Configs()
}

// HooksIn returns the Config for a file with a host's hooks.
func HooksIn(layer definition.Layer, base Base, path string, rules *HookRules) Config {
	return Config{Layer: layer, Base: base, Path: path, Hooks: "hooks", HookRules: rules, Format: definition.Package}
}

func ServersIn(layer definition.Layer, base Base, path string, f *ServerFormat, others ...string) Config {
	return Config{
		Layer: layer, Base: base, Path: path, Format: f.Syntax,
		Servers: append([]string{f.Key}, others...), Words: f,
	}
}

// InManaged returns a copy of c for a file in m, the directory for administrators.
func (c Config) InManaged(m *ManagedDir) Config {
	c.Managed = m
	return c
}

// WithHooks returns a copy of c with hooks under the given key.
func (c Config) WithHooks(key string, rules *HookRules) Config {
	c.Hooks, c.HookRules = key, rules
	return c
}

// MovedBy returns a copy of c in which the environment variable env replaces the first path
// elements. depth is as described at [Root.EnvDepth].
func (c Config) MovedBy(env string, depth int) Config {
	c.Env, c.EnvDepth = env, depth
	return c
}
