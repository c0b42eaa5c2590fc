package document

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/binary"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/audit/signal"
)

// Class is what a file is good for by its form.
type Class string

// The classes. Text is text, Native machine code, Bytecode code for an interpreter;
// Archive holds other files, Office is a document made of them; Media is an image, sound,
// film or font; Record is a document or data in a form of its own; Sealed is encrypted. ""
// is what no table has.
const (
	Text     Class = "text"
	Native   Class = "native"
	Bytecode Class = "bytecode"
	Archive  Class = "archive"
	Office   Class = "office"
	Media    Class = "media"
	Record   Class = "record"
	Sealed   Class = "sealed"
)

//go:embed forms.txt
var formTable string

//go:embed endings.txt
var endingTable string

type magic struct {
	name  string
	class Class
	at    int
	head  string
}

var magics = sync.OnceValue(func() (list []magic) {
	for row := range rowsOf(formTable) {
		f := strings.SplitN(row, " ", 4)
		at, _ := strconv.Atoi(f[2])
		head, err := strconv.Unquote(f[3])
		if err != nil {
			panic(row) // A test reads the table.
		}
		list = append(list, magic{f[0], Class(f[1]), at, head})
	}
	return list
})

var endings = sync.OnceValue(func() map[string]Class {
	all := map[string]Class{}
	for row := range rowsOf(endingTable) {
		class, words, _ := strings.Cut(row, ": ")
		for _, word := range strings.Fields(words) {
			all[word] = Class(class)
		}
	}
	return all
})

// magicOf says what the first bytes of a file are; "" is not known.
func magicOf(raw []byte) (name string, class Class) {
	for _, m := range magics() {
		if len(raw) >= m.at+len(m.head) && string(raw[m.at:m.at+len(m.head)]) == m.head && confirmed(m.name, raw) {
			if m.name == "class" && len(raw) > 7 && raw[4]|raw[5]|raw[6] == 0 && raw[7] < 20 {
				// Mac programs for several processors begin alike, with a small count.
				return "macho", Native
			}
			return m.name, m.class
		}
	}
	switch {
	case len(raw) > 16 && raw[2] == '\r' && raw[3] == '\n' && raw[1] >= 0x0a && raw[1] <= 0x0f:
		return "pyc", Bytecode
	case len(raw) > 3 && raw[0] == 0x80 && raw[1] >= 2 && raw[1] <= 5 && strings.IndexByte("}]c(\x95", raw[2]) >= 0:
		return "pickle", Bytecode
	}
	return "", ""
}

// confirmed looks twice where few bytes are the sign, since text may begin the same way.
func confirmed(name string, raw []byte) bool {
	switch name {
	case "pe":
		return bytes.IndexByte(raw[:min(len(raw), 512)], 0) >= 0
	case "bmp", "mp3", "bzip2", "mp4", "webp", "wav", "avi", "ico", "icns", "flv", "gltf", "parquet", "ttf", "openssl":
		return !IsText(raw)
	}
	return true
}

// ClassOfName says what a file is by the ending of its name.
func ClassOfName(name string) Class {
	base := strings.ToLower(path.Base(name))
	if class := endings()[strings.TrimPrefix(path.Ext(base), ".")]; class != "" {
		return class
	}
	if lang, role := signal.LanguageOfName(base); lang != "" || role != signal.Data {
		return Text
	}
	return ""
}

// headSize is how much of a file decides whether it is text.
const headSize = 8 << 10

