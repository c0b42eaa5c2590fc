package catalog

import (
	"slices"
	"strconv"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/terminal"
)

// JSON encodes the result as indented JSON with a trailing newline. The common parts are encoded by
// hand, because encoding/json first inspects all types, which is slow.
func JSON(r *definition.Result) ([]byte, error) {
	j := jsonObject{b: []byte{'{'}, line: "\n  "}
	j.raw("success", strconv.FormatBool(r.Success))
	for _, one := range []struct {
		key     string
		content *definition.Content
	}{{"command", r.Command}, {"agent", r.Agent}, {"instruction", r.Instruction}} {
		if one.content != nil {
			j.key(one.key)
			j.content(one.content, "\n  ")
		}
	}
	for i := range r.Skills {
		if i == 0 {
			j.key("skills")
		}
		j.b = append(append(j.b, "[,"[min(i, 1)]), "\n    "...)
		j.content(&r.Skills[i], "\n    ")
	}
	if len(r.Skills) > 0 {
		j.b = append(j.b, "\n  ]"...)
	}
	if e := r.Expansions; e != nil && len(e.Files)+len(e.Bash) == 0 {
		j.raw("expansions", "{\n    \"files\": [],\n    \"bash\": []\n  }")
	} else if e != nil {
		j.value("expansions", e)
	}
	if r.Metadata != nil {
		j.value("metadata", r.Metadata)
	}
	if r.Error != nil {
		j.value("error", r.Error)
	}
	if len(r.Diagnostics) > 0 {
		j.value("diagnostics", r.Diagnostics)
	}
	return terminal.EscapeJSON(append(j.b, "\n}\n"...)), j.err
}

// content appends the JSON object for one definition. outer is the line break and indentation to
// write before the closing brace.
func (j *jsonObject) content(c *definition.Content, outer string) {
	inner := jsonObject{b: slices.Grow(j.b, (len(c.Text)+len(c.Raw))*9/8+1<<10), line: outer + "  ", err: j.err}
	inner.b = append(inner.b, '{')
	inner.text("kind", c.Kind.String())
	inner.text("name", c.Name)
	inner.text("path", c.Path)
	inner.raw("sizeKb", strconv.FormatFloat(c.SizeKB, 'f', -1, 64))
	inner.value("frontmatter", c.Frontmatter)
	inner.text("content", c.Text)
	inner.text("raw", c.Raw)
	inner.text("title", c.Title)
	inner.text("description", c.Description)
	inner.text("layer", c.Layer.String())
	inner.optional("plugin", c.Plugin)
	inner.optional("digest", c.Digest)
	if len(c.Shadowed) > 0 {
		inner.value("shadowed", c.Shadowed)
	}
	if c.Audit != nil {
		inner.value("audit", c.Audit)
	}
	j.b, j.err = append(append(inner.b, outer...), '}'), inner.err
}

func (c *Catalog) timestamp() string { return c.Options.Now().UTC().Format(time.RFC3339) }

// kilobytes converts a size to KiB with one decimal. The result is at least 0.1 unless size is 0.
func kilobytes(size int64) float64 {
	tenths := (size*10 + 512) / 1024
	if size > 0 {
		tenths = max(tenths, 1)
	}
	return float64(tenths) / 10
}
