package policy

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/vfs"
)

// judgePath judges a path by its text: whether it is in what may be read, and
// not protected. looks: only the name and the properties are shown. What the
// path leads to is for the file system to judge, when it is opened.
func (p *Policy) judgePath(name string, s DecisionContext, looks bool) *Refusal {
	if name == "" || name == "/dev/null" {
		return nil
	}
	if err := vfs.CheckName(name); err != nil {
		return &Refusal{ReasonPath, -1, fmt.Sprintf("%s %s", name, err)}
	}
	abs := name
	if !strings.HasPrefix(name, "/") {
		if s.Dir == "" {
			return p.judgeProtected(name, name, looks)
		}
		abs = absolute(s.Dir, name)
	} else {
		abs = absolute("/", name)
	}
	rel, ok := within(s.Roots, abs)
	if !ok {
		return &Refusal{ReasonPath, -1, name + " is outside the project"}
	}
	return p.judgeProtected(name, rel, looks)
}

func (p *Policy) judgeProtected(name, rel string, looks bool) *Refusal {
	if looks {
		return nil
	}
	if pattern, ok := p.Protected.Match(rel); ok {
		return &Refusal{ReasonProtected, -1, fmt.Sprintf("%s is protected by the policy (%s)", name, pattern)}
	}
	return nil
}

// within returns a path relative to the root that holds it.
func within(roots []string, abs string) (rel string, ok bool) {
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
