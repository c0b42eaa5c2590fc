package audit

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPages audits the examples of each rule's page: in the one under "## Vulnerable"
// the rule finds something, in the one under "## Fixed" nothing. Each block of an
// example says behind its fence the language and the path in the package; one of the
// language "quoted" has lines of quoted strings.
func TestPages(t *testing.T) {
	for _, rule := range Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			data, err := os.ReadFile("../../docs/rules/" + strings.ToLower(rule.ID) + ".md")
			if err != nil {
				t.Fatal(err)
			}
			page := string(data)
			if !strings.HasPrefix(page, "# "+rule.ID+" "+rule.Name+"\n") {
				t.Errorf("the heading of the page is not %q", "# "+rule.ID+" "+rule.Name)
			}
			for heading, want := range map[string]bool{"## Vulnerable": true, "## Fixed": false} {
				files := exampleOf(t, page, heading)
				if len(files) == 0 {
					t.Errorf("there is no example under %s", heading)
					continue
				}
				_, settings := fixtures(t, "testdata/"+strings.ToLower(rule.ID)+".txtar")
				r := auditAs(t, files, "example", settings)
				found := false
				for _, f := range r.Findings {
					found = found || f.ID == rule.ID
				}
				if found != want {
					t.Errorf("%s: found %v, want %v: %s", heading, found, want, summary(r))
				}
			}
		})
	}
}

func exampleOf(t *testing.T, page, heading string) fstest.MapFS {
	t.Helper()
	_, section, _ := strings.Cut(page, "\n"+heading+"\n")
	files := fstest.MapFS{}
	var fence, path string
	var body strings.Builder
	quoted := false
	for line := range strings.Lines(section) {
		text := strings.TrimRight(line, "\n")
		switch {
		case fence == "" && strings.HasPrefix(text, "## "):
			return files
		case fence == "" && strings.HasPrefix(text, "```"):
			n := len(text) - len(strings.TrimLeft(text, "`"))
			fence = text[:n]
			var lang string
			lang, path, _ = strings.Cut(text[n:], " ")
			quoted = lang == "quoted"
			body.Reset()
		case fence != "" && text == fence:
			fence = ""
			data := []byte(body.String())
			if quoted {
				data = unquoted(t, data)
			}
			if path != "" {
				files[path] = &fstest.MapFile{Data: data, Mode: 0o644}
			}
		case fence != "":
			body.WriteString(line)
		}
	}
	return files
}
