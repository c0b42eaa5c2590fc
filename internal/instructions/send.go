package instructions

import (
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// finish returns the function that trims a file's text. Files that are sent at the start of a
// session may be trimmed differently than files that are activated later.
func (x *builder) finish(session bool) func(string) string {
	if x.table.Exact || !session && x.table.Compose == nil {
		return func(s string) string { return s }
	}
	return Trim
}

// sendSession adds the messages for the files that are sent at the start of a session.
func (x *builder) sendSession(parts []loadedPart, asAgent bool) {
	if x.table.Compose != nil {
		if len(parts)+len(x.waiting) > 0 || x.table.Always {
			x.addComposed(x.table.Compose, parts, x.waiting)
		}
		return
	}
	if len(parts) == 0 {
		return
	}
	var texts []string
	for _, p := range parts {
		texts = append(texts, x.table.Part(p.path, p.label, p.Text))
		x.out.Parts = append(x.out.Parts, p.FilePart)
	}
	text := x.table.Message(strings.Join(texts, "\n\n"), x.c.Options.Now(), asAgent)
	x.out.Messages = append(x.out.Messages, definition.Message{Role: "user", Text: text})
}

// sendTouched adds the messages for the files that are activated by a file being worked on.
func (x *builder) sendTouched(parts []loadedPart) {
	if len(parts) == 0 {
		return
	}
	switch {
	case x.table.Brought != nil:
		x.addComposed(x.table.Brought, parts, nil)
		return
	case x.table.Compose != nil:
		x.addComposed(x.table.Compose, parts, nil)
		return
	}
	for i, p := range parts {
		x.out.Parts = append(x.out.Parts, p.FilePart)
		text := x.table.Touched(p.path, p.Text, i < len(parts)-1)
		x.out.Messages = append(x.out.Messages, definition.Message{Role: x.table.TouchedRole, Text: text})
	}
}

// waiting describes a conditional file that is not sent yet.
func waiting(f *instructionFile) host.WaitingInstruction {
	w := host.WaitingInstruction{Path: f.path, Patterns: f.d.Fields.Paths(), Description: f.d.Description}
	if f.row.Layer == definition.Project {
		w.Path, _ = relative(f.base, f.path)
	}
	return w
}

func (x *builder) addComposed(
	how func(host.InstructionSession, []host.InstructionText) []host.InstructionMessage, parts []loadedPart, waiting []host.WaitingInstruction,
) {
	var texts []host.InstructionText
	for _, p := range parts {
		x.out.Parts = append(x.out.Parts, p.FilePart)
		if !p.inline {
			texts = append(texts, host.InstructionText{Path: p.path, Layer: p.Layer, Text: p.Text, Rule: p.rule})
		}
	}
	user, _ := x.c.HostDir()
	for _, m := range how(host.InstructionSession{WorkDir: x.workDir(), UserDir: user, Waiting: waiting}, texts) {
		x.out.Messages = append(x.out.Messages, definition.Message(m))
	}
}

// truncate truncates a file at the host's limit for all project files combined.
func (x *builder) truncate(f *instructionFile, data []byte) []byte {
	if x.table == nil || x.table.MaxTotal == 0 || f.row.Layer != definition.Project || strings.TrimSpace(string(data)) == "" {
		return data
	}
	left := x.table.MaxTotal - x.sent
	size := int64(len(data))
	x.sent += min(size, left)
	if size <= left {
		return data
	}
	x.report(diag.For(f.d.Origin.Path, diag.FileTooLarge, "project instruction files are limited to %[3]d bytes in total, so only %[2]d of this file's %[1]d bytes are sent",
		size, left, x.table.MaxTotal).WithFix("shorten this file or instruction files in parent directories"))
	return data[:left]
}
