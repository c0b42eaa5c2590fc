package rules

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host/registry"

	"github.com/vadehq/vade/internal/testenv"
)

func textOf(data string) Text {
	doc, _ := frontmatter.Parse(diag.NewFile("x", []byte(data)), false, registry.Neutral().Dialect)
	return Text{Entries: doc.Entries, Body: data[min(doc.Body, len(data)):], Valid: doc.Valid}
}

// applyAll applies all safe edits to a skill.
func applyAll(t *testing.T, text string) (string, []Finding) {
	s := fixSubject(t, text)
	list := Merge(skillPath, "r", s.Definition.Diagnostics, Run(s), nil)
	out, made, complete := ApplyFixes([]byte(text), list, func(after []byte, made []Finding) bool {
		return Kept(textOf(text), textOf(string(after)), made)
	})
	if !complete {
		t.Errorf("not all edits of %q were tried", text)
	}
	return string(out), made
}

func fixSubject(t *testing.T, text string) *Subject {
	return subject(t, definition.Skill, skillPath, text)
}

func TestFix(t *testing.T) {
	for _, tc := range []struct{ name, before, after string }{
		{"colon", "---\ndescription: Use when: asked\n---\nb\n", "---\ndescription: \"Use when: asked\"\n---\nb\n"},
		{"open quote", "---\ndescription: \"It ships\nlicense: MIT\n---\n", ""},
		{"open single quote", "---\ndescription: 'It ships\n---\n", ""},
		{"open list", "---\nallowed-tools: [Read, Grep\n---\n", ""},
		{"open map", "---\nmetadata: {a: b\n---\n", ""},
		{"lines", "---\ndescription: fine\n  more: stuff\n---\n", ""},
		{"tools in two lists", "---\nallowed-tools: [Read] [Grep]\n---\n", ""},
		{"byte order mark", "\ufeff---\ndescription: d\n---\n", "---\ndescription: d\n---\n"},
		{"blank lines", "\n\n---\ndescription: d\n---\n", "---\ndescription: d\n---\n"},
		{"blanks at the delimiters", "--- \ndescription: d\n---\t\nb\n", "---\ndescription: d\n---\nb\n"},
		{"spelling", "---\ndescription: d\nwhenToUse: now\n---\n", "---\ndescription: d\nwhen_to_use: now\n---\n"},
		{"spelling that is taken", "---\ndescription: d\nwhenToUse: now\nwhen_to_use: then\n---\n", ""},
		{"spelling that switches", "---\nallowed_tools: Read\nuser_invocable: true\nDisable-Model-Invocation: true\nMODEL: x\n---\n", ""},
		{"truth", "---\nuser-invocable: yes # no\ndisable-model-invocation: 'on'\n---\n", "---\nuser-invocable: true # no\ndisable-model-invocation: true\n---\n"},
		{"hint", "---\nargument-hint: [file]\n---\n", "---\nargument-hint: \"[file]\"\n---\n"},
		{"tools", "---\nallowed-tools:\n  - Read\n  - Bash(git log:*)\nlicense: MIT\n---\n", "---\nallowed-tools: Read Bash(git log:*)\nlicense: MIT\n---\n"},
		{"tools in brackets", "---\nallowed-tools: [Read, \"Bash(a, b)\"]\n---\n", "---\nallowed-tools: Read Bash(a, b)\n---\n"},
		{"tools with a comment", "---\nallowed-tools:\n  - Read # why\n  - Grep\n---\n", ""},
		{"text in front", "hello\n---\ndescription: d\n---\n", ""},
		{"carriage returns stay", "---\r\ndescription: Use when: asked\r\n---\r\nb\r\n", "---\r\ndescription: \"Use when: asked\"\r\n---\r\nb\r\n"},
		{"several", "\ufeff--- \nname: x\ndescription: a: b\nargument_hint: [x]\nuser-invocable: no\n---\n", ""},
	} {
		got, made := applyAll(t, tc.before)
		want := tc.after
		if tc.name == "several" {
			if len(made) < 4 || strings.HasPrefix(got, "\ufeff") || strings.Contains(got, "argument_hint") {
				t.Errorf("several: %q after %d edits", got, len(made))
			}
			continue
		}
		if want == "" {
			want = tc.before
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.name, got, want)
		}
	}
}

// TestFixKeepsMeaning checks that edits never change what is parsed from the frontmatter.
func TestFixKeepsMeaning(t *testing.T) {
	value := rapid.StringMatching(`[a-z:#\[\]{}"'@*!&|>%\- ,]{0,24}`)
	testenv.Check(t, func(r *rapid.T) {
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"", "\ufeff", "\n", " \n\n"}).Draw(r, "before"))
		b.WriteString(rapid.SampledFrom([]string{"---\n", "--- \n", "---\t\n"}).Draw(r, "opener"))
		for range rapid.IntRange(0, 5).Draw(r, "fields") {
			key := rapid.SampledFrom([]string{"name", "description", "allowed-tools", "allowed_tools", "argument-hint", "user-invocable", "userInvocable", "x"}).Draw(r, "key")
			b.WriteString(key + ": " + rapid.OneOf(value, rapid.SampledFrom([]string{"yes", "[a, b]", "\n  - Read\n  - Bash(x, y)", "off"})).Draw(r, "value") + "\n")
		}
		b.WriteString("---\nThe body.\n")
		text := b.String()
		before := textOf(text)
		got, _ := applyAll(t, text)
		after := textOf(got)
		if before.Body != after.Body || len(before.Entries) != len(after.Entries) {
			r.Fatalf("%q became %q", text, got)
		}
		for i := range before.Entries {
			f := definition.LookupField(before.Entries[i].Key)
			if f != definition.LookupField(after.Entries[i].Key) {
				r.Fatalf("%q became %q: the field changed", text, got)
			}
			if f.Shape() == definition.Text && !before.Entries[i].Value.Equal(after.Entries[i].Value) {
				r.Fatalf("%q became %q: the value changed", text, got)
			}
		}
	})
}
