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

// Class is the broad category of a file's format.
type Class string

// The classes. Native is machine code, and Bytecode is code for an interpreter. Archive is a
// container of files, and Office is an office document, which is also a container. Media is an
// image, sound, video or font, and Record is any other known document or data format. An empty
// Class means that the format is unknown.
const (
	Text     Class = "text"
	Native   Class = "native"
	Bytecode Class = "bytecode"
	Archive  Class = "archive"
	Office   Class = "office"
	Media    Class = "media"
	Record   Class = "record"
)

//go:embed formats.txt
var formatTable string

//go:embed extensions.txt
var extensionTable string

type magic struct {
	name  string
	class Class
	at    int
	head  []byte
}

var magics = sync.OnceValue(func() (list []magic) {
	for row := range rowsOf(formatTable) {
		f := strings.SplitN(row, " ", 4)
		at, _ := strconv.Atoi(f[2])
		head, _ := strconv.Unquote(f[3])
		list = append(list, magic{f[0], Class(f[1]), at, []byte(head)})
	}
	return list
})

// magicOf returns the name and class of the format indicated by the first bytes, or empty strings.
func magicOf(raw []byte) (name string, class Class) {
	for _, m := range magics() {
		if len(raw) >= m.at && bytes.HasPrefix(raw[m.at:], m.head) && (m.name == "zip" || m.name == "pdf" || !IsText(raw)) {
			return m.name, m.class
		}
	}
	return "", ""
}

// ClassOfName returns the class indicated by a file name's extension.
func ClassOfName(name string) Class {
	base := strings.ToLower(path.Base(name))
	ext := " " + strings.TrimPrefix(path.Ext(base), ".") + " "
	for row := range rowsOf(extensionTable) {
		if class, words, _ := strings.Cut(row, ":"); strings.Contains(words+" ", ext) {
			return Class(class)
		}
	}
	if lang, role := signal.LanguageOfName(base); lang != "" || role != signal.Data {
		return Text
	}
	return ""
}

// headSize is the number of bytes used to decide whether a file is text.
const headSize = 8 << 10

// IsText reports whether the beginning of a file looks like text. Text in a legacy encoding has
// many bytes above 127 but hardly any control characters.
func IsText(raw []byte) bool {
	if hasUTF16Mark(raw) {
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

// hasUTF16Mark reports whether data starts with a UTF-16 byte order mark.
func hasUTF16Mark(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff"))
}

// format describes the format of a file as indicated by its content and its name.
type format struct {
	// magic is the name of the content's format, and class is its class. named is the class that
	// the file name indicates.
	magic        string
	class, named Class
	// script is the language that the shebang line names, or "?" if the language is unknown.
	script string
	// tail is the format of the data that is appended to the file at offset tailStart, such as
	// "zip", "elf" or "text".
	tail      string
	tailClass Class
	tailStart int
	// encrypted reports whether part of the file is encrypted. macros reports whether the file is a
	// document that contains macros. reported reports whether a signal for the format was already
	// added.
	encrypted, macros, reported bool
	// reason is the reason for not reading part of the file, if any. note adds details.
	reason signal.Reason
	note   string
	// extracted is the number of files that were extracted from the container.
	extracted int
	// runs holds the runs of suspicious characters in the file.
	runs []run
}

// formatOf determines the format of a file.
func formatOf(x *signal.File) format {
	f := format{named: ClassOfName(x.Path)}
	f.magic, f.class = magicOf(x.Raw)
	switch {
	case bytes.HasPrefix(x.Raw, []byte("version https://git-lfs.github.com/spec/")) && len(x.Raw) < 1024:
		f.class, f.note = Text, "a Git LFS pointer instead of the actual file"
		if f.reason = signal.MissedBinary; f.named == Media {
			f.reason = signal.MissedMedia
		}
	case f.class == "" && IsText(x.Raw):
		f.class, f.script = Text, signal.Interpreter(string(x.Raw[:min(len(x.Raw), 512)]))
	default:
		if f.class == Media || f.class == Record || f.class == "" {
			f.appended(x.Raw)
		}
		if f.reason = reasonOf(f.class); f.class == Media && (f.named != Media || f.tail != "") {
			// If the content contradicts the extension, or if other data follows the content, the
			// file is not a valid media file.
			f.reason = signal.MissedBinary
		}
	}
	return f
}

// reasonOf returns the reason why files of a class are not read.
func reasonOf(class Class) signal.Reason {
	if class == "" || class == Record {
		return signal.MissedBinary
	}
	return signal.Reason(class)
}

// appended looks for data after the end of an image or another file: a program, text, or an
// archive, which unpackers find by searching from the end of the file.
func (f *format) appended(raw []byte) {
	if at := bytes.Index(raw, []byte("PK\x03\x04")); at > 0 && bytes.LastIndex(raw, []byte("PK\x05\x06")) > at {
		f.tailStart, f.tail, f.tailClass = at, "zip", Archive
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
		f.tailStart, f.tail, f.tailClass = at, name, class
	}
}

// disguised reports whether a non-text file pretends to have another format.
func (f *format) disguised() bool {
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

// tags returns tags for a file that is not text or whose content contradicts its name.
func (f *format) tags(x *signal.File) (tags tagList) {
	disguised := f.disguised()
	archive := f.class == Archive || f.class == Office
	switch {
	case f.tail != "":
		tags.add("trailing", true)
		tags.add(signal.Tag(f.tailClass), f.tailClass != Text && f.tailClass != Record)
	case f.class == Text:
		return f.textTags(x)
	default:
		tags.add(signal.Tag(f.class), f.class == Native || f.class == Bytecode || archive && (f.reason != "" || disguised))
		tags.add("disguised", disguised)
		tags.add("encrypted", f.encrypted)
		tags.add("macros", f.macros)
		tags.add("partly", f.extracted > 0 && len(tags) > 0)
	}
	return tags
}

// tagList collects tags.
type tagList []signal.Tag

// add adds a tag if a condition holds.
func (list *tagList) add(tag signal.Tag, ok bool) {
	if ok {
		*list = append(*list, tag)
	}
}

// textTags returns tags for a script whose name does not reveal that it is one, and for text whose
// name suggests another format.
func (f *format) textTags(x *signal.File) []signal.Tag {
	head := strings.ToLower(strings.TrimSpace(string(x.Raw[:min(len(x.Raw), 512)])))
	script := x.Role == signal.Script || strings.Contains(head, "<?php") || strings.Contains(head, "<script")
	image := strings.HasPrefix(head, "<") || strings.Contains(head, "placeholder") && len(x.Raw) <= 512
	switch {
	case f.named != Media && f.named != Record && f.named != Office:
		if f.script != "" && x.Role == signal.Document && x.Exec {
			return []signal.Tag{"script"}
		}
	case f.reason != "" || head == "":
	case script:
		return []signal.Tag{"disguised", "script"}
	case f.named == Media && !image:
		return []signal.Tag{"disguised"}
	}
	return nil
}

// addFormat adds the signal for a file's format.
func (d *reader) addFormat(i int) {
	x, f := d.set.Package.Files[i], &d.files[i]
	tags := f.tags(x)
	if len(tags) == 0 {
		return
	}
	tags.add("used", x.Exec || d.set.Referenced[x.Path])
	tags.add("media-name", f.named == Media)
	f.reported = true
	d.signal(signal.FileForm, signal.Place{File: i}, -1, x.Path, cmp.Or(f.tail, f.magic, "text"), tags...)
}
