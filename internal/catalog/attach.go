package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/vfs"
)

// maxMentions is the maximum number of mentioned files that are processed per text.
const maxMentions = render.MaxLookups

// attach records the files that text mentions. Like the host, it resolves paths relative to the
// working directory and does not merge different spellings of the same path. It reads a file only
// if the file is inside the project and is mentioned in author, the part of the text that the
// definition's author or the user wrote. For other files, it only checks whether they exist.
func (h *hostCall) attach(text, author string, d *definition.Definition) {
	mentions := body.Mentions(text, maxMentions+1)
	if len(mentions) == 0 {
		return
	}
	where := ""
	if d != nil {
		where = d.Origin.Path
	}
	if len(mentions) > maxMentions {
		h.report(diag.FileLimit, where, "only the first %d file mentions are processed", maxMentions)
		mentions = mentions[:maxMentions]
	}
	a := attacher{hostCall: h, d: d, where: where, authored: body.Mentions(author, maxMentions)}
	for _, m := range mentions {
		a.mention(m)
	}
}

type attacher struct {
	*hostCall
	d     *definition.Definition
	where string
	// authored holds the mentions in the text that the definition's author or the user wrote. Only
	// the files that they name may be read.
	authored []body.Mention
	// bytesRead is the total size of the files read.
	bytesRead int
}

func (a *attacher) mention(m body.Mention) {
	name := a.c.mentionPath(m.Path)
	if name == "" {
		return
	}
	info, err := os.Stat(filepath.FromSlash(name))
	if err != nil {
		if strings.ContainsAny(m.Path, "./") {
			a.skip(diag.FileNotFound, "@%s: file not found; the host does not attach it", m.Path)
		}
		return
	}
	rules := &a.p.Attach
	switch {
	case info.IsDir():
		a.add(definition.Attachment{Path: name, Tool: rules.ListTool, Input: object("command", "ls "+name, "description", "Lists files in "+name)})
	case !info.Mode().IsRegular():
		a.skip(diag.FileNotRegular, "@%s is not a regular file; the host does not attach it", m.Path)
	case info.Size() > rules.MaxBytes:
		a.skip(diag.FileTooLarge, "@%s is larger than %d KiB; the host does not attach it", m.Path, rules.MaxBytes>>10)
	default:
		a.file(m, name)
	}
}

// file attaches a file and, if it may be read, its content.
func (a *attacher) file(m body.Mention, name string) {
	at := definition.Attachment{Path: name, Tool: a.p.Attach.ReadTool, Input: object("file_path", name)}
	if !slices.Contains(a.authored, m) {
		at.NotRead = "it is mentioned only in an argument or in command output, not in the definition or the user's prompt"
		a.add(at)
		return
	}
	d := a.d
	if d == nil {
		d = &definition.Definition{Origin: definition.Origin{Layer: definition.User}}
	}
	file, err := a.c.reader(d).ReadReference(a.ctx, name)
	code := diag.FileUnreadable
	if e, ok := err.(*render.RefError); ok {
		code = e.Code
	}
	switch {
	case err == nil && a.bytesRead+len(file.Data) > render.MaxFileBytes:
		at.NotRead = fmt.Sprintf("attached files are limited to %d MiB in total", render.MaxFileBytes>>20)
	case err == nil:
		a.bytesRead += len(file.Data)
		text := lines(string(file.Data), m.First, m.Last)
		at.Content = &text
	case code == diag.FileBinary:
		a.skip(code, "@%s is not a text file; the host does not attach it", m.Path)
		return
	default:
		at.NotRead = strings.TrimSuffix(err.Error(), " ["+string(code)+"]")
	}
	a.add(at)
}

// lines returns lines first through last of a file's text, or the entire text if first is 0. For a
// mention with a line range, the host sends only these lines, although its tool input is the same
// as for the whole file (Claude Code 2.1.330, case h44).
func lines(text string, first, last int) string {
	if first == 0 {
		return text
	}
	all := strings.Split(text, "\n")
	first = min(first-1, len(all))
	return strings.Join(all[first:max(first, min(last, len(all)))], "\n")
}

// skip records why a file is not attached. The host does not treat this as an error.
func (a *attacher) skip(code diag.Code, format string, args ...any) {
	a.report(code, a.where, format, args...).Severity = diag.Warning
}

func (a *attacher) add(at definition.Attachment) { a.out.Attached = append(a.out.Attached, at) }

// mentionPath returns a mention's absolute path, or "". It rejects UNC paths,
// because looking one up would contact another machine.
func (c *Catalog) mentionPath(name string) string {
	if filepath.Separator == '\\' {
		name = strings.ReplaceAll(name, `\`, "/")
		if strings.HasPrefix(name, "//") {
			return ""
		}
	}
	if vfs.CheckName(name) != nil {
		return ""
	}
	switch home := c.Env.Home; {
	case name == "~" || strings.HasPrefix(name, "~/"):
		if home == "" {
			return ""
		}
		return path.Join(home, name[1:])
	case vfs.IsAbs(name):
		return path.Clean(name)
	case c.Env.WorkDir == "":
		return ""
	}
	return path.Join(c.Env.WorkDir, name)
}

// object returns a JSON object with string values. pairs alternates between keys and values, whose
// order is kept.
func object(pairs ...string) json.RawMessage {
	b := []byte{'{'}
	for i, text := range pairs {
		if i > 0 {
			b = append(b, ",:"[i%2])
		}
		b = definition.AppendJSONString(b, text)
	}
	return append(b, '}')
}
