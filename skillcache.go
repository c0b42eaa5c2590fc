package vade

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/vfs"
)

// LoadedSkill is a skill with its content.
type LoadedSkill struct {
	// ID is the name that it is loaded by, Name the one that its author wrote.
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Keywords    []string `json:"keywords"`
	// Source is the word of [Definition.Source], Path the file.
	Source string `json:"source"`
	Path   string `json:"path"`
	// Digest is "sha256:" and the hash of the file that Content is of.
	Digest string `json:"digest"`
	// Content is the text as [Catalog.Load] renders it without arguments, Tokens
	// what it is estimated to cost.
	Content     string       `json:"content"`
	Tokens      int          `json:"tokens"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// LoadSkill returns the content of one skill, by the name that it is listed under
// or an alias. It is what a tool for skills answers with.
//
// A file is read once in the life of the catalog, and read again when its length,
// its times or its identity change; where these are not certain it is read again
// and the digest decides. The text of an unchanged file is not rendered again,
// unless it puts in files or runs commands, which may have changed. What the
// catalog lists of the skill stays as it was read first.
//
// The error for a name that no skill has is an [*Error] with the code
// SKILL_NOT_FOUND and the names that there are; its message says them too, for a
// model. The limits of [Options.MaxSkills] are not those of this call: it is one
// skill, of at most 4 MiB.
func (c *Catalog) LoadSkill(ctx context.Context, id string) (*LoadedSkill, error) {
	return c.LoadSkillFor(ctx, "", id)
}

// LoadSkillFor is [Catalog.LoadSkill] as an agent asks for it; see
// [Catalog.LoadFor].
func (c *Catalog) LoadSkillFor(ctx context.Context, agent, id string) (*LoadedSkill, error) {
	d, err := c.find(ctx, []string{strings.TrimSpace(id)}, []Kind{Skill})
	if err != nil {
		return nil, err
	}
	l := loader{c: c, ctx: ctx}
	if d == nil {
		return nil, l.noSkill(agent, id)
	}
	if err := c.refuse(ctx, agent, d); err != nil {
		return nil, err
	}
	doc, digest, kept, err := c.skills.document(ctx, c, d)
	if err != nil {
		return nil, &Error{
			Code: diag.FileUnreadable, Message: strings.TrimPrefix(err.Error(), "vade: "), SearchedPaths: []string{d.Origin.Path},
			Fix: "make the file readable, or remove it",
		}
	}
	s := &LoadedSkill{
		ID: d.Name, Name: cmp.Or(d.Title, d.Name), Description: d.Description, Keywords: append([]string{}, d.Fields.Keywords...),
		Source: sourceOf(d), Path: d.Origin.Path, Digest: digest,
	}
	if kept != nil {
		s.Content = *kept
	} else {
		s.Content = l.render(d, &doc, doc.Body, render.ParseArguments(""), false)
		if x := l.result.Expansions; x == nil || len(x.Files)+len(x.Bash) == 0 {
			c.skills.keep(d, digest, s.Content)
		}
	}
	s.Tokens = tokens.Estimate(s.Content)
	s.Diagnostics = append([]Diagnostic{}, l.result.Diagnostics...)
	return s, nil
}

// noSkill is the error for a name that no skill has, with those that the agent may
// load.
func (l *loader) noSkill(agent, id string) error {
	err := l.missing(definition.Skill, id)
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	all, err := l.c.scan(l.ctx)
	if err != nil {
		return err
	}
	e.AvailableSkills = []string{}
	may := asking(all, agent)
	for _, d := range all.All {
		if d.Kind == Skill && d.State == Loaded && !d.Fields.DisableModelInvocation && may.may(d) {
			e.AvailableSkills = append(e.AvailableSkills, d.Name)
		}
	}
	if len(e.AvailableSkills) == 0 {
		e.Message += ". There are no skills"
	} else {
		e.Message += fmt.Sprintf(". Available skills: %s", strings.Join(e.AvailableSkills, ", "))
	}
	return e
}

// maxKept is how many bytes of skills a catalog keeps at most.
const maxKept = 32 << 20

// skillCache keeps the skills that were loaded. Its zero value is empty.
type skillCache struct {
	mu    sync.Mutex
	files map[string]*keptSkill
	bytes int64
}

// keptSkill is one file. content is nil until it was rendered, or where it has to
// be rendered each time.
type keptSkill struct {
	stamp   vfs.Stamp
	at      time.Time
	digest  string
	doc     parse.Document
	content *string
}

// document returns the text of a skill with its digest, and what was made of just
// this text if it was kept.
func (s *skillCache) document(ctx context.Context, c *Catalog, d *definition.Definition) (parse.Document, string, *string, error) {
	stamp, certain := c.stamp(ctx, d)
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.files[d.Origin.Real]
	if old != nil && certain && stamp.Unchanged(old.stamp, old.at) {
		return old.doc, old.digest, old.content, nil
	}
	at := time.Now()
	doc, err := c.document(ctx, d)
	if err != nil {
		return doc, "", nil, err
	}
	sum := sha256.Sum256(doc.File.Data)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if old != nil && old.digest == digest {
		old.stamp, old.at = stamp, at
		return old.doc, digest, old.content, nil
	}
	size := int64(len(doc.File.Data))
	if old != nil {
		s.bytes -= old.size()
		delete(s.files, d.Origin.Real)
	}
	if s.bytes+size <= maxKept {
		if s.files == nil {
			s.files = map[string]*keptSkill{}
		}
		s.files[d.Origin.Real] = &keptSkill{stamp: stamp, at: at, digest: digest, doc: doc}
		s.bytes += size
	}
	return doc, digest, nil, nil
}

// keep keeps what was made of a text, if that is still the file's.
func (s *skillCache) keep(d *definition.Definition, digest, content string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.files[d.Origin.Real]
	if k == nil || k.digest != digest || k.content != nil || s.bytes+int64(len(content)) > maxKept {
		return
	}
	k.content = &content
	s.bytes += int64(len(content))
}

func (k *keptSkill) size() int64 {
	n := int64(len(k.doc.File.Data))
	if k.content != nil {
		n += int64(len(*k.content))
	}
	return n
}

// stamp returns the stamp of a definition's file.
func (c *Catalog) stamp(ctx context.Context, d *definition.Definition) (vfs.Stamp, bool) {
	plan := c.quick
	if d.Origin.Plugin != "" {
		var err error
		if plan, err = c.plan(ctx); err != nil {
			return vfs.Stamp{}, false
		}
	}
	s, err := plan.Stamp(d.Origin.Real)
	return s, err == nil
}
