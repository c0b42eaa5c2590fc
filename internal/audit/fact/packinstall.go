package fact

import (
	"strings"

	"github.com/vadehq/vade/definition"
)

// InstallEvent begins the event of a [Hook] that runs when a package is installed.
const InstallEvent = "install:"

// manifest takes from the description of a package what runs when it is installed.
func (g *granter) manifest(entries []definition.Entry) {
	for i := range entries {
		if entries[i].Key != "scripts" {
			continue
		}
		for k := range entries[i].Value.Pairs {
			e := &entries[i].Value.Pairs[k]
			switch e.Key {
			case "preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare", "dependencies",
				"pre-install-cmd", "post-install-cmd", "post-update-cmd", "pre-autoload-dump", "post-autoload-dump", "post-create-project-cmd":
			default:
				continue
			}
			list := e.Value.Items
			if e.Value.Kind == definition.String {
				list = []definition.Value{e.Value}
			}
			for n := range list {
				if text := strings.TrimSpace(list[n].Text); text != "" && len(g.f.Hooks) < maxFacts {
					g.hook(InstallEvent+e.Key, text, &list[n])
				}
			}
		}
	}
}

// setup takes from a definition's fields what hosts and installers run before it is
// used: commands in lists under a key "install" and its like, however deep they stand.
func (g *granter) setup(entries []definition.Entry, depth int) {
	if depth > maxSetupDepth {
		return
	}
	for i := range entries {
		e := &entries[i]
		switch strings.ToLower(e.Key) {
		case "install", "installs", "installer", "setup", "bootstrap", "preinstall", "postinstall", "pre_install", "post_install", "pre-install", "post-install":
			g.steps(e.Key, &e.Value, depth)
		default:
			g.setup(e.Value.Pairs, depth+1)
		}
	}
}

// maxSetupDepth is how deep in maps steps of an installation are looked for.
const maxSetupDepth = 6

// steps takes the commands of one installation: a text, a list of texts, or maps with
// a command.
func (g *granter) steps(event string, v *definition.Value, depth int) {
	if depth > maxSetupDepth || len(g.f.Hooks) >= maxFacts {
		return
	}
	if v.Kind == definition.String && strings.TrimSpace(v.Text) != "" {
		g.hook(InstallEvent+event, v.Text, v)
	}
	for i := range v.Items {
		g.steps(event, &v.Items[i], depth+1)
	}
	for i := range v.Pairs {
		switch e := &v.Pairs[i]; strings.ToLower(e.Key) {
		case "command", "cmd", "run", "script", "shell", "exec", "commands", "steps":
			g.steps(event, &e.Value, depth+1)
		default:
			if e.Value.Kind == definition.Map || e.Value.Kind == definition.List {
				g.steps(event, &definition.Value{Kind: definition.Map, Pairs: e.Value.Pairs, Items: mapsOf(e.Value.Items), Span: e.Value.Span}, depth+1)
			}
		}
	}
}

// mapsOf leaves out texts: a list of names under another key is no list of commands.
func mapsOf(items []definition.Value) []definition.Value {
	var out []definition.Value
	for _, v := range items {
		if v.Kind == definition.Map {
			out = append(out, v)
		}
	}
	return out
}
