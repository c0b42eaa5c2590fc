package document

import (
	"bytes"
	"cmp"
	_ "embed"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/audit/signal"
)

// Class is what a file is good for by its form.
type Class string

// The classes. Text is text, Native machine code, Bytecode code for an interpreter;
// Archive holds other files, Office is a document made of them; Media is an image, sound,
// film or font; Record is a document or data in a form of its own. "" is what no table has.
const (
	Text     Class = "text"
	Native   Class = "native"
	Bytecode Class = "bytecode"
	Archive  Class = "archive"
	Office   Class = "office"
	Media    Class = "media"
	Record   Class = "record"
)

//go:embed forms.txt
var formTable string

//go:embed endings.txt
var endingTable string

type magic struct {
	name  string
	class Class
	at    int
	head  []byte
}

var magics = sync.OnceValue(func() (list []magic) {
	for row := range rowsOf(formTable) {
		f := strings.SplitN(row, " ", 4)
		at, _ := strconv.Atoi(f[2])
		head, _ := strconv.Unquote(f[3])
		list = append(list, magic{f[0], Class(f[1]), at, []byte(head)})
	}
	return list
})

// magicOf says what the first bytes of a file are; "" is not known.
func magicOf(raw []byte) (name string, class Class) {
	for _, m := range magics() {
		if len(raw) >= m.at && bytes.HasPrefix(raw[m.at:], m.head) && (m.name == "zip" || m.name == "pdf" || !IsText(raw)) {
			return m.name, m.class
		}
	}
	return "", ""
}

// ClassOfName says what a file is by the ending of its name.
func ClassOfName(name string) Class {
	base := strings.ToLower(path.Base(name))
	for row := range rowsOf(endingTable) {
		if class, words, _ := strings.Cut(row, ":"); strings.Contains(words+" ", " "+strings.TrimPrefix(path.Ext(base), ".")+" ") {
			return Class(class)
		}
	}
	if lang, role := signal.LanguageOfName(base); lang != "" || role != signal.Data {
		return Text
	}
	return ""
}

// headSize is how much of a file decides whether it is text.
const headSize = 8 << 10

// IsText reports whether the beginning of a file is that of a text. One in an encoding that
// is older than UTF-8 has many bytes above ASCII, but hardly any control characters.
func IsText(raw []byte) bool {
	if wideMark(raw) {
		return true
	}
	head := raw[:min(len(raw), headSize)]
	odd := 0
	for _, c := range head {
		if c < ' ' && strings.IndexByte("\n\r\t\f\x1b\b", c) < 0 {
			odd++
		}
	}
	return odd*32 <= len(head) && bytes.IndexByte(head, 0) < 0
}

// wideMark reports whether a text begins with the mark of UTF-16.
func wideMark(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff"))
}

// form is what a file is by its first bytes and by its name.
type form struct {
	// magic is what the bytes say; named is what the name says.
	magic        string
	class, named Class
	// script is the language that the first line names: "?" for one that is not known.
	script string
	// tail says what is appended at the offset behind: "zip", "elf", "text" …
	tail      string
	tailClass Class
	behind    int
	// sealed: parts of it are encrypted. macros: it is a document with programs. told: a
	// signal says what the file is.
	sealed, macros, told bool
	// why is set if not all of the file was read, note says more.
	why  signal.Reason
	note string
	// opened is how many files in it were read.
	opened int
	// runs are the characters in it that do not show.
	runs []run
}

// formOf says what a file is.
func formOf(x *signal.File) form {
	f := form{named: ClassOfName(x.Path)}
	f.magic, f.class = magicOf(x.Raw)
	switch {
	case bytes.HasPrefix(x.Raw, []byte("version https://git-lfs.github.com/spec/")) && len(x.Raw) < 1024:
		f.class, f.note = Text, "only a pointer to a large file is here"
		if f.why = signal.MissedBinary; f.named == Media {
			f.why = signal.MissedMedia
		}
	case f.class == "" && IsText(x.Raw):
		f.class, f.script = Text, signal.Interpreter(string(x.Raw[:min(len(x.Raw), 512)]))
	default:
		if f.class == Media || f.class == Record || f.class == "" {
			f.appended(x.Raw)
		}
		if f.why = reasonOf(f.class); f.class == Media && (f.named != Media || f.tail != "") {
			// What calls itself something else is not a real image.
			f.why = signal.MissedBinary
		}
	}
	return f
}

