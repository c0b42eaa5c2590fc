package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

func view(h string, list ...Outcome) View { return View{h, map[string][]Outcome{"r": list}} }

func at(line int, code diag.Code, message string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Severity: code.Severity(), Message: message, File: "p", Line: line, Column: 1}
}

// effect returns a host's diagnostic.
func effect(problem string, e diag.Effect) diag.Diagnostic {
	return diag.Diagnostic{Message: "the host: " + problem, Problem: problem, Effect: e, Column: 1}
}

// notLoaded returns d for a host that does not load the file.
func notLoaded(d diag.Diagnostic) diag.Diagnostic {
	d.Effect = diag.NotLoaded
	return d
}

// missing returns d for a missing field.
func missing(field string, d diag.Diagnostic) diag.Diagnostic {
	d.Field = field
	return d
}

func TestMerge(t *testing.T) {
	loaded := Outcome{State: definition.Loaded}
	for _, tc := range []struct {
		name  string
		read  []diag.Diagnostic
		rules []Finding
		views []View
		want  []string // "CODE line severity hosts | not loaded"
	}{
		{"nothing", nil, nil, []View{view("a", loaded), view("b")}, nil},
		{"a dropped file is an error, with the words of reading",
			[]diag.Diagnostic{at(2, diag.YAMLRepairedValue, "m")}, nil,
			[]View{view("a", loaded), view("b", Outcome{State: definition.Dropped, Code: diag.YAMLInvalid, Diagnostics: []diag.Diagnostic{at(2, diag.YAMLInvalid, "x"), at(0, diag.YAMLInvalid, "y")}})},
			[]string{"YAML_REPAIRED_VALUE 2 error b | b"}},
		{"a host that says the same is one finding", []diag.Diagnostic{at(1, diag.FMBOM, "m")}, nil,
			[]View{view("a", Outcome{State: definition.Loaded, Diagnostics: []diag.Diagnostic{at(1, diag.FMBOM, "n")}}), view("b", loaded)},
			[]string{"FM_BOM 1 warning a | "}},
		{"of one host only its own trouble matters", []diag.Diagnostic{at(1, diag.FMBOM, "m")}, []Finding{{Code: diag.LinkMissing, Severity: diag.Warning, Line: 9}},
			[]View{view("a", loaded)}, []string{"FM_BOM 1 info  | ", "LINK_MISSING 9 warning  | "}},
		{"without a diagnostic the reason counts", nil, nil, []View{view("a", Outcome{State: definition.Dropped, Code: diag.FileTooLarge, Reason: "too long"})},
			[]string{"FILE_TOO_LARGE 0 error a | a"}},
		{"not read causes a warning", nil, nil, []View{view("a", Outcome{State: definition.Dropped, Code: diag.NotRead, Reason: "too deep"})},
			[]string{"NOT_READ 0 warning a | a"}},
		{"instructions stand back", nil, nil, []View{view("a", Outcome{Kind: definition.Instruction, State: definition.Dropped, Code: diag.NotRead, Reason: "another"})},
			[]string{"NOT_READ 0 info a | a"}},
		{"shadowed", nil, nil, []View{view("a", Outcome{State: definition.Shadowed, Code: diag.ShadowedBy, By: "q", Name: "n"})}, []string{"SHADOWED_BY 0 info a | "}},
		{"active by one way is active", nil, nil, []View{view("a", Outcome{State: definition.Dropped, Code: diag.SameFile}, loaded)}, nil},
		{"switched off", nil, nil, []View{view("a", Outcome{State: definition.Disabled, Code: diag.SwitchedOff})}, nil},
		{"a host's own words are not said twice", nil, nil,
			[]View{
				view("a", Outcome{State: definition.Dropped, Code: diag.NameLength, Diagnostics: []diag.Diagnostic{notLoaded(at(2, diag.NameLength, "too long"))}}),
				view("b", Outcome{State: definition.Loaded, Diagnostics: []diag.Diagnostic{at(2, diag.NameLength, "too long")}}),
			}, []string{"NAME_LEN 2 error a,b | a"}},
		{"the reason is where the host stumbles, and what follows from it is not said", []diag.Diagnostic{at(3, diag.YAMLRepairedValue, "m")}, nil,
			[]View{view("a", Outcome{State: definition.Dropped, Code: diag.FieldMissing, Diagnostics: []diag.Diagnostic{
				at(3, diag.YAMLInvalid, "x"), at(0, diag.YAMLInvalid, "the frontmatter is not valid YAML (line 3: x)"),
				notLoaded(missing("name", at(0, diag.FieldMissing, "it has no name"))),
			}})}, []string{"YAML_REPAIRED_VALUE 3 error a | a"}},
		{"without frontmatter there are no fields", []diag.Diagnostic{at(1, diag.FMUnclosed, "m"), missing("description", at(0, diag.FieldMissing, "the skill has no description"))}, nil,
			[]View{
				view("a", Outcome{State: definition.Dropped, Code: diag.FMMissing, Diagnostics: []diag.Diagnostic{at(1, diag.FMUnclosed, "m"), notLoaded(at(1, diag.FMMissing, "m"))}}),
				view("b", Outcome{State: definition.Dropped, Code: diag.YAMLInvalid, Diagnostics: []diag.Diagnostic{at(6, diag.YAMLInvalid, "x")}}),
				view("c", Outcome{State: definition.Dropped, Code: diag.FieldMissing, Diagnostics: []diag.Diagnostic{notLoaded(missing("name", at(0, diag.FieldMissing, "it has no name")))}}),
			}, []string{"FM_UNCLOSED 1 error a,b,c | a,b,c"}},
		{"a field that is missing to all is one", []diag.Diagnostic{at(1, diag.FMBOM, "m"), missing("description", at(0, diag.FieldMissing, "the skill has no description"))}, nil,
			[]View{view("a", Outcome{State: definition.Dropped, Code: diag.FieldMissing, Diagnostics: []diag.Diagnostic{notLoaded(missing("description", at(0, diag.FieldMissing, "it has no description")))}})},
			[]string{"FM_BOM 1 info  | ", "FIELD_MISSING 0 error a | a"}},
		{"a list that is text", []diag.Diagnostic{at(3, diag.FieldType, "is a list; its brackets are taken literally")}, []Finding{{Code: diag.FieldList, Severity: diag.Warning, Line: 3, Column: 1}},
			[]View{
				view("a", Outcome{State: definition.Loaded, Diagnostics: []diag.Diagnostic{at(3, diag.FieldType, "x is a list, not text; its brackets are taken literally by a")}}),
				view("b", Outcome{State: definition.Dropped, Code: diag.FieldType, Diagnostics: []diag.Diagnostic{notLoaded(at(3, diag.FieldType, "x is a list"))}}),
			}, []string{"FIELD_LIST 3 error a,b | b"}},
	} {
		var got []string
		for _, f := range Merge("p", "r", tc.read, tc.rules, tc.views) {
			got = append(got, string(f.Code)+" "+string(rune('0'+f.Line))+" "+f.Severity.String()+" "+strings.Join(f.Hosts, ",")+" | "+strings.Join(f.NotLoaded, ","))
			if len(f.NotLoaded) > 0 && !strings.Contains(f.Message, "; not loaded by "+strings.Join(f.NotLoaded, ", ")) {
				t.Errorf("%s: %q does not list the hosts that do not load it", tc.name, f.Message)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestMergedMessage checks that a message lists hosts once, at the end.
func TestMergedMessage(t *testing.T) {
	for _, tc := range []struct {
		code   diag.Code
		a, b   diag.Diagnostic
		merged string
	}{
		{diag.NameLength, effect("too long", diag.NotLoaded), effect("too long", diag.Ignored), "too long; not loaded by a; ignored by b"},
		{diag.NameDirMismatch, effect("the name is other", diag.Ignored), effect("the name is other", diag.Ignored), "the name is other; called n by a, b"},
		{diag.NameDirMismatch, effect("the name is other", diag.Ignored), effect("the name is other", diag.Warned), "the name is other; called n by a; loaded with a warning by b"},
		{diag.DescLength, effect("too long", diag.Truncated), effect("too long", diag.NotLoaded), "too long; not loaded by b; truncated by a"},
		{diag.YAMLInvalid, effect("not YAML", diag.NotLoaded), diag.Diagnostic{Message: "x"}, "not YAML; not loaded by a"},
		{diag.FieldType, effect("x is a list", diag.Literal), effect("x is a list", diag.Literal), "x is a list; treated as literal text by a, b"},
		{diag.YAMLRepairedValue, effect("a colon, so the value is read as a string", diag.NotLoaded), diag.Diagnostic{Message: "x"}, "a colon; not loaded by a"},
		{diag.FMBOM, effect("a mark", diag.NoFrontmatter), effect("a mark", diag.NoFrontmatter), "a mark"},
	} {
		outcome := func(d diag.Diagnostic) Outcome {
			d.Code, d.Severity, d.Line = tc.code, tc.code.Severity(), 2
			return Outcome{State: definition.Loaded, Name: "n", Diagnostics: []diag.Diagnostic{d}}
		}
		list := Merge("p", "r", nil, nil, []View{view("a", outcome(tc.a)), view("b", outcome(tc.b))})
		if len(list) != 1 || list[0].Message != tc.merged {
			t.Errorf("%s: %+v", tc.code, list)
		}
	}
}
