package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// NotFound returns the error for a name that matches no active definition. It
// lists the searched paths and the available names and, if a file with the name
// exists but cannot be used, explains why.
func (l *Loader) NotFound(kind definition.Kind, name string) error {
	all, err := l.C.Scan(l.Ctx)
	if err != nil {
		return err
	}
	plan, err := l.C.Plan(l.Ctx)
	if err != nil {
		return err
	}
	names := all.Names(kind)
	e := &definition.Error{Code: diag.InstructionNotFound, Message: fmt.Sprintf("%s '%s' not found", kind, name), Available: names, SearchedPaths: plan.Searched(kind, name)}
	switch kind {
	case definition.Skill:
		e.Code, e.Available, e.AvailableSkills = diag.SkillNotFound, nil, names
		e.Message = fmt.Sprintf("Skill '%s' not found", name)
	case definition.Command:
		e.Code = diag.CommandNotFound
		e.Message = fmt.Sprintf("Command '/%s' not found", name)
	case definition.Agent:
		e.Code = diag.AgentNotFound
	}
	list := kind.String() + "s, run: vade list --kind " + kind.String()
	if l.request.Any {
		// The request also accepts skills.
		names, list = append(names, all.Names(definition.Skill)...), "definitions, run: vade list"
	}
	for _, d := range all.Named(name) {
		if (d.Kind == kind || l.request.Any && d.Kind == definition.Skill) && d.State != definition.Shadowed &&
			d.State != definition.Loaded {
			e.Message += fmt.Sprintf(": %s exists but is not loaded: %s", d.Origin.Path, d.Reason)
			break
		}
		if d.Kind == definition.Workflow && l.request.Any {
			e.Message += fmt.Sprintf(": %s is a workflow, which only its host can run", d.Origin.Path)
			break
		}
	}
	e.Fix = DidYouMean(name, names, "to list "+list+" (add --nested to include subdirectories)")
	return e
}

// file loads a definition by its path.
func (l *Loader) file() error {
	r := &l.request
	if _, err := l.C.Stat(r.Path); err != nil && r.Whole != r.Path {
		// A path may contain spaces.
		if _, err := l.C.Stat(r.Whole); err == nil {
			r.Path, r.Arguments = r.Whole, ""
		}
	}
	rel, ok := l.C.InProject(r.Path)
	if ok && l.C.scanned() == nil && !l.C.Env.Nested {
		d, err := l.C.Quick.FindPath(l.Ctx, l.C.Parser, rel)
		if err != nil {
			return err
		}
		if d != nil {
			l.C.completeBundled([]*definition.Definition{d})
			return l.byPath(d)
		}
	}
	all, err := l.C.Scan(l.Ctx)
	if err != nil {
		return err
	}
	for _, d := range all.All {
		if d.Origin.Path == r.Path || d.Name == r.Path || ok && d.Origin.Path == rel {
			return l.byPath(d)
		}
	}
	e := &definition.Error{
		Code: diag.CommandNotFound, Message: fmt.Sprintf("'%s' is not a definition", r.Path), SearchedPaths: []string{r.Path},
		Fix: "to list definitions, run: vade list --all (add --nested to include subdirectories)",
	}
	if !ok {
		e.Message += ": it is outside the project"
		return e
	}
	e.SearchedPaths[0] = rel
	if ext := path.Ext(rel); strings.EqualFold(ext, ".md") {
		e.SearchedPaths = append(e.SearchedPaths, strings.TrimSuffix(rel, ext)+"/index.md")
	}
	switch typ, err := l.C.Quick.Project.Lstat(rel); {
	case errors.Is(err, fs.ErrNotExist):
		e.Message = fmt.Sprintf("Command '%s' not found: the file does not exist", r.Path)
	case err == nil && typ == vfs.Dir:
		e.Message = fmt.Sprintf("'%s' is a directory", r.Path)
	}
	return e
}

// byPath loads the definition in the requested file, even if another definition with the same name
// is active.
func (l *Loader) byPath(d *definition.Definition) error {
	if d.State == definition.Dropped && d.ReplacedBy == nil || d.State == definition.Disabled && l.C.ComesWithVade(d) {
		code := diag.CommandNotFound
		if d.Kind == definition.Skill {
			code = diag.SkillNotFound
		}
		return &definition.Error{
			Code: code, Message: fmt.Sprintf("'%s' cannot be loaded: %s", d.Origin.Path, d.Reason), SearchedPaths: []string{d.Origin.Path},
			Fix: "for details, run: vade show " + shell.ForShell(d.Name),
		}
	}
	args := render.ParseArguments(l.request.Arguments)
	if l.request.Words != nil {
		args = render.NewArguments(l.request.Words)
	}
	return l.loadSingle(d, args)
}
