package fact

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/script"
)

// maxCode bounds the code of one region that is followed.
const maxCode = 2 << 20

// script takes what the code of a file does: of a script, of blocks of code, and of
// what commands run.
func (f *Facts) script(file int) {
	from, _ := slices.BinarySearchFunc(f.Regions, file, func(r Region, n int) int { return r.File - n })
	for from > 0 && f.Regions[from-1].File == file {
		from--
	}
	for i := from; i < len(f.Regions) && f.Regions[i].File == file; i++ {
		r := &f.Regions[i]
		if r.Medium != Fence && r.Medium != Code {
			continue
		}
		f.codeOf(r, r.Lang)
	}
	if file == len(f.Package.Files)-1 {
		f.runByCommands()
	}
}

// codeOf reads the code of a region in a language.
func (f *Facts) codeOf(r *Region, lang string) {
	src := r.Text
	if len(src) > maxCode {
		f.miss(r.File, MissedTooLarge, "only the beginning of the code was followed")
		src = src[:maxCode]
	}
	switch lang {
	case "py":
		f.code(r, src, script.Python, nil, 0)
	case "js", "ts":
		f.code(r, src, script.JavaScript, nil, 0)
	case "rb", "pl", "php", "lua", "scpt", "go", "java", "rs", "kt", "swift", "c", "cpp", "cs", "vbs", "r":
		f.otherCode(r, src, lang)
	}
}

// runByCommands reads what commands give to interpreters: text behind -c and -e, a
// here-document, and files of the package whatever they are called.
func (f *Facts) runByCommands() {
	done := map[int]bool{}
	// Code that is given adds commands of its own, each in a part of its text.
	for i := 0; i < len(f.Commands); i++ {
		c := f.Commands[i]
		lang := interpreted(c.Name)
		if lang == "" {
			continue
		}
		if c.Input != "" {
			f.given(c, c.Input, lang)
		}
		for k, a := range c.Args {
			if (a == "-c" || a == "-e" || a == "-r" || a == "--eval" || a == "-p" || a == "-pe") && k+1 < len(c.Args) {
				f.given(c, c.Args[k+1], lang)
				break
			}
			if !strings.HasPrefix(a, "-") {
				if at := f.fileNamed(a); at > 0 && !done[at] {
					done[at] = true
					f.runFile(at, lang)
				}
				break
			}
		}
	}
}

// interpreted is the language that a program runs.
func interpreted(name string) string {
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "pypy", "ipython":
		return "py"
	case "node", "nodejs", "deno", "bun":
		return "js"
	case "ts-node", "tsx":
		return "ts"
	case "ruby":
		return "rb"
	case "perl":
		return "pl"
	case "php":
		return "php"
	case "osascript":
		return "scpt"
	case "lua":
		return "lua"
	}
	return ""
}

// given reads code that a command has as an argument or as its input.
func (f *Facts) given(c Command, src, lang string) {
	if len(src) < 6 {
		return
	}
	r := Region{Place: c.Place, Standing: c.Standing, Text: src}
	r.Lang = lang
	if len(src) > maxCode {
		src = src[:maxCode]
	}
	switch lang {
	case "py":
		f.code(&r, src, script.Python, &c.Place, 1)
	case "js", "ts":
		f.code(&r, src, script.JavaScript, &c.Place, 1)
	default:
		r.Text = src
		f.otherCode(&r, src, lang)
	}
}

// fileNamed is the index of a file of the package by the path that a command has for
// it, from whatever directory: 0 where there is none.
func (f *Facts) fileNamed(arg string) int {
	arg = strings.TrimPrefix(arg, "./")
	if i := strings.LastIndex(arg, "}/"); i >= 0 {
		arg = arg[i+2:]
	}
	if arg == "" || strings.ContainsAny(arg, "$*\x00") {
		return 0
	}
	for i, x := range f.Package.Files {
		if i > 0 && x.From == nil && (x.Path == arg || strings.HasSuffix(arg, "/"+x.Path)) {
			return i
		}
	}
	return 0
}

// runFile reads a file as code that a command runs, if it was not read as that.
func (f *Facts) runFile(file int, lang string) {
	x := f.Package.Files[file]
	if x.Role == Script && (x.Lang == lang || lang == "js" && x.Lang == "ts") || x.Role == Opaque {
		return
	}
	r := Region{Place: Place{file, diag.Span{End: len(x.Text)}}, Text: x.Text}
	r.Medium, r.Lang = Code, lang
	f.codeOf(&r, lang)
}
