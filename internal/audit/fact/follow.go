package fact

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// follow finds the files that the definition names in text that is meant, and those that
// they name in turn: an agent reads on there and does what it finds. A name counts for a
// file in any directory, since a model finds it there too.
func (f *Facts) follow() {
	p := f.Package
	f.Followed = map[string]bool{}
	if p.Bare {
		return
	}
	// named has the paths by their last element, and by the last element of each directory
	// above them, with a slash at its end.
	files, named := map[string]int{}, map[string][]string{}
	add := func(name string) {
		low := strings.ToLower(name)
		named[path.Base(low)] = append(named[path.Base(low)], name)
		for dir := path.Dir(low); dir != "." && dir != "/"; dir = path.Dir(dir) {
			named[path.Base(dir)+"/"] = append(named[path.Base(dir)+"/"], name)
		}
	}
	for i, x := range p.Files {
		if i > 0 && x.From == nil {
			files[x.Path] = i
			add(x.Path)
		}
	}
	for _, m := range p.Missed {
		if _, read := files[m.Path]; !read {
			add(m.Path)
		}
	}
	for todo := []int{0}; len(todo) > 0 && len(named) > 0; todo = todo[1:] {
		f.mentions(todo[0], named, func(name string) {
			if i, read := files[name]; read && !f.Followed[name] {
				todo = append(todo, i)
			}
			f.Followed[name] = true
		})
	}
	for i := range f.Regions {
		f.lead(f.Regions[i].File, &f.Regions[i].Standing)
	}
	for i := range f.Sayings {
		f.lead(f.Sayings[i].File, &f.Sayings[i].Standing)
	}
	for i := range f.Points {
		f.lead(f.Points[i].File, &f.Points[i].Standing)
	}
	for i := range f.Hidden {
		f.lead(f.Hidden[i].File, &f.Hidden[i].Standing)
	}
	for i := range f.Packs {
		f.lead(f.Packs[i].File, &f.Packs[i].Standing)
	}
}

// mentions calls found for the files that another one names, each name once.
func (f *Facts) mentions(file int, named map[string][]string, found func(name string)) {
	from, _ := slices.BinarySearchFunc(f.Regions, file, func(r Region, n int) int { return r.File - n })
	for i := from; i < len(f.Regions) && f.Regions[i].File == file; i++ {
		r := &f.Regions[i]
		next := 0
		for word := range strings.FieldsFuncSeq(r.Text, nameEnds) {
			at := next + strings.Index(r.Text[next:], word)
			next = at + len(word)
			key, _, _ := strings.Cut(strings.ToLower(word), "?")
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			key = strings.TrimRight(key, ".!")
			if slash := strings.LastIndexByte(strings.TrimSuffix(key, "/"), '/'); slash >= 0 {
				key = key[slash+1:]
			}
			if len(named[key]) == 0 {
				key = strings.Trim(key, "_")
			}
			if len(named[key]) == 0 || !r.StandingAt(at).Meant() {
				continue
			}
			for _, name := range named[key] {
				found(name)
			}
			delete(named, key)
		}
	}
}

// nameEnds reports whether a character is not part of the name of a file. A name with
// any other character than these is not found.
func nameEnds(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-~%?+@$", r)
}

// lead notes where text is that the definition leads to, also where it is packed in such
// a file.
func (f *Facts) lead(file int, s *Standing) {
	x := f.Package.Files[file]
	for x.From != nil && !x.From.Container {
		x = f.Package.Files[x.From.File]
	}
	s.Led = f.Followed[x.Path]
}
