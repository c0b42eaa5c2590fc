package document

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/audit/signal"
)

// frontmatter adds a region for each value in a definition's frontmatter, labeled with the value's
// key. It returns the offset of the body. Invalid frontmatter becomes a single region.
func (d *reader) frontmatter(file int) (body int) {
	x := d.set.Package.Files[file]
	from := d.fileText(file, 0)
	from.Medium = signal.Frontmatter
	doc := x.Fields()
	switch {
	case !doc.Valid && x.Lang == "toml":
		return 0 // Read the whole file as body text.
	case !doc.Found:
		return doc.Body
	}
	block := part(from, doc.Text.Start, doc.Text.End, signal.Frontmatter)
	if !doc.Valid {
		d.add(block)
		return doc.Body
	}
	eachString(doc.Entries, func(key string, x *definition.Value) {
		r := value(from, x.Span.Start, x.Span.End, x.Text)
		if f := d.set.Package.Files[file]; f.Lang == "toml" && (key == "prompt" || key == "developer_instructions") {
			d.document(&r)
		} else if d.count < maxRegions {
			r.Part = key
			d.add(r)
		}
	})
	if x.Lang != "toml" {
		// Hosts that send the whole file to the model also send the comments in the frontmatter.
		f := textFinder{d: d, source: &block, comment: builder{source: &block}, all: true}
		f.comments()
	}
	return doc.Body
}

// eachString calls do for each string in a list of fields. key is the dotted path of the string's
// key.
func eachString(list []definition.Entry, do func(key string, x *definition.Value)) {
	// Limits on the nesting depth of maps and lists, and on key length.
	const maxNesting, maxKey = 40, 200
	var visit func(key string, x *definition.Value, depth int)
	visit = func(key string, x *definition.Value, depth int) {
		if depth > maxNesting {
			return
		}
		if x.Kind == definition.String {
			do(key, x)
		}
		for i := range x.Items {
			visit(key, &x.Items[i], depth+1)
		}
		for i := range x.Pairs {
			name := strings.TrimPrefix(key+"."+x.Pairs[i].Key, ".")
			visit(name[:min(len(name), maxKey)], &x.Pairs[i].Value, depth+1)
		}
	}
	visit("", &definition.Value{Kind: definition.Map, Pairs: list}, 0)
}

// notebook splits a Jupyter notebook into cells and reports whether the file is one.
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

// cell adds a code cell.
func (d *reader) cell(c *signal.Region, lang string) {
	c.Medium, c.Lang = signal.Code, lang
	if magic, ok := strings.CutPrefix(c.Text, "%%"); ok {
		c.Lang = cmp.Or(signal.Language(strings.SplitN(magic, "\n", 2)[0]), lang)
	}
	c.Parent = d.add(*c)
	d.shellLines(c.Parent)
	d.texts(c)
}
