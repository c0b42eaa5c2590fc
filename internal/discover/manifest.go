package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/vfs"
)

// failed reports whether the plugin's manifest prevents the host from loading the plugin.
func (pl *Plugin) failed() bool { return pl.Code == diag.PluginInvalid }

// strictManifest reads a manifest and checks the types of its values. Both results are nil if the
// manifest does not exist or cannot be read.
func (p *Plan) strictManifest(t *vfs.Tree, name string) (manifest, *diag.Diagnostic) {
	shown := p.Show(t, name)
	data, err := readFollowing(t, name, maxConfig)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, vfs.ErrDirectory) {
			p.Diagnostics = append(p.Diagnostics, Unreadable(shown, err))
		}
		return nil, nil
	}
	// Manifests must not contain comments, although settings may.
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	keys := manifest{}
	if err := json.Unmarshal(data, &keys); err != nil {
		d := diag.ForJSON(shown, data, err)
		d.Code, d.Message = diag.PluginInvalid, "the manifest is not valid JSON: "+err.Error()
		var typ *json.UnmarshalTypeError
		if errors.As(err, &typ) {
			d.Message = "the manifest is a JSON " + typ.Value + ", not an object"
		}
		d.Severity = d.Code.Severity()
		return nil, &d
	}
	for _, k := range p.Profile.Plugins.Keys {
		raw, present := keys[k.Name]
		if present && hasType(raw, k.Types, k.Required) || !present && !k.Required {
			continue
		}
		wrong := "its manifest key " + k.Name + " must be " + typesText(k.Types)
		if !present {
			wrong = "its manifest has no " + k.Name + " key"
		}
		d := diag.For(shown, diag.PluginInvalid, "%s", wrong).WithFix("set %s to %s", k.Name, typesText(k.Types))
		return keys, &d
	}
	return keys, nil
}

// hasType reports whether a value has one of the types. If full is set, an empty string is
// rejected.
func hasType(raw json.RawMessage, types host.ManifestType, full bool) bool {
	var text string
	var list []json.RawMessage
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return false
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		if text == "" && full {
			return false
		}
		return types&host.ManifestText != 0 || types&host.ManifestPath != 0 && fitsPath(text, types)
	case raw[0] == '{':
		_, ok := commandMap(raw)
		return types&host.ManifestObject != 0 || types&host.ManifestCommands != 0 && ok
	case raw[0] == 't', raw[0] == 'f':
		return types&host.ManifestFlag != 0
	case raw[0] != '[' || json.Unmarshal(raw, &list) != nil:
		return false
	case types&host.ManifestList != 0:
		return types&host.ManifestPaths == 0 || pathsAmong(list)
	}
	item := host.ManifestType(0)
	switch {
	case types&host.ManifestTexts != 0:
		item = host.ManifestText
	case types&host.ManifestPaths != 0:
		item = host.ManifestPath | types&host.ManifestMarkdown
	default:
		return false
	}
	for _, one := range list {
		if !hasType(one, item, false) {
			return false
		}
	}
	return true
}

// fitsPath reports whether a string is a path of the given type.
func fitsPath(text string, types host.ManifestType) bool {
	return strings.HasPrefix(text, "./") && (types&host.ManifestMarkdown == 0 || strings.HasSuffix(text, ".md"))
}

// pathsAmong reports whether all strings in a list are valid paths.
func pathsAmong(list []json.RawMessage) bool {
	for _, one := range list {
		if one = bytes.TrimSpace(one); len(one) > 0 && one[0] == '"' && !hasType(one, host.ManifestPath, false) {
			return false
		}
	}
	return true
}

// typesText describes the accepted types.
func typesText(types host.ManifestType) string {
	var forms []string
	for _, t := range []struct {
		is   host.ManifestType
		text string
	}{
		{host.ManifestText, "a string"}, {host.ManifestTexts, "a list of strings"},
		{host.ManifestPath, "a path that starts with ./"}, {host.ManifestPaths, "a list of such paths"},
		{host.ManifestFlag, "true or false"}, {host.ManifestObject, "an object"},
		{host.ManifestCommands, "an object of commands, each with either a source or a content key"}, {host.ManifestList, "a list"},
	} {
		if types&t.is != 0 && (t.is != host.ManifestPaths || types&host.ManifestList == 0) {
			form := t.text
			if types&host.ManifestMarkdown != 0 {
				form = strings.Replace(form, "./", "./ and ends in .md", 1)
			}
			forms = append(forms, form)
		}
	}
	return strings.Join(forms, " or ")
}
