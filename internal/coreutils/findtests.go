package coreutils

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

// findTests is what an expression may be made of. What runs commands, deletes
// or writes files is not here and so not understood.
func findTests() []findTest {
	return []findTest{
		{"-name", true, globTest((*found).base, false)},
		{"-iname", true, globTest((*found).base, true)},
		{"-path", true, globTest((*found).name, false)},
		{"-ipath", true, globTest((*found).name, true)},
		{"-wholename", true, globTest((*found).name, false)},
		{"-iwholename", true, globTest((*found).name, true)},
		{"-regex", true, regexTest(false)},
		{"-iregex", true, regexTest(true)},
		{"-regextype", true, findRegexType},
		{"-type", true, findType},
		{"-size", true, findSize},
		{"-mtime", true, findMtime},
		{"-mmin", true, findMmin},
		{"-newer", true, findNewer},
		{"-perm", true, findPerm},
		{"-links", true, findLinks},
		{"-empty", false, plainTest((*finder).isEmpty)},
		{"-readable", false, modeTest(0o444)},
		{"-writable", false, modeTest(0o222)},
		{"-executable", false, modeTest(0o111)},
		{"-true", false, plainTest(func(*finder, *found) bool { return true })},
		{"-false", false, plainTest(func(*finder, *found) bool { return false })},
		{"-maxdepth", true, findDepth(func(o *findOptions, n int) { o.most = n })},
		{"-mindepth", true, findDepth(func(o *findOptions, n int) { o.least = n })},
		{"-depth", false, findDepthFirst},
		{"-d", false, findDepthFirst},
		{"-noleaf", false, plainTest(func(*finder, *found) bool { return true })},
		{"-prune", false, plainTest(func(_ *finder, at *found) bool { at.prune = true; return true })},
		{"-quit", false, plainTest(func(f *finder, _ *found) bool { f.quit = true; return true })},
		{"-print", false, findAction(func(f *finder, at *found) bool { return f.print(at, "\n") })},
		{"-print0", false, findAction(func(f *finder, at *found) bool { return f.print(at, "\x00") })},
		{"-printf", true, findPrintf},
	}
}

type findMaker = func(p *findParser, word string) (findNode, error)

func plainTest(node findNode) findMaker {
	return func(*findParser, string) (findNode, error) { return node, nil }
}

func findAction(node findNode) findMaker {
	return func(p *findParser, _ string) (findNode, error) {
		p.acts = true
		return node, nil
	}
}

func (f *finder) print(at *found, end string) bool {
	f.out.WriteString(at.path)
	f.out.WriteString(end)
	return true
}

func (at *found) name() string { return at.path }

func globTest(of func(*found) string, fold bool) findMaker {
	return func(_ *findParser, pattern string) (findNode, error) {
		return func(_ *finder, at *found) bool { return globMatch(pattern, of(at), fold) }, nil
	}
}

func regexTest(fold bool) findMaker {
	return func(p *findParser, pattern string) (findNode, error) {
		if p.emacs {
			pattern = emacsToExtended(pattern)
		}
		src, err := translateRegex(pattern, p.dialect)
		if err != nil {
			return nil, p.fail("%s", err)
		}
		re, err := compileTranslated("^(?:"+src+")$", p.dialect, fold)
		if err != nil {
			return nil, p.fail("%s", err)
		}
		return func(_ *finder, at *found) bool { return re.MatchString(at.path) }, nil
	}
}

