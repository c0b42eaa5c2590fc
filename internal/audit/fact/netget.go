package fact

import (
	"slices"
	"strings"
)

// Get is that a text tells someone to get something and to use it: what is said in the
// sentences around an address, or around the name of a program without one.
type Get struct {
	Place
	Standing
	// URL is an index into the addresses; -1 where there is none.
	URL int
	// Target is what is to be got.
	Target Target
	// Told: it is to be downloaded or installed. Run: it is to be started, or what is
	// in it. Unpack: it is an archive that is to be opened.
	Told, Run, Unpack bool
	// Must: the text says that it is needed. First: before all else. Vain: nothing
	// works without it.
	Must, First, Vain bool
	// Terminal: lines are to be taken from there to a terminal.
	Terminal bool
	// Unguarded: what guards the system is to be switched off for it.
	Unguarded bool
	// Password is one for an archive, PasswordAt its place.
	Password   string
	PasswordAt Place
	// Beside are the other addresses of the same stretch of text that lead to
	// something to be got.
	Beside []int
}

// Target is what is to be got.
type Target uint8

// The targets. APage is a page that is to be read or copied from.
const (
	APage Target = iota
	AnArchive
	AProgram
	AScript
	// ARelease is the list of the releases of a project.
	ARelease
)

// maxGets bounds how many addresses are judged by their surroundings.
const maxGets = 400

// TargetOf says what a name of a file stands for, by its ending.
func TargetOf(name string) (Target, bool) {
	name = strings.ToLower(cutQuery(name))
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || dot == 0 && len(name) > 5 {
		return APage, false
	}
	switch name[dot+1:] {
	case "zip", "rar", "7z", "tar", "tgz", "gz", "xz", "bz2", "tbz", "zst", "cab", "iso", "img", "lzh", "ace", "arj", "z", "001":
		return AnArchive, true
	case "exe", "msi", "dmg", "pkg", "app", "scr", "apk", "deb", "rpm", "appimage", "com", "bin", "run", "msix", "appx", "jar", "xpi", "crx", "vsix", "dll", "so", "dylib", "command", "lnk", "hta", "ipa", "out", "elf":
		return AProgram, true
	case "sh", "ps1", "bat", "cmd", "vbs", "bash", "zsh", "scpt", "applescript", "psm1", "wsf", "jse", "reg":
		return AScript, true
	}
	return APage, false
}

// target says what an address leads to, as far as it shows.
func (u *URL) target() (Target, bool) {
	if a, ok := Forge(u); ok {
		switch a.What {
		case "release":
			if t, ok := TargetOf(a.Name); ok {
				return t, true
			}
			return AProgram, !dataName(a.Name)
		case "releases":
			return ARelease, true
		case "archive":
			return AnArchive, true
		}
		if t, ok := TargetOf(a.Name); ok && a.What == "raw" {
			return t, true
		}
		return APage, false
	}
	path := cutQuery(u.Route)
	if t, ok := TargetOf(path[strings.LastIndexByte(path, '/')+1:]); ok {
		return t, true
	}
	if i := strings.IndexByte(u.Route, '?'); i >= 0 {
		if t, ok := TargetOf(u.Route[i:]); ok && t != APage {
			return t, true
		}
	}
	if t, ok := TargetOf(u.Label); ok && t != APage && !strings.Contains(u.Label, " ") {
		return t, true
	}
	return APage, false
}

// dataName reports whether a name of a file is that of data.
func dataName(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "json", "txt", "md", "sig", "asc", "sha256", "sha512", "yml", "yaml", "xml", "pem", "csv", "pdf", "png", "jpg", "svg", "sbom", "toml", "map", "html", "wasm", "onnx", "gguf", "pt", "npz", "db", "sqlite", "ttf", "woff2", "minisig", "intoto":
		return true
	}
	return false
}

