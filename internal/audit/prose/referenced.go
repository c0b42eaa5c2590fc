package prose

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/audit/signal"
)

// markReferenced finds the files that the definition tells the reader to use, and the files that
// those files refer to in turn, because an agent reads and follows all of them. It also sets the
// reach of each region. A file name matches a file in any directory, because a model searches for
// the file.
func markReferenced(s *signal.Set) {
	p := s.Package
	s.Referenced = map[string]bool{}
	if p.Bare {
		return
	}
	// named maps a file name to the paths that end with it, and a directory name followed by a
	// slash to the paths below such a directory.
	files, named := map[string]int{}, map[string][]string{}
	add := func(name string) {
		low := strings.ToLower(name)
		named[path.Base(low)] = append(named[path.Base(low)], name)
		for dir := path.Dir(low); dir != "." && dir != "/"; dir = path.Dir(dir) {
			named[path.Base(dir)+"/"] = append(named[path.Base(dir)+"/"], name)
		}
	}
	for i, f := range p.Files {
		if i > 0 && f.From == nil {
			files[f.Path] = i
			add(f.Path)
		}
	}
	for _, m := range p.Missed {
		if _, read := files[m.Path]; !read {
			add(m.Path)
		}
	}
	regions := map[int][]int{}
	for i := range s.Regions {
		regions[s.Regions[i].File] = append(regions[s.Regions[i].File], i)
	}
	for todo := []int{0}; len(todo) > 0 && len(named) > 0; todo = todo[1:] {
		for _, i := range regions[todo[0]] {
			mentions(&s.Regions[i], named, func(name string) {
				if i, read := files[name]; read && !s.Referenced[name] {
					todo = append(todo, i)
				}
				s.Referenced[name] = true
			})
		}
	}
	for i := range s.Regions {
		r := &s.Regions[i]
		f := p.Files[r.File]
		switch {
		case f.Role == signal.Main, f.Role == signal.Script, r.Intent == signal.Executed, f == p.Files[0]:
			r.Reach = signal.Own
		case s.Referenced[f.Path]:
			r.Reach = signal.Referenced
		default:
			r.Reach = signal.Companion
		}
	}
}

// mentions calls found for each file name that occurs where the text tells the model to use the
// file. It deletes these names from named, so that each is found only once.
func mentions(r *signal.Region, named map[string][]string, found func(name string)) {
	next := 0
	for word := range strings.FieldsFuncSeq(r.Text, endsFileName) {
		at := next + strings.Index(r.Text[next:], word)
		next = at + len(word)
		key, dir := strings.TrimRight(strings.ToLower(word), ".!"), ""
		if slash := strings.LastIndexByte(strings.TrimSuffix(key, "/"), '/'); slash >= 0 {
			written := strings.Trim(key, "./")
			if key = key[slash+1:]; len(named[key]) == 0 && !strings.HasSuffix(key, "/") {
				key, dir = key+"/", written
			}
		}
		if len(named[key]) == 0 || !r.ContextAt(at).Meant() {
			continue
		}
		// If a path has no trailing slash, it counts as a directory only if such a directory
		// exists, because a phrase such as "client/server" often is not a path.
		inside := func(name string) bool { return strings.Contains("/"+strings.ToLower(name), "/"+dir+"/") }
		if dir != "" && !slices.ContainsFunc(named[key], inside) {
			continue
		}
		for _, name := range named[key] {
			found(name)
		}
		delete(named, key)
	}
}

// endsFileName reports whether a character ends a file name because it cannot be part of one.
func endsFileName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-~+@$", r)
}
