package policy

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

func TestBundled(t *testing.T) {
	for _, x := range []struct {
		name                   string
		managed, user, project string
		off                    string
		enable, disable        string
		codes                  string
	}{
		{name: "no setting"},
		{name: "all off", user: "bundled: false", off: "user:1"},
		{name: "all on has no effect", user: "bundled: true"},
		{name: "a project switches off", user: "bundled: {enable: [loop]}", project: "bundled: false", off: "project:1", enable: "loop"},
		{name: "lists add up", managed: "bundled: {disable: dream}", user: "bundled:\n  disable: [stuck, 'b*']\n  enable: ['*']", project: "bundled: {disable: [verify]}",
			enable: "*", disable: "dream stuck b* verify"},
		{name: "a project switches nothing on", project: "bundled: {enable: [loop], disable: [stuck]}", disable: "stuck", codes: "POLICY_WIDENS"},
		{name: "a user who may not", managed: "allow-user-grants: false", user: "bundled: {enable: loop}", codes: "POLICY_WIDENS"},
		{name: "an administrator", managed: "bundled: {enable: loop}", enable: "loop"},
		{name: "no value", user: "bundled:"},
		{name: "a word", user: "bundled: none", off: "user:1", codes: "POLICY_INVALID"},
		{name: "a list", user: "bundled: [loop]", off: "user:1", codes: "POLICY_INVALID"},
		{name: "another key", user: "bundled:\n  enabled: [loop]", off: "user:2", codes: "POLICY_UNKNOWN_KEY"},
		{name: "no names", user: "bundled:\n  disable: [{a: b}]", off: "user:2", codes: "POLICY_INVALID"},
		{name: "an empty name", user: "bundled:\n  disable: ['']", off: "user:2", codes: "POLICY_INVALID"},
		{name: "a map of names", user: "bundled:\n  enable: {loop: true}", off: "user:2", codes: "POLICY_INVALID"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var files []*File
			var found []diag.Diagnostic
			for _, f := range []struct {
				name  string
				layer definition.Layer
				text  string
			}{{"managed", definition.Managed, x.managed}, {"user", definition.User, x.user}, {"project", definition.Project, x.project}} {
				if f.text != "" {
					file, diags := ParseFile(f.name, f.layer, []byte(f.text))
					files, found = append(files, file), append(found, diags...)
				}
			}
			p, more := Combine(files...)
			var codes []string
			for _, d := range append(found, more...) {
				codes = append(codes, string(d.Code))
			}
			if got := strings.Join(codes, " "); got != x.codes {
				t.Errorf("diagnostics %q, want %q", got, x.codes)
			}
			off := ""
			if p.Bundled.Off {
				off = p.From("bundled").String()
			}
			if off != x.off || namesOf(p.Bundled.Enable) != x.enable || namesOf(p.Bundled.Disable) != x.disable {
				t.Errorf("off %q enable %q disable %q", off, namesOf(p.Bundled.Enable), namesOf(p.Bundled.Disable))
			}
			if p.Shell != Readonly {
				t.Errorf("shell is %v", p.Shell)
			}
		})
	}
}

func namesOf(list []Value) string {
	var words []string
	for _, v := range list {
		words = append(words, v.Text)
	}
	return strings.Join(words, " ")
}

// TestBundledUnclear checks that an invalid setting disables everything, and that it can be
// distinguished from an explicit setting.
func TestBundledUnclear(t *testing.T) {
	for _, x := range []struct {
		name, user, project string
		unclear, off, fix   string
	}{
		{name: "false is clear", user: "bundled: false", off: "user:1"},
		{name: "another key", user: "bundled:\n  enabled: [loop]", unclear: "user", off: "user:2",
			fix: "use \"enable\"; until then, all bundled definitions are disabled"},
		{name: "twice the same key", user: "bundled: {enable: [loop]}\nbundled: {enable: [schedule]}", unclear: "user", off: "user:1"},
		{name: "not a map", user: "- a", unclear: "user", off: "user:1"},
		{name: "a later form", user: "version: 2", unclear: "user", off: "user:1"},
		{name: "nearly the key", user: "bundle: false", unclear: "user", off: "user:1"},
		{name: "bytes before the key", user: "\xff\xfebundled: false", unclear: "user", off: "user:1"},
		{name: "twice in the key", user: "bundled:\n  disable: [a]\n  disable: [b]", unclear: "user", off: "user:1"},
		{name: "another unknown key", user: "shel: off"},
		{name: "too long", user: strings.Repeat("# x\n", MaxFile), unclear: "user", off: "user:1"},
		{name: "the clear one is named", user: "bundled: {enabled: x}", project: "bundled: false", unclear: "user", off: "project:1"},
	} {
		t.Run(x.name, func(t *testing.T) {
			user, diags := ParseFile("user", definition.User, []byte(x.user))
			project, _ := ParseFile("project", definition.Project, []byte(x.project))
			p, _ := Combine(user, project)
			off := ""
			if p.Bundled.Off {
				off = p.From("bundled").String()
			}
			if got := strings.Join(p.Bundled.Invalid, " "); got != x.unclear || off != x.off {
				t.Errorf("unclear %q off %q", got, off)
			}
			if x.fix != "" && (len(diags) != 1 || diags[0].Fix != x.fix) {
				t.Errorf("%+v", diags)
			}
		})
	}
	p, _ := Combine(Unreadable("gone", definition.User))
	if !p.Bundled.Off || p.Shell != Off || len(p.Bundled.Invalid) != 1 {
		t.Errorf("%+v", p.Bundled)
	}
}
