package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/render"
)

// LoadedSkill is a skill along with its content.
type LoadedSkill struct {
	// ID is the name that loads the skill, and Name is the name as the author wrote it.
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Keywords    []string `json:"keywords"`
	// Source is the result of [Definition.Source], and Path is the file's path.
	Source string `json:"source"`
	Path   string `json:"path"`
	// Digest is "sha256:" followed by the hash of the file that Content was rendered from.
	Digest string `json:"digest"`
	// Content is the text that [Catalog.Load] renders without arguments, and Tokens is its
	// estimated token count.
	Content     string            `json:"content"`
	Tokens      int               `json:"tokens"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// LoadSkill returns a skill's content. It is meant for tools that load skills. id is a listed name
// or an alias, and agent is the calling agent, or "" for a person; see [Catalog.LoadFor].
//
// LoadSkill reads a file again only if its size, times or identity have changed. If these are
// unreliable, it rereads the file and compares digests. It renders an unchanged file again only if
// the file includes other files or runs commands, because their results may have changed. The
// skill's listing entry does not change.
//
// If the name is unknown, the error is an [*Error] with the code SKILL_NOT_FOUND and the available
// names. The message repeats the names for a model. [Options.MaxSkills] and [Options.MaxSkillBytes]
// do not apply: each call loads one skill of at most 4 MiB.
func (c *Catalog) LoadSkill(ctx context.Context, agent, id string) (*LoadedSkill, error) {
	d, err := c.find(ctx, []string{strings.TrimSpace(id)}, []definition.Kind{definition.Skill})
	if err != nil {
		return nil, err
	}
	l := Loader{C: c, Ctx: ctx}
	if d == nil {
		return nil, l.skillNotFound(agent, id)
	}
	if err := c.CheckAgent(ctx, agent, d); err != nil {
		return nil, err
	}
	k, err := c.files.document(ctx, c, d)
	if err != nil {
		return nil, &definition.Error{
			Code: diag.FileUnreadable, Message: strings.TrimPrefix(err.Error(), "vade: "), SearchedPaths: []string{d.Origin.Path},
			Fix: "make the file readable, or remove it",
		}
	}
	verdict, err := c.Gate(ctx, d, &k.doc)
	if err != nil {
		return nil, err
	}
	l.result.Diagnostics = append(l.result.Diagnostics, verdict.Diagnostics...)
	s := &LoadedSkill{
		ID: d.Name, Name: cmp.Or(d.Title, d.Name), Description: d.Description, Keywords: append([]string{}, d.Fields.Keywords()...),
		Source: SourceOf(d), Path: d.Origin.Path, Digest: k.digest,
	}
	s.Content, s.Tokens = l.renderedText(d, &k, render.Arguments{}, false)
	s.Diagnostics = append([]diag.Diagnostic{}, l.result.Diagnostics...)
	return s, nil
}

// skillNotFound returns the error for an unknown skill, listing the skills that the agent may load.
func (l *Loader) skillNotFound(agent, id string) error {
	err := l.NotFound(definition.Skill, id)
	var e *definition.Error
	if !errors.As(err, &e) {
		return err
	}
	all, err := l.C.Scan(l.Ctx)
	if err != nil {
		return err
	}
	e.AvailableSkills = []string{}
	filter := FilterFor(all, agent)
	var skills []*definition.Definition
	for _, d := range all.All {
		if d.Kind == definition.Skill && d.State == definition.Loaded && !d.Fields.DisableModelInvocation && filter.Allows(d) {
			skills = append(skills, d)
		}
	}
	slices.SortStableFunc(skills, func(a, b *definition.Definition) int {
		return cmp.Compare(l.C.BundledLast(a), l.C.BundledLast(b))
	})
	for _, d := range skills {
		e.AvailableSkills = append(e.AvailableSkills, d.Name)
	}
	if len(e.AvailableSkills) == 0 {
		e.Message += ". No skills are available"
	} else {
		e.Message += fmt.Sprintf(". Available skills: %s", strings.Join(e.AvailableSkills, ", "))
	}
	return e
}