// IsText reports whether the beginning of a file is that of a text.
func IsText(raw []byte) bool {
	if wideMark(raw) {
		return true
	}
	head := raw[:min(len(raw), headSize)]
	odd, invalid := 0, 0
	for i := 0; i < len(head); {
		c := head[i]
		if c < utf8.RuneSelf {
			if c == 0 {
				return false
			}
			if c < ' ' && strings.IndexByte("\n\r\t\f\x1b\b", c) < 0 {
				odd++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 {
			invalid++
		}
		i += n
	}
	// A text in an encoding that is older than UTF-8 has many bytes above ASCII, but hardly
	// any control characters.
	return odd*32 <= len(head) && (odd == 0 || invalid*8 <= len(head))
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
	// tail says what is appended at the offset behind: "zip", "elf", "text", "data" …
	tail      string
	tailClass Class
	behind    int
	// sealed: parts of it are encrypted. macros: it is a document with programs. hollow:
	// it is empty, or only a pointer to its content.
	sealed, macros, hollow bool
	// why is set if not all of the file was read, note says more.
	why  signal.Reason
	note string
	// opened is how many files in it were read.
	opened int
}

// formOf says what a file is.
func formOf(x *signal.File) form {
	f := form{named: ClassOfName(x.Path)}
	f.magic, f.class = magicOf(x.Raw)
	switch {
	case x.Size == 0:
		f.class, f.hollow = Text, true
	case bytes.HasPrefix(x.Raw, []byte("version https://git-lfs.github.com/spec/")) && len(x.Raw) < 1024:
		f.class, f.hollow, f.why, f.note = Text, true, signal.MissedBinary, "only a pointer to a large file is here"
		if f.named == Media {
			f.why = signal.MissedMedia
		}
	case (f.class == "" || f.magic == "pgp") && IsText(x.Raw):
		f.class = Text
		f.script = signal.Interpreter(string(x.Raw[:min(len(x.Raw), 512)]))
		if at := textEnd(x.Raw); at > 0 {
			f.append(x.Raw, at)
			f.why, f.note = reasonOf(f.tailClass), "data that is not text follows the text"
		}
	default:
		if int64(len(x.Raw)) == x.Size && f.class != Archive && f.class != Office && f.class != Native {
			f.appended(x.Raw)
		}
		f.why = reasonOf(f.class)
		if f.class == Media && (f.named != Media || f.tail != "") {
			// What calls itself something else is not a real image.
			f.why = signal.MissedBinary
		}
	}
	return f
}

// reasonOf is the reason why a file of a class is not read.
func reasonOf(class Class) signal.Reason {
	switch class {
	case Native, Bytecode, Archive, Office, Media:
		return signal.Reason(class)
	case Sealed:
		return signal.MissedPacked
	}
	return signal.MissedBinary
}

// textEnd finds where a text ends and other data begins: at a NUL that more follow. It is 0
// if all is text.
func textEnd(raw []byte) int {
	at := bytes.IndexByte(raw, 0)
	if at < headSize || wideMark(raw) || bytes.Count(raw[at:min(len(raw), at+512)], []byte{0}) < 3 {
		return 0
	}
	if i := bytes.LastIndex(raw[:at], []byte("PK\x03\x04")); i > 0 && at-i < 64 {
		return i
	}
	return max(1, bytes.LastIndexByte(raw[:at], '\n')+1)
}

// append notes what begins at an offset.
func (f *form) append(raw []byte, at int) {
	f.behind = at
	if f.tail, f.tailClass = magicOf(raw[at:]); f.tail == "" {
		f.tail = "data"
	}
}

// appended looks for what follows the end of an image or another file: an archive, which
// is read from its end, a program, or text.
func (f *form) appended(raw []byte) {
	_, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err == nil && bytes.Contains(raw, []byte("PK\x01\x02")) {
		f.behind, f.tail, f.tailClass = max(1, bytes.Index(raw, []byte("PK\x03\x04"))), "zip", Archive
		return
	}
	ends := map[string]string{"png": "IEND\xaeB`\x82", "jpeg": "\xff\xd9", "gif": "\x00;", "pdf": "%%EOF"}
	mark := []byte(ends[f.magic])
	at := bytes.LastIndex(raw, mark) + len(mark)
	if f.magic == "webp" || f.magic == "wav" || f.magic == "avi" {
		at = 8 + int(binary.LittleEndian.Uint32(raw[4:]))
	} else if len(mark) == 0 || at < len(mark) {
		return
	}
	if at > 0 && at < len(raw) {
		name, class := magicOf(raw[at:])
		switch {
		case class != "" && class != Media:
			f.behind, f.tail, f.tailClass = at, name, class
		case class == "" && IsText(raw[at:]) && len(bytes.TrimSpace(raw[at:])) >= 8:
			f.behind, f.tail, f.tailClass = at, "text", Text
		}
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
func (f *form) tags(x *signal.File) (tags []signal.Tag) {
	switch {
	case f.hollow:
		return nil
	case f.tail != "":
		tags = append(tags, "trailing")
		if f.tailClass == Native || f.tailClass == Bytecode || f.tailClass == Archive {
			tags = append(tags, signal.Tag(f.tailClass))
		}
		return tags
	case f.class == Text:
		return f.textTags(x)
	case f.class == Native, f.class == Bytecode, f.class == Archive && f.disguised(),
		(f.class == Archive || f.class == Office) && f.why != "":
		tags = append(tags, signal.Tag(f.class))
	}
	if f.disguised() {
		tags = append(tags, "disguised")
	}
	if f.class == Sealed || f.sealed {
		tags = append(tags, "encrypted")
	}
	if f.macros {
		tags = append(tags, "macros")
	}
	if f.opened > 0 && len(tags) > 0 {
		tags = append(tags, "partly")
	}
	return tags
}

// textTags says whether a text has the name of something else.
func (f *form) textTags(x *signal.File) []signal.Tag {
	head := strings.ToLower(strings.TrimSpace(string(x.Raw[:min(len(x.Raw), 512)])))
	switch {
	case f.magic == "pgp":
		return []signal.Tag{"encrypted"}
	case f.named == Media && (x.Role == signal.Script || strings.Contains(head, "<?php")),
		f.named == Media && strings.Contains(head, "<script"),
		(f.named == Record || f.named == Office) && f.script != "":
		return []signal.Tag{"disguised", "script"}
	case f.named == Media && !strings.HasPrefix(head, "<") && (!strings.Contains(head, "placeholder") || len(x.Raw) > 512):
		return []signal.Tag{"disguised"}
	}
	return nil
}