// gets finds what a text tells someone to get. The addresses have been found and are
// in the order of their places.
func (f *Facts) gets() {
	for i := range f.URLs {
		u := &f.URLs[i]
		if u.region < 0 || u.region >= len(f.Regions) || u.at == u.end || u.Image || Loopback(u.Host) {
			continue
		}
		r := &f.Regions[u.region]
		if r.Medium == Code || r.Medium == Value || r.Medium == Literal || r.File != u.File {
			continue
		}
		t, sure := u.target()
		if !sure && u.Kind() == "" && !(u.IP && !u.Private) && !speaksOfTerminal(r) && !strings.Contains(strings.ToLower(u.Label), "download") {
			continue
		}
		if len(f.Gets) >= maxGets {
			f.miss(r.File, MissedTooMany, "more downloads than are judged")
			return
		}
		g := Get{Place: u.Place, Standing: u.Standing, URL: i, Target: t}
		f.around(&g, u.region, u.at, u.end)
		f.Gets = append(f.Gets, g)
	}
	f.named()
	for i := range f.Gets {
		g := &f.Gets[i]
		for k := i - 1; k >= 0 && k > i-8; k-- {
			if o := &f.Gets[k]; o.File == g.File && o.URL >= 0 && g.URL >= 0 && near(o.Place, g.Place) {
				o.Beside, g.Beside = append(o.Beside, g.URL), append(g.Beside, o.URL)
			}
		}
	}
}

func near(a, b Place) bool {
	return b.Span.Start-a.Span.End < 900 && a.Span.Start-b.Span.End < 900
}

// speaksOfTerminal reports whether a text tells of taking something to a terminal.
func speaksOfTerminal(r *Region) bool {
	if len(r.Text) > 4096 || r.Medium != Prose && r.Medium != Comment && r.Medium != Frontmatter {
		return false
	}
	is := doings(r.Text)
	return is&inTerminal != 0 && is&aLine != 0 && is&(doPaste|doRun) != 0
}

// oneItem cuts off what behind a place is another item of a list.
func oneItem(text string, at int) string {
	for i := min(at, len(text)); i < len(text); i++ {
		if text[i] != '\n' {
			continue
		}
		rest := strings.TrimLeft(text[i+1:], " \t")
		if n := strings.IndexAny(rest, ".) "); n >= 1 && n <= 2 || marker(rest) > 0 {
			return text[:i]
		}
	}
	return text
}

// stretch is a part of a file around a place, as text, with where it comes from.
type stretch struct {
	text   string
	pieces []piece
}

type piece struct {
	from   int
	region int
	// at is where in the region's text the piece begins.
	at int
}

// around fills in what the text around a place says. Nearer is what stands in the same
// paragraph, item or block; what is said of needing it may stand farther off.
func (f *Facts) around(g *Get, region, at, end int) {
	r := &f.Regions[region]
	near := f.stretch(region, at, end, 1, 2, 420)
	wide := f.stretch(region, at, end, 3, 6, 1100)
	own := doings(oneItem(clip(r.Text, at, end, 48, 220), 48))
	is := doings(near.text)
	far := doings(wide.text) | doings(r.Heading)
	g.Told = is&doGet != 0 || far&doGet != 0 && r.Medium == Fence
	g.Run = is&doRun != 0
	g.Unpack = is&doUnpack != 0 || g.Target == AnArchive
	g.Must, g.First, g.Vain = far&isMust != 0, far&isFirst != 0, far&isVain != 0
	g.Terminal = own&inTerminal != 0 && own&aLine != 0 && own&(doPaste|doRun) != 0
	g.Unguarded = far&isOff != 0 && far&isGuard != 0
	if is&doUnpack != 0 || g.Target == AnArchive || g.Target == AProgram {
		f.passwordIn(g, &near)
	}
}

// passwordIn looks for a password in a stretch that is not one of an account.
func (f *Facts) passwordIn(g *Get, s *stretch) {
	value, from, to := password(s.text)
	if value == "" || doings(clip(s.text, from, to, 60, 60))&isLogin != 0 {
		return
	}
	g.Password = value
	for i := len(s.pieces) - 1; i >= 0; i-- {
		if p := s.pieces[i]; p.from <= from {
			r := &f.Regions[p.region]
			g.PasswordAt = r.At(min(len(r.Text), p.at+from-p.from), min(len(r.Text), p.at+to-p.from))
			return
		}
	}
}

