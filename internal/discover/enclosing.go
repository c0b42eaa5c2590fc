package discover

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// enclosingPlugin returns the name of the plugin that contains a file, or "". The plugin's
// directory is the nearest parent directory with one of the manifests that the profile lists in
// [host.Plugins.Enclosing]. enclosingPlugin does not search directories that the user has not
// approved.
func (p *Plan) enclosingPlugin(t *vfs.Tree, dir string) string {
	if p.unapproved(t) {
		return ""
	}
	real := t.RealPath(dir)
	if name, ok := p.enclosed.Load(real); ok {
		return name.(string)
	}
	name := manifestName(t, dir, p.Profile.Plugins.Enclosing)
	switch {
	case name != "":
	case dir != ".":
		name = p.enclosingPlugin(t, path.Dir(dir))
	case vfs.IsAbs(real) && path.Dir(real) != real:
		if up, err := vfs.Open(path.Dir(real), vfs.Options{}); err == nil {
			name = p.enclosingPlugin(up, ".")
			up.Close()
		}
	}
	p.enclosed.Store(real, name)
	return name
}

// manifestName returns the name in a directory's first manifest, or the directory's name if the
// manifest has none. It returns "" if there is no manifest, if the first one is not valid JSON, or
// if its name is not a string.
func manifestName(t *vfs.Tree, dir string, manifests []string) string {
	for _, m := range manifests {
		data, err := readFollowing(t, path.Join(dir, m), maxConfig)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, vfs.ErrDirectory) {
			continue
		}
		v, ok := jsonc.Parse(data)
		if err != nil || !ok || v.Kind != definition.Map {
			return ""
		}
		switch name := v.Pair("name"); {
		case name.Kind != definition.String && name.Kind != definition.Null:
			return ""
		case strings.TrimSpace(name.Text) != "":
			return name.Text
		}
		return path.Base(t.RealPath(dir))
	}
	return ""
}

// namedByPlugin reports whether a definition's name is prefixed with the enclosing plugin's name.
func (p *Plan) namedByPlugin(pl *Place, kind definition.Kind) bool {
	rules := p.Profile.Plugins
	return rules != nil && len(rules.Enclosing) > 0 && pl.Plugin == nil && kind == definition.Skill
}
