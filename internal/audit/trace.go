package audit

import (
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// traces are the files that commands have made, in the order of a page: what one step
// of it downloads, another one may rename, unpack and run.
type traces struct {
	pass *pass
	// made are the files by the last part of their names.
	made map[string]trace
	// unpacked is the archive that was opened last, zero where none was.
	unpacked trace
	page     int
	unit     int
	begun    bool
}

// trace is where a file comes from.
type trace struct {
	// by is the command that fetched or wrote it; of what was only moved it is the one
	// that made it.
	by   int
	unit int
	// runnable: it was made runnable, or put where programs are.
	runnable bool
	known    bool
}

// enter begins with a command: what one file of a package writes another one does not
// run, as far as is known.
func (t *traces) enter(c *fact.Command) {
	if t.begun && c.File != t.page {
		clear(t.made)
		t.unpacked = trace{}
	}
	t.page, t.unit, t.begun = c.File, c.Unit, true
}

// file returns where a file comes from.
func (t *traces) file(name string) (from []int, file string, apart bool) {
	made, ok := t.made[base(name)]
	if !ok || base(name) == "" {
		return nil, "", false
	}
	return []int{made.by}, name, made.unit != t.unit
}

// unpackedFile returns where a file comes from that nothing here has made, if an archive
// was opened before.
func (t *traces) unpackedFile(name string) (from []int, file string, apart bool) {
	if !t.unpacked.known || strings.HasPrefix(name, "$") || t.pass.packaged(name) {
		return nil, "", false
	}
	return []int{t.unpacked.by}, name, t.unpacked.unit != t.unit
}

// packaged reports whether a name is that of a file of the package.
func (p *pass) packaged(name string) bool {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return slices.ContainsFunc(p.Package.Files, func(x *fact.File) bool {
		return x.From == nil && (x.Path == clean || strings.HasSuffix(clean, "/"+x.Path))
	})
}

// follow notes what a command makes of files.
func (t *traces) follow(i int) {
	c := &t.pass.Commands[i]
	switch c.Name {
	case "git":
		if cloned(c) != "" {
			t.unpacked = trace{by: i, unit: t.unit, known: true}
		}
	case "chmod":
		for _, a := range c.Args {
			if made, ok := t.made[base(a)]; ok {
				made.runnable = true
				t.made[base(a)] = made
			}
		}
	case "mv", "cp", "ln", "install", "move", "copy", "ren", "rename-item", "move-item", "copy-item":
		if t.moved(c) {
			return
		}
	case "unzip", "tar", "bsdtar", "7z", "7za", "7zz", "unrar", "gunzip", "ditto", "expand-archive", "cpio", "xz", "zstd":
		if made, ok := t.opened(c); ok {
			t.unpacked = trace{by: made, unit: t.unit, known: true}
		}
	}
	for _, name := range t.pass.filesOf(c) {
		t.made[base(name)] = trace{by: i, unit: t.unit, known: true}
	}
}

// moved gives a file its new name; it reports whether it was one that is known.
func (t *traces) moved(c *fact.Command) bool {
	var names []string
	for _, a := range c.Args {
		if !strings.HasPrefix(a, "-") {
			names = append(names, a)
		}
	}
	if len(names) < 2 {
		return false
	}
	to := names[len(names)-1]
	known := false
	for _, name := range names[:len(names)-1] {
		made, ok := t.made[base(name)]
		if !ok {
			continue
		}
		known = true
		dir := path.Dir(strings.TrimRight(to, "/"))
		if strings.HasSuffix(to, "/") || path.Base(to) == "bin" {
			dir = strings.TrimRight(to, "/")
		} else {
			t.made[base(to)] = trace{made.by, made.unit, made.runnable || path.Base(dir) == "bin", true}
		}
		made.runnable = made.runnable || path.Base(dir) == "bin"
		t.made[base(name)] = made
	}
	return known
}

// opened returns the command that an archive comes from that is opened: another one's
// output, or a file that was made.
func (t *traces) opened(c *fact.Command) (by int, ok bool) {
	if c.From >= 0 {
		return c.From, true
	}
	for _, a := range c.Args {
		if made, known := t.made[base(a)]; known && base(a) != "" {
			return made.by, true
		}
	}
	return 0, false
}

// filesOf returns the files that a command writes.
func (p *pass) filesOf(c *fact.Command) []string {
	var out []string
	for _, w := range c.Writes {
		if w != "/dev/null" && w != "" {
			out = append(out, w)
		}
	}
	switch c.Name {
	case "curl":
		for i, a := range c.Args {
			switch {
			case (a == "-o" || a == "--output" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "o")) && i+1 < len(c.Args):
				out = append(out, c.Args[i+1])
			case a == "-O" || a == "--remote-name" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "O"):
				out = append(out, lastPart(c))
			case strings.HasPrefix(a, "--output="):
				out = append(out, a[len("--output="):])
			}
		}
	case "wget":
		named := false
		for i, a := range c.Args {
			if (a == "-O" || a == "--output-document" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "O")) && i+1 < len(c.Args) {
				out, named = append(out, c.Args[i+1]), true
			}
		}
		if !named {
			out = append(out, lastPart(c))
		}
	case "iwr", "invoke-webrequest", "irm", "invoke-restmethod", "start-bitstransfer":
		for i, a := range c.Args {
			if low := strings.ToLower(a); (strings.HasPrefix(low, "-outf") || low == "-o" || low == "-destination") && i+1 < len(c.Args) {
				out = append(out, c.Args[i+1])
			}
		}
	case "downloadfile", "certutil", "bitsadmin", "aria2c":
		if len(c.Args) > 1 {
			out = append(out, c.Args[len(c.Args)-1])
		}
	case "tee":
		for _, a := range c.Args {
			if !strings.HasPrefix(a, "-") {
				out = append(out, a)
			}
		}
	case "mv", "cp", "install":
		if n := len(c.Args); n > 1 {
			out = append(out, c.Args[n-1])
		}
	}
	return out
}

// lastPart is the name under which a download without a name of its own is kept.
func lastPart(c *fact.Command) string {
	for _, a := range slices.Backward(c.Args) {
		if strings.Contains(a, "/") && !strings.HasPrefix(a, "-") {
			a, _, _ = strings.Cut(a, "?")
			return base(a)
		}
	}
	return ""
}
