package fact

import (
	"bytes"
	"path"
	"strings"

	"github.com/vadehq/vade/diag"
)

// identify gives the files their roles and languages, opens what can be opened, and
// notes what can not be looked at.
func (f *Facts) identify() {
	p := f.Package
	named := f.namedWords()
	for i := 0; i < len(p.Files); i++ {
		x := p.Files[i]
		if i == 0 && x.From == nil && !p.Bare {
			x.Role = Main
			if lang := Language(strings.TrimPrefix(path.Ext(x.Path), ".")); lang == "toml" {
				x.Lang = lang
			}
		}
		k := f.kindOf(i)
		if x.Role != Main {
			f.role(i, &k, named)
		}
		if k.Class == ArchiveForm || k.Class == OfficeForm || k.Class == UnknownForm && k.Magic == "zip" {
			f.open(i, &k)
		}
		if k.Why != "" {
			f.miss(i, k.Why, k.Note)
		}
		f.Kinds = append(f.Kinds, k)
	}
}

// namedWords are the words of the definition's own text that may name a file, in
// small letters and without directories.
func (f *Facts) namedWords() map[string]bool {
	words := map[string]bool{}
	if len(f.Package.Files) == 0 {
		return words
	}
	for _, w := range bytes.FieldsFunc(f.Package.Files[0].Raw, func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("`'\"()[]<>|,;:*", r)
	}) {
		if len(w) > 2 && len(w) < 200 {
			words[strings.ToLower(path.Base(strings.TrimRight(string(w), ".!?")))] = true
		}
	}
	return words
}

// kindOf says what a file is by its first bytes and by its name.
func (f *Facts) kindOf(file int) FileKind {
	x := f.Package.Files[file]
	k := FileKind{File: file, Path: x.Path, Magic: magicOf(x.Raw)}
	k.Named, k.Name = NameForm(x.Path)
	k.Class = formClass(k.Magic)
	switch {
	case len(x.Raw) == 0 && x.Size == 0:
		k.Magic, k.Class, k.Empty = "", PlainForm, true
	case lfsPointer(x.Raw):
		k.Magic, k.Class, k.Why, k.Note = "lfs", PlainForm, MissedBinary, "only a pointer to a large file is here"
		if k.Named == MediaForm {
			k.Why = MissedMedia
		}
	case k.Magic == "pgp" && PlainText(x.Raw):
		// Armoured text.
	case k.Class == UnknownForm && PlainText(x.Raw):
		k.Class = PlainForm
		if at := dataBehind(x.Raw); at > 0 {
			k.Behind, k.Tail = at, magicOf(x.Raw[at:])
			if k.Tail == "" {
				k.Tail = "data"
			}
			k.Why, k.Note = MissedBinary, "data that is no text stands behind the text"
			if formClass(k.Tail) == ArchiveForm {
				k.Why, k.Note = MissedArchive, "an archive stands behind the text"
			}
		}
	default:
		f.behindMedia(x, &k)
		k.Why = missing(&k)
	}
	return k
}

// missing is the reason why a file that is no text is not looked at.
func missing(k *FileKind) Reason {
	switch k.Class {
	case NativeForm:
		return MissedNative
	case BytecodeForm:
		return MissedBytecode
	case ArchiveForm:
		return MissedArchive
	case OfficeForm:
		return MissedOffice
	case SealedForm:
		return MissedPacked
	case MediaForm:
		// What calls itself something else is no true image.
		if k.Named == MediaForm && k.Tail == "" {
			return MissedMedia
		}
	}
	return MissedBinary
}

// dataBehind finds the place from which on a text is none any more: a NUL followed by
// more of them. It is 0 where there is none.
func dataBehind(raw []byte) int {
	if len(raw) <= headSize || bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) {
		return 0
	}
	at := bytes.IndexByte(raw, 0)
	if at < 0 || bytes.Count(raw[at:min(len(raw), at+512)], []byte{0}) < 3 {
		return 0
	}
	if i := bytes.LastIndex(raw[:at], []byte("PK\x03\x04")); i >= 0 && at-i < 64 {
		return i
	}
	if i := bytes.LastIndexByte(raw[:at], '\n'); i >= 0 {
		return i + 1
	}
	return at
}