// reasonOf is the reason why a file of a class is not read.
func reasonOf(class Class) signal.Reason {
	if class == "" || class == Record {
		return signal.MissedBinary
	}
	return signal.Reason(class)
}

// appended looks for what follows the end of an image or another file: an archive, which
// is read from its end, a program, or text.
func (f *form) appended(raw []byte) {
	if at := bytes.Index(raw, []byte("PK\x03\x04")); at > 0 && bytes.LastIndex(raw, []byte("PK\x05\x06")) > at {
		f.behind, f.tail, f.tailClass = at, "zip", Archive
		return
	}
	end := map[string]string{"png": "IEND\xaeB`\x82", "jpeg": "\xff\xd9", "gif": "\x00;", "pdf": "%%EOF"}[f.magic]
	at := bytes.LastIndex(raw, []byte(end)) + len(end)
	if end == "" || at < len(end) || at == len(raw) {
		return
	}
	name, class := magicOf(raw[at:])
	if class == "" && IsText(raw[at:]) && len(bytes.TrimSpace(raw[at:])) >= 8 {
		name, class = "text", Text
	}
	if class != "" && class != Media {
		f.behind, f.tail, f.tailClass = at, name, class
	}
}

// disguised reports whether a file is not text and claims to be something else.
func (f *form) disguised() bool {
	switch f.class {
	case Native, Bytecode:
		return f.named == Media || f.named == Text || f.named == Office || f.named == Record && f.class == Native
	case Archive, Office:
		return f.named == Media || f.named == Text
	case Record, "":
		return f.named == Text
	}
	return false
}

// tags says what a file is, if that is not what its name says or is not text.
func (f *form) tags(x *signal.File, referenced bool) (tags []signal.Tag) {
	add := func(on bool, tag signal.Tag) {
		if on {
			tags = append(tags, tag)
		}
	}
	switch {
	case f.tail != "":
		tags = append(tags, "trailing")
		add(f.tailClass == Native || f.tailClass == Bytecode || f.tailClass == Archive, signal.Tag(f.tailClass))
	case f.class == Text && (f.named == Media || f.named == Record || f.named == Office) && f.why == "" && len(x.Raw) > 0:
		head := strings.ToLower(strings.TrimSpace(string(x.Raw[:min(len(x.Raw), 512)])))
		script := x.Role == signal.Script || strings.Contains(head, "<?php") || strings.Contains(head, "<script")
		image := strings.HasPrefix(head, "<") || strings.Contains(head, "placeholder") && len(x.Raw) <= 512
		add(script || f.named == Media && !image, "disguised")
		add(script, "script")
	default:
		disguised := f.disguised()
		archive := f.class == Archive || f.class == Office
		add(f.class == Native || f.class == Bytecode || archive && (f.why != "" || disguised), signal.Tag(f.class))
		add(disguised, "disguised")
		add(f.sealed, "encrypted")
		add(f.macros, "macros")
		add(f.opened > 0 && len(tags) > 0, "partly")
		add(f.script != "" && x.Role == signal.Document && x.Exec, "script")
	}
	if len(tags) > 0 {
		add(x.Exec || referenced, "used")
		add(f.named == Media, "media-name")
	}
	return tags
}

// form adds the signal about what a file is.
func (d *reader) form(i int) {
	x, f := d.set.Package.Files[i], &d.files[i]
	if tags := f.tags(x, d.set.Referenced[x.Path]); len(tags) > 0 {
		f.told = true
		d.signal(signal.FileForm, signal.Place{File: i}, -1, x.Path, cmp.Or(f.tail, f.magic), tags...)
	}
}
