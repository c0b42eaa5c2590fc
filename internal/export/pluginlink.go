package export

import (
	"fmt"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/chars"
)

// PluginLinks adapts the links in a file to its path in a plugin and reports links to files that
// the plugin does not contain. from is the file's path in the export, and to is its path in the
// plugin. has maps an exported file to its path in the plugin. exists reports whether a file exists
// in the project.
func PluginLinks(data []byte, from, to string, has func(file string) (inPlugin string, ok bool),
	exists func(file string) bool) ([]byte, []HostLoss) {
	s := string(data)
	if !strings.Contains(s, "](") && !strings.Contains(s, "]:") {
		return data, nil
	}
	var edits []edit
	var losses []HostLoss
	for l := range body.Links(s) {
		plain, rest, ok := fileTarget(l.Target)
		if !ok {
			continue
		}
		file := path.Join(path.Dir(from), plain)
		at, ok := has(file)
		switch {
		case ok:
			if made, changed := retarget(path.Dir(to), at, plain, rest); changed {
				edits = append(edits, edit{l.Span.Start, l.Span.End, made})
			}
		case file == "..", strings.HasPrefix(file, "../"), exists(file):
			losses = append(losses, HostLoss{
				Line: 1 + strings.Count(s[:l.Span.Start], "\n"), What: LossFile,
				Message: fmt.Sprintf("the link to %s refers to a file that is not in the plugin", chars.Truncate(l.Target, 60)),
				Fix:     "move the file next to the definition and link to it there",
			})
		}
	}
	if len(edits) == 0 {
		return data, losses
	}
	return []byte(edited(s, edits)), losses
}
