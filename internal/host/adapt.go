package host

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/definition"
)

// Adaptation is a key of a settings file that changes the profile itself. It widens
// what is read by no more than files in places that the profile has.
type Adaptation struct {
	// UnreadSetting says where the key stands. Where Apply does not take its value,
	// it is reported as one that is not read.
	UnreadSetting
	// Apply changes a profile by a value; false where it does not take it.
	Apply func(p *Profile, value json.RawMessage) bool
}

// adapting are those of some settings with a key, in their order, that one function
// applies.
func adapting(list []UnreadSetting, key string, b Base, apply func(*Profile, json.RawMessage) bool) []Adaptation {
	var out []Adaptation
	for _, s := range list {
		if s.Base == b && s.Key[len(s.Key)-1] == key {
			out = append(out, Adaptation{s, apply})
		}
	}
	return out
}

// codexAdaptations are of the user's settings; those of a project count only where it
// is trusted, and are reported.
func codexAdaptations() []Adaptation {
	return append(adapting(codexUnread(), "project_doc_fallback_filenames", InHome, codexFallbackNames),
		adapting(codexUnread(), "project_doc_max_bytes", InHome, codexMaxBytes)...)
}

func codexFallbackNames(p *Profile, value json.RawMessage) bool {
	names, ok := fileNames(value)
	if !ok {
		return false
	}
	for _, name := range names {
		if name == "AGENTS.md" || name == "AGENTS.override.md" {
			continue
		}
		p.Roots = append(p.Roots, placesIn(definition.Project, InProject).file(name).roots...)
		p.Instructions.Rows = append(p.Instructions.Rows, InstructionRow{
			Layer: definition.Project, Source: SourceProject, File: name, Group: "codex", NotNested: true,
		})
		p.Fallbacks = append(p.Fallbacks, Fallback{Files: []string{name}, Unless: []string{"AGENTS.override.md", "AGENTS.md"}, Beside: true})
	}
	return true
}

func codexMaxBytes(p *Profile, value json.RawMessage) bool {
	var n int64
	if json.Unmarshal(value, &n) != nil || n <= 0 {
		return false
	}
	p.Instructions.MaxTotal = n
	return true
}

// geminiAdaptations: the project's settings replace the user's.
func geminiAdaptations() []Adaptation {
	return append(adapting(geminiUnread(), "fileName", InHome, geminiFileNames),
		adapting(geminiUnread(), "fileName", InWorkDir, geminiFileNames)...)
}

// geminiFileNames puts other files in the place of GEMINI.md; that of extensions
// stays. Of several, all of one name come before those of the next (source,
// memoryDiscovery.ts).
func geminiFileNames(p *Profile, value json.RawMessage) bool {
	names, ok := fileNames(value)
	if !ok {
		return false
	}
	isFile := func(r Root) bool {
		return r.Base != InPlugin && r.Single() && r.Rules[0].Kind == definition.Instruction
	}
	p.Roots = slices.DeleteFunc(p.Roots, isFile)
	rows := slices.DeleteFunc(p.Instructions.Rows, func(r InstructionRow) bool { return r.Layer != definition.Plugin })
	var user, project []InstructionRow
	for _, name := range names {
		p.Roots = append(p.Roots, join(
			placesIn(definition.Project, InProject).file(name),
			placesIn(definition.User, InHome).movedBy(geminiHome, EnvHome).file(".gemini/"+name),
		)...)
		user = append(user, InstructionRow{Layer: definition.User, Source: SourceUser, Dir: ".gemini", File: name})
		project = append(project, InstructionRow{Layer: definition.Project, Source: SourceProject, File: name})
	}
	p.Instructions.Rows, p.Instructions.ByRow = slices.Concat(user, rows, project), len(names) > 1
	return true
}

// maxFileNames is the number of names of instruction files that settings may give.
const maxFileNames = 20

// fileNames reads the name of a file, or a list of them. Each has to be a name
// alone, so that it leads nowhere else.
func fileNames(value json.RawMessage) ([]string, bool) {
	var one string
	var names []string
	if json.Unmarshal(value, &one) == nil {
		names = []string{one}
	} else if json.Unmarshal(value, &names) != nil {
		return nil, false
	}
	var list []string
	for _, name := range names {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\:\x00") {
			return nil, false
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, len(list) > 0 && len(list) <= maxFileNames
}
