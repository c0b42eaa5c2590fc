package policy

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// judgePath checks a path, which must be in a readable directory and not protected. If metadataOnly
// is set, the path may be protected, because the command shows only file names and properties. The
// file system checks symlinks when the path is opened.
func (p *Policy) judgePath(name string, s DecisionContext, metadataOnly bool) *Refusal {
	if name == "" || name == "/dev/null" {
		return nil
	}
	if err := vfs.CheckName(name); err != nil {
		return &Refusal{ReasonPath, -1, err.Error()} // the error includes the name
	}
	abs := name
	if !strings.HasPrefix(name, "/") {
		if s.Dir == "" {
			return p.judgeProtected(name, name, metadataOnly)
		}
		abs = absolute(s.Dir, name)
	} else {
		abs = absolute("/", name)
	}
	rel, ok := relToRoot(s.Roots, abs)
	if !ok {
		return &Refusal{ReasonPath, -1, name + " is outside the project"}
	}
	return p.judgeProtected(name, rel, metadataOnly)
}

func (p *Policy) judgeProtected(name, rel string, metadataOnly bool) *Refusal {
	if metadataOnly {
		return nil
	}
	if pattern, ok := p.Protected.Match(rel); ok {
		return &Refusal{ReasonProtected, -1, fmt.Sprintf("%s is protected by the policy (%s)", name, pattern)}
	}
	return nil
}

// relToRoot finds the root that contains abs and returns the path relative to it.
func relToRoot(roots []string, abs string) (rel string, ok bool) {
	for _, root := range roots {
		if abs == root {
			return ".", true
		}
		if !strings.HasSuffix(root, "/") {
			root += "/"
		}
		if rel, ok := strings.CutPrefix(abs, root); ok {
			return rel, true
		}
	}
	return "", false
}