// behindMedia looks for what is appended to an image or other file: an archive, which
// is read from its end, or a program behind the end of the picture.
func (f *Facts) behindMedia(x *File, k *FileKind) {
	if int64(len(x.Raw)) < x.Size || k.Class == ArchiveForm || k.Class == OfficeForm || k.Class == NativeForm {
		return
	}
	tail := max(0, len(x.Raw)-22-1<<16)
	if i := bytes.LastIndex(x.Raw[tail:], []byte("PK\x05\x06")); i >= 0 && len(x.Raw)-tail-i >= 22 {
		end := x.Raw[tail+i:]
		if int(end[20])|int(end[21])<<8 == len(end)-22 && bytes.Contains(x.Raw[:tail+i], []byte("PK\x01\x02")) {
			k.Behind, k.Tail = max(1, bytes.Index(x.Raw, []byte("PK\x03\x04"))), "zip"
			return
		}
	}
	if k.Magic != "png" {
		return
	}
	if i := bytes.LastIndex(x.Raw, []byte("IEND\xaeB`\x82")); i > 0 && len(x.Raw)-i-8 > 64 {
		rest := x.Raw[i+8:]
		k.Behind, k.Tail = i+8, magicOf(rest)
		if k.Tail == "" && PlainText(rest) && len(bytes.TrimSpace(rest)) > 32 {
			k.Tail = "text"
		}
		if formClass(k.Tail) == MediaForm {
			k.Tail = ""
		}
	}
}

// role gives a file that is not the definition's own its role and language.
func (f *Facts) role(file int, k *FileKind, named map[string]bool) {
	x := f.Package.Files[file]
	if k.Class != PlainForm {
		x.Role = Opaque
		return
	}
	base := strings.ToLower(path.Base(x.Path))
	x.Lang, x.Role = languageOfName(base)
	if x.Lang == "md" || x.Lang == "txt" {
		x.Lang = ""
	}
	switch lang := interpreter(string(x.Raw[:min(len(x.Raw), 512)])); {
	case lang != "":
		k.Script = lang
		if x.Role != Document && x.Role != Legal {
			x.Role = Script
			if lang != "?" && !isCode(x.Lang) {
				x.Lang = lang
			}
		}
	case x.Role == Data && x.From != nil && guessed(x):
	case x.Role == Data && k.Named == UnknownForm && (x.Exec || looksLikeCommands(x.Raw)):
		x.Role, x.Lang = Script, "sh"
	case x.Role == Data && k.Named != PlainForm && codeOf(x.Raw) != "":
		// Code needs no name to be run as such.
		x.Role, x.Lang = Script, codeOf(x.Raw)
	case x.Role == Data && (k.Named != PlainForm || named[base]):
		// What is called an image and is a text may be read all the same.
		x.Role, x.Lang = Document, ""
	}
}

// codeOf says by its first lines which language a text without a telling name is
// written in; "" is none.
func codeOf(raw []byte) string {
	py, js := 0, 0
	for line := range strings.Lines(string(raw[:min(len(raw), 2<<10)])) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "import ") && !strings.ContainsAny(line, "'\";") && len(strings.Fields(line)) <= 4,
			strings.HasPrefix(line, "from ") && strings.Contains(line, " import "), strings.HasPrefix(line, "def ") && strings.HasSuffix(line, ":"), strings.HasPrefix(line, "exec("):
			py++
		case strings.Contains(line, "require(") && strings.Contains(line, "="), strings.HasPrefix(line, "import ") && strings.Contains(line, " from "), strings.HasPrefix(line, "function ") && strings.HasSuffix(line, "{"):
			js++
		}
	}
	switch {
	case py > 1:
		return "py"
	case js > 1:
		return "js"
	}
	return ""
}

// looksLikeCommands reports whether a text without an ending begins as scripts do.
func looksLikeCommands(raw []byte) bool {
	head := string(raw[:min(len(raw), 256)])
	return strings.HasPrefix(head, "set -e") || strings.HasPrefix(head, "@echo off")
}

// Whole is the place of a file as a whole.
func (f *Facts) Whole(file int) Place {
	return Place{File: file, Span: diag.Span{}}
}
