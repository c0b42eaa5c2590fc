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

// Source is the MCP feature that a definition comes from.
type Source uint8

// The features that definitions come from. Only with FromSkills does a server list the digests of
// all files in advance.
const (
	FromSkills Source = iota + 1
	FromResource
	FromPrompt
)

// String returns "skills", "resource" or "prompt".
func (v Source) String() string { return [...]string{"", "skills", "resource", "prompt"}[v] }

// Resource is a skill's file as listed by the server.
type Resource struct {
	URI string `json:"uri"`
	// Digest is "sha256:" followed by 64 lowercase hex digits. Size is in bytes.
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Argument is a prompt argument.
type Argument struct {
	Name        string
	Description string
	Required    bool
}

// Entry is a skill or prompt that a server offers. Its syntax has been validated, but its content
// has not been verified.
type Entry struct {
	Server string
	Via    Source
	// Name is the definition's name within the server; see [Entry.Label].
	Name string
	// URI is SKILL.md's URI, or "prompt:NAME" for a prompt.
	URI string
	// Prompt is the server's name for the prompt.
	Prompt      string
	Description string
	// Frontmatter holds the fields that the server listed.
	Frontmatter map[string]any
	// Resources lists all files. Dynamic reports whether the server does not list the files.
	Resources []Resource
	Dynamic   bool
	Arguments []Argument
	// dir is the URI of the skill's directory, and path is that directory's path.
	dir, path string
}

// Size returns SKILL.md's listed size in bytes, or 0.
func (e *Entry) Size() int64 {
	if r := e.resource(e.URI); r != nil {
		return r.Size
	}
	return 0
}

// Files returns all files' paths relative to the skill's directory, sorted.
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

// File returns a listed file's URI, given its path relative to the skill's directory.
func (e *Entry) File(path string) (string, error) {
	for _, r := range e.Resources {
		if p, ok := below(e.dir, r.URI); ok && p == path {
			return r.URI, nil
		}
	}
	return "", newError(diag.RemoteUnlisted, "use a file that the skill lists", "%s%s/%s does not list %q", Scheme, e.Server, e.Name, truncate(path))
}

func (e *Entry) resource(uri string) *Resource {
	for i := range e.Resources {
		if e.Resources[i].URI == uri {
			return &e.Resources[i]
		}
	}
	return nil
}

// parseEntry parses an entry returned by skills/list or skills/get. Errors
// complete the sentence "skill N …".
func parseEntry(server string, data []byte) (*Entry, error) {
	var in struct {
		URI         string          `json:"uri"`
		Frontmatter json.RawMessage `json:"frontmatter"`
		Resources   json.RawMessage `json:"resources"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, errors.New("is not a valid skill entry")
	}
	e := &Entry{Server: server, Via: FromSkills, URI: in.URI}
	var ok bool
	if e.dir, e.path, e.Name, ok = skillURI(in.URI); !ok {
		return nil, errors.New("has a URI that does not match SCHEME://PATH/NAME/SKILL.md")
	}
	if err := e.parseFrontmatter(in.Frontmatter); err != nil {
		return nil, err
	}
	return e, e.parseResources(in.Resources)
}

func (e *Entry) parseFrontmatter(data []byte) error {
	if len(data) > MaxFrontmatter {
		return errors.New("has frontmatter larger than 64 KiB")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&e.Frontmatter); err != nil || e.Frontmatter == nil {
		return errors.New("has frontmatter that is not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has frontmatter that is not a JSON object")
	}
	name, _ := e.Frontmatter["name"].(string)
	description, ok := e.Frontmatter["description"].(string)
	if name != e.Name {
		return errors.New("has different names in its frontmatter and URI")
	}
	if !ok || strings.TrimSpace(description) == "" {
		return errors.New("has no description in its frontmatter")
	}
	e.Description = description
	return nil
}

// parseResources parses the list of files. According to the specification, an entry without the
// list is invalid.
func (e *Entry) parseResources(data []byte) error {
	if bytes.Equal(bytes.TrimSpace(data), []byte(`"dynamic"`)) {
		e.Dynamic = true
		return nil
	}
	if err := json.Unmarshal(data, &e.Resources); err != nil || len(data) == 0 || e.Resources == nil {
		return errors.New("does not have a valid list of resources")
	}
	if len(e.Resources) > MaxResources {
		return errors.New("has more than 512 resources")
	}
	seen := map[string]bool{}
	var total int64
	for _, r := range e.Resources {
		// Several URIs can refer to the same path.
		path, ok := below(e.dir, r.URI)
		switch {
		case !ok:
			return errors.New("lists a resource outside its directory")
		case seen[path]:
			return errors.New("lists a resource twice")
		case !validDigest(r.Digest) || r.Size < 0 || r.Size > MaxSkill:
			return errors.New("lists a resource without a valid digest or size")
		}
		seen[path] = true
		total += r.Size
	}
	switch {
	case e.resource(e.URI) == nil:
		return errors.New("does not list its own SKILL.md")
	case total > MaxSkill:
		return errors.New("is larger than 16 MiB")
	}
	return nil
}

func validDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}

// assignNames gives one server's entries unique names. It returns the entries that received a valid
// name as kept, and the others as dropped. If multiple skills have the same name, each is named by
// its full path, so none takes precedence.
func assignNames(entries []*Entry) (kept []*Entry, dropped []*Entry) {
	count := map[string]int{}
	for _, e := range entries {
		count[e.Name]++
	}
	taken := map[string]bool{}
	slices.SortStableFunc(entries, func(a, b *Entry) int { return strings.Compare(a.URI, b.URI) })
	for _, e := range entries {
		if count[e.Name] > 1 && e.path != "" {
			e.Name = e.path
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

// validPath reports whether a path can be part of a definition name. Each element must be a valid
// name, and the whole path may have at most maxPathRunes runes.
func validPath(name string) bool {
	if utf8.RuneCountInString(name) > maxPathRunes {
		return false
	}
	for element := range strings.SplitSeq(name, "/") {
		if !validName(element) {
			return false
		}
	}
	return true
}

// Label returns the definition's full name, mcp:SERVER/NAME.
func (e *Entry) Label() string { return Scheme + e.Server + "/" + e.Name }

// ParseLabel splits a full name into the server and the definition's name, which may be a URI.
func ParseLabel(label string) (server, name string, ok bool) {
	rest, ok := strings.CutPrefix(label, Scheme)
	if !ok {
		return "", "", false
	}
	server, name, _ = strings.Cut(rest, "/")
	return server, name, ValidServer(server)
}

func truncate(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
