package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/definition"
	"github.com/vadehq/vade/internal/diag"
)

func view(h string, list ...Outcome) View { return View{h, map[string][]Outcome{"r": list}} }

func at(line int, code diag.Code, message string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Severity: code.Severity(), Message: message, File: "p", Line: line, Column: 1}
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
		{"not read is a warning", nil, nil, []View{view("a", Outcome{State: definition.Dropped, Code: diag.NotRead, Reason: "too deep"})},
			[]string{"NOT_READ 0 warning a | a"}},
		{"instructions stand back", nil, nil, []View{view("a", Outcome{Kind: definition.Instruction, State: definition.Dropped, Code: diag.NotRead, Reason: "another"})},
			[]string{"NOT_READ 0 info a | a"}},
		{"shadowed", nil, nil, []View{view("a", Outcome{State: definition.Shadowed, Code: diag.ShadowedBy, By: "q", Name: "n"})}, []string{"SHADOWED_BY 0 info a | "}},
		{"in force by one way is in force", nil, nil, []View{view("a", Outcome{State: definition.Dropped, Code: diag.SameFile}, loaded)}, nil},
		{"switched off", nil, nil, []View{view("a", Outcome{State: definition.Disabled, Code: diag.SwitchedOff})}, nil},
		{"a host's own words are not said twice", nil, nil,
			[]View{
				view("a", Outcome{State: definition.Dropped, Code: diag.NameLength, Diagnostics: []diag.Diagnostic{at(2, diag.NameLength, "a does not load it: too long")}}),
				view("b", Outcome{State: definition.Loaded, Diagnostics: []diag.Diagnostic{at(2, diag.NameLength, "too long; b ignores it")}}),
			}, []string{"NAME_LEN 2 error a,b | a"}},
	} {
		var got []string
		for _, f := range Merge("p", "r", tc.read, tc.rules, tc.views) {
			got = append(got, string(f.Code)+" "+string(rune('0'+f.Line))+" "+f.Severity.String()+" "+strings.Join(f.Hosts, ",")+" | "+strings.Join(f.NotLoaded, ","))
			if len(f.NotLoaded) > 0 && !strings.HasSuffix(f.Message, "; not loaded by "+strings.Join(f.NotLoaded, ", ")) && !strings.Contains(f.Message, "; ignored by ") {
				t.Errorf("%s: %q does not say who does not load it", tc.name, f.Message)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestMergedMessage(t *testing.T) {
	list := Merge("p", "r", nil, nil, []View{
		view("a", Outcome{State: definition.Dropped, Code: diag.NameLength, Diagnostics: []diag.Diagnostic{at(2, diag.NameLength, "a does not load it: too long")}}),
		view("b", Outcome{State: definition.Loaded, Diagnostics: []diag.Diagnostic{at(2, diag.NameLength, "too long; b ignores it")}}),
	})
	if len(list) != 1 || list[0].Message != "too long; not loaded by a; ignored by b" {
		t.Errorf("%+v", list)
	}
}