// emacsToExtended turns the dialect that find starts with into POSIX ERE: its
// groups and bars have backslashes, its braces are ordinary.
func emacsToExtended(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			i++
			if strings.IndexByte("()|", pattern[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(pattern[i])
		case strings.IndexByte("(){}|", c) >= 0:
			b.WriteString(`\` + string(rune(c)))
		case c == '[':
			end := bracketEnd(pattern[i:])
			b.WriteString(pattern[i : i+end])
			i += end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// bracketEnd is the length of the bracket expression at the beginning of s.
func bracketEnd(s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	for first := true; i < len(s); first = false {
		switch {
		case s[i] == ']' && !first:
			return i + 1
		case strings.HasPrefix(s[i:], "[:"):
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 2
				continue
			}
		}
		i++
	}
	return len(s)
}

func findRegexType(p *findParser, word string) (findNode, error) {
	switch word {
	case "posix-extended", "posix-egrep", "egrep", "gnu-awk", "posix-awk", "awk":
		p.emacs, p.dialect = false, extended
	case "posix-basic", "sed", "grep", "ed", "posix-minimal-basic":
		p.emacs, p.dialect = false, basic
	case "emacs", "findutils-default":
		p.emacs, p.dialect = true, extended
	default:
		return nil, p.fail("not a kind of regular expression: %s", strconv.Quote(word))
	}
	return func(*finder, *found) bool { return true }, nil
}

func findType(p *findParser, word string) (findNode, error) {
	kinds := strings.Split(word, ",")
	for _, k := range kinds {
		if len(k) != 1 || strings.IndexByte("bcdpfls", k[0]) < 0 {
			return nil, p.fail("not a type of file: %s", strconv.Quote(word))
		}
	}
	return func(_ *finder, at *found) bool {
		return slices.Contains(kinds, string(rune(kind(at.info.Mode()))))
	}, nil
}

func findSize(p *findParser, word string) (findNode, error) {
	unit := int64(512)
	digits := word
	if n := len(word); n > 0 {
		switch word[n-1] {
		case 'c':
			unit = 1
		case 'w':
			unit = 2
		case 'b':
		case 'k':
			unit = 1 << 10
		case 'M':
			unit = 1 << 20
		case 'G':
			unit = 1 << 30
		default:
			n++
		}
		digits = word[:n-1]
	}
	a, err := p.amount(digits)
	if err != nil {
		return nil, err
	}
	return func(_ *finder, at *found) bool { return a.holds(ceilDiv(at.info.Size(), unit)) }, nil
}

func findMtime(p *findParser, word string) (findNode, error) {
	a, err := p.amount(word)
	return func(f *finder, at *found) bool {
		age := f.x.now().Sub(at.info.ModTime())
		days := int64(age / (24 * time.Hour))
		if age < 0 {
			days = -1
		}
		return a.holds(days)
	}, err
}

// findMmin counts minutes that have begun where it asks for exactly or for
// more, as find does.
func findMmin(p *findParser, word string) (findNode, error) {
	a, err := p.amount(word)
	return func(f *finder, at *found) bool {
		age := f.x.now().Sub(at.info.ModTime())
		bound := time.Duration(min(a.n, 1<<26)) * time.Minute
		switch a.sign {
		case '+':
			return age > bound
		case '-':
			return age < bound
		}
		return age < bound && age >= bound-time.Minute
	}, err
}

func findNewer(p *findParser, word string) (findNode, error) {
	p.paths = append(p.paths, Path{p.at, word})
	p.opts.refs = append(p.opts.refs, word)
	return func(f *finder, at *found) bool {
		info, err := f.x.FS.Stat(word)
		return err == nil && at.info.ModTime().After(info.ModTime())
	}, nil
}

func findPerm(p *findParser, word string) (findNode, error) {
	kind, digits := byte(0), word
	if word != "" && (word[0] == '-' || word[0] == '/') {
		kind, digits = word[0], word[1:]
	}
	bits, err := strconv.ParseUint(digits, 8, 12)
	if err != nil {
		return nil, p.fail("only an octal mode: %s", strconv.Quote(word))
	}
	want := uint32(bits)
	return func(_ *finder, at *found) bool {
		have := permBits(at.info.Mode())
		switch kind {
		case '-':
			return have&want == want
		case '/':
			return want == 0 || have&want != 0
		}
		return have == want
	}, nil
}

func findLinks(p *findParser, word string) (findNode, error) {
	a, err := p.amount(word)
	return func(_ *finder, at *found) bool {
		_, _, links, _ := owned(at.info)
		return a.holds(int64(links))
	}, err
}

func (f *finder) isEmpty(at *found) bool {
	switch {
	case at.info.Mode().IsRegular():
		return at.info.Size() == 0
	case !at.info.IsDir():
		return false
	}
	infos, err := f.x.FS.ReadDir(at.path)
	if err != nil {
		f.fail(at.path, err)
	}
	return err == nil && len(infos) == 0
}

func modeTest(bits fs.FileMode) findMaker {
	return plainTest(func(f *finder, at *found) bool {
		info, err := f.x.FS.Stat(at.path)
		return err == nil && info.Mode().Perm()&bits != 0
	})
}

func findDepth(set func(*findOptions, int)) findMaker {
	return func(p *findParser, word string) (findNode, error) {
		n, err := strconv.ParseUint(word, 10, 31)
		if err != nil {
			return nil, p.fail("not a number: %s", strconv.Quote(word))
		}
		set(&p.opts, int(n))
		return func(*finder, *found) bool { return true }, nil
	}
}

func findDepthFirst(p *findParser, _ string) (findNode, error) {
	p.opts.depthFirst = true
	return func(*finder, *found) bool { return true }, nil
}
