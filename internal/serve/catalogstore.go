package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// skillsOf returns the skills among definitions that have files, by URI.
func skillsOf(list []catalog.Definition) []Skill {
	n := 0
	for _, d := range list {
		if d.Kind() == definition.Skill && d.HasFile() {
			n++
		}
	}
	skills := make([]Skill, 0, n)
	for _, d := range list {
		if d.Kind() == definition.Skill && d.HasFile() {
			s := Skill{d: d}
			s.URI = uriOf(d, s.Name(), 1)
			skills = append(skills, s)
		}
	}
	slices.SortStableFunc(skills, func(a, b Skill) int { return strings.Compare(a.URI, b.URI) })
	// Two of one layer may state the same name: the later ones get a number.
	first, same, renamed := "", 1, false
	for i := range skills {
		s := &skills[i]
		if s.URI != first {
			first, same = s.URI, 1
			continue
		}
		same, renamed = same+1, true
		s.URI = uriOf(s.d, s.Name(), same)
	}
	if renamed {
		slices.SortStableFunc(skills, func(a, b Skill) int { return strings.Compare(a.URI, b.URI) })
	}
	return skills
}

// uriOf returns the URI of a skill, the nth of its layer that has this name.
func uriOf(d catalog.Definition, name string, n int) string {
	elements := []string{d.Layer().String()}
	if d.Plugin() != "" {
		elements = append(elements, d.Plugin())
	}
	if d.Nested() != "" {
		elements = append(elements, strings.Split(d.Nested(), "/")...)
	}
	if n > 1 {
		elements = append(elements, strconv.Itoa(n))
	}
	var b strings.Builder
	b.WriteString("skill://")
	for _, e := range append(elements, name) {
		b.WriteString(escape(e))
		b.WriteByte('/')
	}
	b.WriteString(skillFile)
	return b.String()
}

// skillFile is the name of a skill's own file.
const skillFile = "SKILL.md"

// escape makes one element of a URI of a text. Dots alone would be taken for a way
// through directories.
func escape(element string) string {
	if strings.Trim(element, ".") == "" {
		return strings.Repeat("%2E", len(element))
	}
	return url.PathEscape(element)
}

// catalogStore is the [Store] of one state, which its user holds.
type catalogStore struct{ st *state }

func (s catalogStore) Generation() uint64 { return s.st.generation }

func (s catalogStore) Skills() []Skill { return s.st.skills }

func (s catalogStore) Skill(uri string) (Skill, bool) {
	i, ok := slices.BinarySearchFunc(s.st.skills, uri, func(x Skill, uri string) int { return cmp.Compare(x.URI, uri) })
	if !ok {
		return Skill{}, false
	}
	return s.st.skills[i], true
}

func (s catalogStore) Frontmatter(ctx context.Context, x Skill) (json.RawMessage, error) {
	f, err := x.d.Frontmatter(ctx)
	if err != nil {
		return nil, err
	}
	return f.MarshalJSON()
}

func (s catalogStore) Files(ctx context.Context, x Skill, limit int) ([]File, bool, error) {
	list, more, err := x.d.Files(ctx, limit)
	if err != nil {
		return nil, false, noFile(err)
	}
	files := make([]File, len(list))
	for i, f := range list {
		files[i] = File{Path: f.Path, Size: f.Info.Size(), Info: f.Info}
	}
	return files, more, nil
}

// Admit refuses a skill that the audit of the catalog refuses.
func (s catalogStore) Admit(ctx context.Context, x Skill) error {
	_, err := x.d.Audited(ctx)
	return err
}

func (s catalogStore) ReadFile(ctx context.Context, x Skill, path string, limit int64) ([]byte, error) {
	data, err := x.d.ReadFile(ctx, path, limit)
	return data, noFile(err)
}

func noFile(err error) error {
	if errors.Is(err, catalog.ErrNoFile) {
		return fmt.Errorf("%w: %w", ErrNoFile, err)
	}
	return err
}
