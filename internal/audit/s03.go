package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
)

// s03 finds files that are not what their names say.
func s03() Rule {
	return Rule{
		ID: "S03", Name: "disguised-file", Title: "A file is something else than its name says",
		Severity: Block, Confidence: High, Scope: "package",
		Why:   "A program that is called an image or a note is overlooked by people and by tools that go by names, and is run all the same.",
		Fix:   "Give the file the ending of what it is, or remove it.",
		CWE:   []int{434, 646, 506},
		OWASP: "AST01", find: findS03,
	}
}

// disguised reports whether a file is no text and claims to be something else.
func disguised(k *fact.FileKind) bool {
	if k.Empty || k.Magic == "lfs" {
		return false
	}
	switch k.Class {
	case fact.NativeForm, fact.BytecodeForm:
		return k.Named == fact.MediaForm || k.Named == fact.PlainForm || k.Named == fact.OfficeForm || k.Named == fact.RecordForm && k.Class == fact.NativeForm
	case fact.ArchiveForm:
		return k.Named == fact.MediaForm || k.Named == fact.PlainForm
	}
	return false
}

func findS03(p *pass) {
	for i := range p.Kinds {
		k := &p.Kinds[i]
		x := p.Package.Files[k.File]
		switch {
		case k.Empty || k.Magic == "lfs" || i == 0 && k.Class == fact.PlainForm && k.Tail == "":
		case disguised(k) && k.Class == fact.ArchiveForm:
			p.file(k, "%s is an archive (%s) under another name", k.Path, k.Magic).as(Review, High)
		case disguised(k):
			p.file(k, "%s is a program (%s) under another name", k.Path, k.Magic)
		case k.Tail != "":
			p.tail(k)
		case k.Class == fact.PlainForm && k.Named == fact.MediaForm && !markup(x.Raw):
			if k.Script != "" || program(string(x.Raw[:min(len(x.Raw), 4<<10)])) {
				p.file(k, "%s is a script under the name of an image, sound or font", k.Path)
			} else {
				p.file(k, "%s is a text under the name of an image, sound or font", k.Path).as(Review, Medium)
			}
		case k.Class == fact.PlainForm && k.Script != "" && x.Role == fact.Document && k.Named == fact.PlainForm && (x.Exec || p.runs(k.Path)):
			p.file(k, "%s is a script under the name of a text", k.Path).as(Review, Medium)
		case k.Class == fact.PlainForm && k.Script != "" && (k.Named == fact.RecordForm || k.Named == fact.OfficeForm):
			p.file(k, "%s is a script under the name of a document", k.Path)
		case k.Class == fact.RecordForm && k.Named == fact.PlainForm, k.Class == fact.OfficeForm && (k.Named == fact.PlainForm || k.Named == fact.MediaForm):
			p.file(k, "%s is no text but %s", k.Path, k.Magic).as(Review, Medium)
		case k.Class == fact.UnknownForm && k.Named == fact.PlainForm && k.Why != "":
			p.file(k, "%s is called a text and is none", k.Path).as(Review, Medium)
		}
	}
}

// tail judges what stands behind the end of a file.
func (p *pass) tail(k *fact.FileKind) {
	switch k.Tail {
	case "elf", "pe", "macho", "zip", "7z", "rar", "gzip", "class", "pyc":
		if k.Class == fact.MediaForm {
			p.file(k, "%s has a program or an archive (%s) behind the end of the image", k.Path, k.Tail)
			return
		}
		p.file(k, "%s goes on as another kind of file (%s)", k.Path, k.Tail).as(Review, Medium)
	case "text":
		p.file(k, "%s has text behind the end of the image", k.Path).as(Review, Medium)
	default:
		p.file(k, "%s goes on as data that is no text", k.Path).as(Review, Medium)
	}
}

// markup reports whether a text is a picture in XML or a page that stands in for one.
func markup(raw []byte) bool {
	head := strings.ToLower(strings.TrimSpace(string(raw[:min(len(raw), 512)])))
	return strings.HasPrefix(head, "<?xml") || strings.HasPrefix(head, "<svg") || strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") ||
		strings.Contains(head, "placeholder") && len(raw) < 512
}

// program reports whether a text begins as code does.
func program(head string) bool {
	n := 0
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "<?php"), strings.HasPrefix(line, "#!/"), strings.HasPrefix(line, "<script"):
			return true
		case strings.HasPrefix(line, "import "), strings.HasPrefix(line, "from ") && strings.Contains(line, " import "), strings.HasPrefix(line, "const ") && strings.Contains(line, "="), strings.HasPrefix(line, "def "),
			strings.HasPrefix(line, "function "), strings.HasPrefix(line, "curl "), strings.HasPrefix(line, "exec("), strings.HasPrefix(line, "eval("), strings.Contains(line, "require("), strings.HasPrefix(line, "export "), strings.HasPrefix(line, "powershell"):
			n++
		}
	}
	return n > 0
}

// runs reports whether a command of the package runs a file of it.
func (p *pass) runs(name string) bool {
	for i := range p.Commands {
		c := &p.Commands[i]
		if strings.HasSuffix(name, strings.TrimPrefix(c.Name, "./")) && strings.HasPrefix(c.Text, "./") {
			return true
		}
		switch c.Name {
		case "sh", "bash", "zsh", "dash", "source", ".", "python", "python3", "node", "ruby", "perl", "php", "chmod", "bun", "deno", "osascript", "pwsh", "powershell":
			for _, a := range c.Args {
				if a = strings.TrimPrefix(a, "./"); a != "" && !strings.HasPrefix(a, "-") && (a == name || strings.HasSuffix(a, "/"+name) || strings.HasSuffix(name, "/"+a)) {
					return true
				}
			}
		}
	}
	return false
}
