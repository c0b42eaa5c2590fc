package document

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
)

// frontmatter adds a definition's frontmatter values as regions, each with its key, and returns the
// start of the body. Invalid frontmatter becomes a single region.
func (d *reader) frontmatter(file int) (body int) {
	x := d.set.Package.Files[file]
	from := d.fileStretch(file, 0)
	from.Medium = signal.Frontmatter
	src := diag.NewFile(x.Path, []byte(x.Text))
	if x.Lang == "toml" {
		if doc, _ := frontmatter.ParseTOML(src); doc.Valid {
			d.fields(from, "", doc.Entries, 0)
			return doc.Body
		}
		return 0 // The frontmatter is read as body text.
	}
	doc, _ := frontmatter.Parse(src, false, host.NeutralDialect())
	if !doc.Found {
		return doc.Body
	}
	block := part(from, doc.Text.Start, doc.Text.End, signal.Frontmatter)
	if !doc.Valid {
		d.add(block)
		return doc.Body
	}
	d.fields(from, "", doc.Entries, 0)
	// Hosts that send the whole file also send its comments.
	f := textFinder{d: d, from: &block, comment: builder{from: &block}, all: true}
	f.comments()
	return doc.Body
}

// maxNesting is the maximum nesting depth of maps and lists.
const maxNesting = 40

func (d *reader) fields(from *signal.Region, parent string, list []definition.Entry, depth int) {
	for i := range list {
		key := strings.TrimPrefix(parent+"."+list[i].Key, ".")
		d.field(from, key[:min(len(key), 200)], &list[i].Value, depth+1)
	}
}

func (d *reader) field(from *signal.Region, key string, x *definition.Value, depth int) {
	switch {
	case depth > maxNesting || d.count >= maxRegions:
	case x.Kind == definition.Map:
		d.fields(from, key, x.Pairs, depth)
	case x.Kind == definition.List:
		for i := range x.Items {
			d.field(from, key, &x.Items[i], depth+1)
		}
	case x.Kind == definition.String:
		start := min(x.Span.Start, len(from.Text))
		r := value(from, start, max(start, min(x.Span.End, len(from.Text))), x.Text)
		if x := d.set.Package.Files[from.File]; x.Lang == "toml" && (key == "prompt" || key == "developer_instructions") {
			d.document(&r)
			return
		}
		r.Part = key
		d.add(r)
	}
}

// notebook splits a Jupyter notebook into cells, and reports whether the file is one.
func (d *reader) notebook(r *signal.Region) bool {
	var book struct {
		Cells []struct {
			Kind   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
		Metadata struct {
			Language struct{ Name string } `json:"language_info"`
		} `json:"metadata"`
	}
	name := strings.ToLower(d.set.Package.Files[r.File].Path)
	if !strings.HasSuffix(name, ".ipynb") || json.Unmarshal([]byte(r.Text), &book) != nil || len(book.Cells) == 0 {
		return false
	}
	lang := cmp.Or(signal.Language(book.Metadata.Language.Name), "py")
	last := 0
	for _, c := range book.Cells {
		var lines []string
		var text string
		if json.Unmarshal(c.Source, &lines) != nil {
			_ = json.Unmarshal(c.Source, &text)
		}
		at := last + max(0, strings.Index(r.Text[last:], string(c.Source)))
		last = min(at+len(c.Source), len(r.Text))
		if cell := value(r, at, last, text+strings.Join(lines, "")); c.Kind == "code" {
			d.cell(&cell, lang)
		} else {
			d.document(&cell)
		}
	}
	return true
}

// cell adds a code cell. A shell runs lines that start with "!".
func (d *reader) cell(c *signal.Region, lang string) {
	c.Medium, c.Lang = signal.Code, lang
	if magic, ok := strings.CutPrefix(c.Text, "%%"); ok {
		c.Lang = cmp.Or(signal.Language(strings.SplitN(magic, "\n", 2)[0]), lang)
	}
	c.Parent = d.add(*c)
	at := 0
	for line := range strings.Lines(c.Text) {
		if command, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "!"); ok {
			s := part(c, at+len(line)-len(command), at+len(strings.TrimRight(line, "\r\n")), signal.Code)
			s.Lang = "sh"
			d.add(s)
		}
		at += len(line)
	}
	d.texts(c)
}
