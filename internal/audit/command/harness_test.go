package command

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/document"
	"github.com/vadehq/vade/internal/audit/signal"
)

// newSet creates a package from files and splits it into regions.
func newSet(files map[string]string) *signal.Set {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if main := path.Base(a) == "SKILL.md"; main != (path.Base(b) == "SKILL.md") {
			return map[bool]int{true: -1, false: 1}[main]
		}
		return strings.Compare(a, b)
	})
	pack := &signal.Package{Name: "test"}
	for _, name := range names {
		pack.Files = append(pack.Files, &signal.File{Path: name, Raw: []byte(files[name]), Size: int64(len(files[name]))})
	}
	set := &signal.Set{Package: pack}
	document.Read(set)
	return set
}

// extract finds signals in the commands in files.
func extract(files map[string]string) *signal.Set {
	set := newSet(files)
	x := new(Extractor)
	read := func(from int) int {
		for i := from; i < len(set.Regions); i++ {
			x.Region(set, i)
		}
		return len(set.Regions)
	}
	n := read(0)
	x.Unparsed(set, 0)
	read(n)
	return set
}
