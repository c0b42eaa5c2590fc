package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/check/rules"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/resolve"
)

// dangling is a skill that an agent begins with and that is not there: in the project at
// all, or for some hosts alone.
type dangling struct {
	it      *checked
	name    string
	nowhere bool
	hosts   []string
}

// danglingSkills reports the skills that agents begin with and that are not there. The
// user's own skills are none of the project's.
func (k *Checker) danglingSkills() []rules.Finding {
	var list []*dangling
	note := func(it *checked, name, host string) {
		i := slices.IndexFunc(list, func(x *dangling) bool { return x.it == it && x.name == name })
		if i < 0 {
			i, list = len(list), append(list, &dangling{it: it, name: name})
		}
		if host == "" {
			list[i].nowhere = true
		} else if !slices.Contains(list[i].hosts, host) {
			list[i].hosts = append(list[i].hosts, host)
		}
	}
	all, err := k.neutral.Scan(k.Ctx)
	if err != nil {
		return nil
	}
	for _, it := range k.items {
		for _, name := range danglingIn(it.d, all) {
			note(it, name, "")
		}
	}
	for i := range k.found {
		for _, d := range k.found[i] {
			it := k.byReal[d.Origin.Real]
			if it == nil || k.catalogs[i] == nil {
				continue
			}
			for _, name := range danglingIn(d, k.catalogs[i]) {
				note(it, name, k.Profiles[i].Name)
			}
		}
	}
	var findings []rules.Finding
	for _, x := range list {
		findings = append(findings, k.danglingFinding(x, all))
	}
	return findings
}

// danglingIn are the skills that an agent in force begins with and that a view has not.
func danglingIn(d *definition.Definition, all *resolve.Catalog) []string {
	if d.Kind != definition.Agent || d.State != definition.Loaded {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.Fields.Skills()), func(name string) bool { return all.Get(definition.Skill, name) != nil })
}

func (k *Checker) danglingFinding(x *dangling, all *resolve.Catalog) rules.Finding {
	message := fmt.Sprintf("the agent %s begins with the skill %q, which is not there", x.it.d.Name, x.name)
	fix := "write it, or take it out of the agent's skills"
	if near := resolve.Nearest(x.name, all.Names(definition.Skill)); len(near) > 0 {
		fix = "did you mean " + strings.Join(near, " or ") + "?"
	}
	if !x.nowhere {
		message = fmt.Sprintf("the agent %s begins with the skill %q, which is not where %s would find it", x.it.d.Name, x.name, strings.Join(x.hosts, ", "))
		fix = "put a copy where it is looked for, as vade sync does"
		if s := all.Get(definition.Skill, x.name); s != nil {
			message += ": it is " + s.Origin.Path
		}
	}
	d := diag.For(x.it.path, diag.SkillNotFound, "%s", message)
	if data, err := readFile(k.neutral, x.it.d); err == nil {
		file := diag.NewFile(x.it.path, data)
		doc := parse.File(x.it.d, data, k.neutral.Profile)
		for i := range doc.Entries {
			if e := &doc.Entries[i]; definition.LookupField(e.Key) == definition.FieldSkills {
				d = diag.At(file, placeOf(e.Value, x.name), diag.SkillNotFound, "%s", message)
			}
		}
	}
	d.Severity = diag.Warning
	f := rules.Of(d.WithFix("%s", fix))
	if !x.nowhere {
		f.Hosts = x.hosts
	}
	return f
}

// placeOf is where a word stands in a list, or the list.
func placeOf(v definition.Value, word string) diag.Span {
	for _, it := range v.Items {
		if it.Text == word {
			return it.Span
		}
	}
	return v.Span
}