// clip cuts out the surroundings of a place.
func clip(text string, at, end, before, behind int) string {
	from, to := max(0, at-before), min(len(text), end+behind)
	return strings.ToValidUTF8(text[from:to], "")
}

// stretch gathers the regions around one, without what stands in them twice, up to the
// headings around.
func (f *Facts) stretch(region, at, end, before, behind, size int) stretch {
	r := &f.Regions[region]
	from := region
	for i, left := region-1, size; i >= 0 && before > 0 && left > 0 && i > region-24; i-- {
		o := &f.Regions[i]
		if o.File != r.File || o.Heading != r.Heading {
			break
		}
		if counts(o, r) {
			from, before, left = i, before-1, left-len(o.Text)
		}
	}
	var s stretch
	var out strings.Builder
	left := size
	for i := from; i < len(f.Regions) && i < region+32; i++ {
		o := &f.Regions[i]
		if o.File != r.File || o.Heading != r.Heading {
			break
		}
		if i != region && !counts(o, r) {
			continue
		}
		text, cut := o.Text, 0
		switch {
		case i < region && len(text) > size:
			cut = len(text) - size
		case i == region && at > size:
			cut = at - size
		}
		text = text[cut:]
		if i == region {
			text = text[:min(len(text), end-cut+size)]
		}
		if i > region {
			if behind--; behind < 0 || left <= 0 {
				break
			}
			text = text[:min(len(text), left)]
			left -= len(text)
		}
		s.pieces = append(s.pieces, piece{out.Len(), i, cut})
		// Places hold only where a cut letter keeps its length.
		out.WriteString(text)
		out.WriteString("\n")
	}
	s.text = out.String()
	return s
}

// counts reports whether a region has text of its own beside another one.
func counts(o, r *Region) bool {
	if o.Text == "" || o.Medium == CodeSpan || o.Medium == Shell {
		return false
	}
	// A block that a span of code was cut from has it already.
	return !(r.Medium == CodeSpan && o.Span.Start <= r.Span.Start && o.Span.End >= r.Span.End) || o.Medium == Prose
}

// named adds what is told of programs and archives that are named without an address:
// with a password they are still to be got.
func (f *Facts) named() {
	tried := 0
	for i := range f.Regions {
		r := &f.Regions[i]
		if r.Medium != Prose && r.Medium != Frontmatter && r.Medium != Comment && !(r.Medium == Fence && (r.Lang == "" || r.Lang == "txt")) || len(f.Gets) >= maxGets {
			continue
		}
		at, end := programName(r.Text)
		if at < 0 {
			continue
		}
		if tried++; tried > maxGets {
			f.miss(r.File, MissedTooMany, "more downloads than are judged")
			return
		}
		g := Get{Place: r.At(at, end), Standing: r.StandingAt(at), URL: -1}
		g.Target, _ = TargetOf(r.Text[at:end])
		f.around(&g, i, at, end)
		if g.Password != "" && !slices.ContainsFunc(f.Gets, func(o Get) bool { return o.File == g.File && o.PasswordAt == g.PasswordAt }) {
			f.Gets = append(f.Gets, g)
		}
	}
}

// programName finds the name of an archive or a program in a text.
func programName(text string) (int, int) {
	for _, end := range [...]string{".zip", ".rar", ".7z", ".exe", ".msi", ".dmg", ".pkg", ".scr", ".iso"} {
		for at := 0; ; {
			n := strings.Index(text[at:], end)
			if n < 0 {
				break
			}
			stop := at + n + len(end)
			at = stop
			start := stop - len(end)
			for start > 0 && stop-start < 64 && (hostByte(text[start-1]) || text[start-1] == '_') {
				start--
			}
			if start < stop-len(end) && !(stop < len(text) && (hostByte(text[stop]) && text[stop] != '.' || text[stop] == '(')) {
				return start, stop
			}
		}
	}
	return -1, -1
}
