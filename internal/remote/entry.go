package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vadehq/vade/diag"
)

// Via says by which means a server offers something.
type Via uint8

// The means. Only ViaSkills says beforehand what the bytes of all files are.
const (
	ViaSkills Via = iota + 1
	ViaResource
	ViaPrompt
)

// String returns "skills", "resource" or "prompt".
func (v Via) String() string { return [...]string{"", "skills", "resource", "prompt"}[v] }

// Resource is one file of a skill, as the server lists it.
type Resource struct {
	URI string `json:"uri"`
	// Digest is "sha256:" and 64 hexadecimal digits; Size the length in bytes.
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Argument is one argument of a prompt.
type Argument struct {
	Name        string
	Description string
	Required    bool
}

// Entry is one skill or prompt that a server offers. Nothing in it was verified
// yet but its form.
type Entry struct {
	Server string
	Via    Via
	// Name is how it is called below its server; see [Label].
	Name string
	// URI is that of the SKILL.md, for a prompt "prompt:NAME".
	URI string
	// Prompt is the name of the prompt, as the server knows it.
	Prompt      string
	Description string
	// Frontmatter are the fields as the server says them.
	Frontmatter map[string]any
	// Resources are all files; Dynamic: the server does not say which there are.
	Resources []Resource
	Dynamic   bool
	Arguments []Argument
	// dir and place are the URI of the skill's directory and its path.
	dir, place string
}

// Size is the length of the SKILL.md in bytes, as far as it is listed.
func (e *Entry) Size() int64 {
	if r := e.listed(e.URI); r != nil {
		return r.Size
	}
	return 0
}

// Files are the paths of all files below the skill's directory, sorted.
func (e *Entry) Files() []string {
	var list []string
	for _, r := range e.Resources {
		if p, ok := below(e.dir, r.URI); ok {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// File returns the URI of a file by its path below the skill's directory. What is
// not listed is refused.
func (e *Entry) File(path string) (string, error) {
	for _, r := range e.Resources {
		if p, ok := below(e.dir, r.URI); ok && p == path {
			return r.URI, nil
		}
	}
	return "", failed(diag.RemoteUnlisted, "name a file of the skill's list", "the skill %s%s/%s does not list %q", Scheme, e.Server, e.Name, short(path))
}

func (e *Entry) listed(uri string) *Resource {
	for i := range e.Resources {
		if e.Resources[i].URI == uri {
			return &e.Resources[i]
		}
	}
	return nil
}

// parseEntry reads an entry of skills/list or skills/get. The error says why it is
// not loaded.
func parseEntry(server string, data []byte) (*Entry, error) {
	var in struct {
		URI         string          `json:"uri"`
		Frontmatter json.RawMessage `json:"frontmatter"`
		Resources   json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, errors.New("is not an entry of a skill")
	}
	e := &Entry{Server: server, Via: ViaSkills, URI: in.URI}
	var ok bool
	if e.dir, e.place, e.Name, ok = skillURI(in.URI); !ok {
		return nil, errors.New("has a uri that does not lead to the SKILL.md of a name")
	}
	if err := e.fields(in.Frontmatter); err != nil {
		return nil, err
	}
	return e, e.resources(in.Resources)
}

func (e *Entry) fields(data []byte) error {
	if len(data) > MaxFrontmatter {
		return errors.New("has frontmatter that is longer than 64 KiB")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&e.Frontmatter); err != nil || e.Frontmatter == nil {
		return errors.New("has no frontmatter that is an object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has no frontmatter that is an object")
	}
	name, _ := e.Frontmatter["name"].(string)
	description, ok := e.Frontmatter["description"].(string)
	if name != e.Name {
		return errors.New("has a name in its frontmatter that is not that of its uri")
	}
	if !ok || strings.TrimSpace(description) == "" {
		return errors.New("has no description in its frontmatter")
	}
	e.Description = description
	return nil
}

// resources reads the list of files. Without one the entry is invalid (documented).
func (e *Entry) resources(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte(`"dynamic"`)) {
		e.Dynamic = true
		return nil
	}
	if err := json.Unmarshal(data, &e.Resources); err != nil || len(data) == 0 || e.Resources == nil {
		return errors.New("does not say which resources it has")
	}
	if len(e.Resources) > MaxResources {
		return errors.New("has more than 512 resources")
	}
	seen := map[string]bool{}
	var total int64
	for _, r := range e.Resources {
		// One file may be written in several ways.
		path, ok := below(e.dir, r.URI)
		switch {
		case !ok:
			return errors.New("lists a resource that is not below its own directory")
		case seen[path]:
			return errors.New("lists a resource twice")
		case !validDigest(r.Digest) || r.Size < 0 || r.Size > MaxSkill:
			return errors.New("lists a resource without a digest or a size")
		}
		seen[path] = true
		total += r.Size
	}
	switch {
	case e.listed(e.URI) == nil:
		return errors.New("does not list its own SKILL.md")
	case total > MaxSkill:
		return errors.New("has more than 16 MiB")
	}
	return nil
}

func validDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// settle gives the entries of one server names of their own, and returns those
// that keep one. Where two skills have one name, both are called by their whole
// path, so that neither takes the other's place.
func settle(entries []*Entry) (kept []*Entry, dropped []*Entry) {
	count := map[string]int{}
	for _, e := range entries {
		count[e.Name]++
	}
	taken := map[string]bool{}
	slices.SortStableFunc(entries, func(a, b *Entry) int { return strings.Compare(a.URI, b.URI) })
	for _, e := range entries {
		if count[e.Name] > 1 && e.place != "" {
			e.Name = e.place
		}
		if taken[e.Name] || !validPath(e.Name) {
			dropped = append(dropped, e)
			continue
		}
		taken[e.Name] = true
		kept = append(kept, e)
	}
	return kept, dropped
}

// validPath reports whether a path can be a part of a name of ours: each element is a
// name, and all are together no longer than two.
func validPath(name string) bool {
	if utf8.RuneCountInString(name) > maxPlace {
		return false
	}
	for element := range strings.SplitSeq(name, "/") {
		if !validName(element) {
			return false
		}
	}
	return true
}

// Label is the name of what a server offers: mcp:SERVER/NAME.
func (e *Entry) Label() string { return Scheme + e.Server + "/" + e.Name }

// CutLabel divides a name of ours into those of the server and of what it offers.
// The second may be a URI.
func CutLabel(label string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(label, Scheme)
	if !ok {
		return "", "", false
	}
	server, name, _ = strings.Cut(rest, "/")
	return server, name, ValidServer(server)
}

func short(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
