package host

import "github.com/vadehq/vade/definition"

// ConfigFiles are the files that carry hooks and MCP server entries.
func (p *Profile) ConfigFiles() []Config {
	if p.Configs == nil {
		return nil
	}
	return p.Configs()
}

// HooksIn is a file that carries hooks, serversIn one that carries MCP servers,
// under the key of its format or one of others.
func HooksIn(layer definition.Layer, base Base, path string) Config {
	return Config{Layer: layer, Base: base, Path: path, Hooks: "hooks", Format: definition.Package}
}

func ServersIn(layer definition.Layer, base Base, path string, f *ServerFormat, others ...string) Config {
	return Config{
		Layer: layer, Base: base, Path: path, Format: f.Syntax,
		Servers: append([]string{f.Key}, others...), Words: f,
	}
}

// InManaged is a file in the directory of administrators.
func (c Config) InManaged(m *ManagedDir) Config {
	c.Managed = m
	return c
}

// WithHooks is a file that has hooks under a key too.
func (c Config) WithHooks(hooks string) Config {
	c.Hooks = hooks
	return c
}

// MovedBy is a file whose first elements an environment variable replaces.
func (c Config) MovedBy(env string, depth int) Config {
	c.Env, c.EnvDepth = env, depth
	return c
}
