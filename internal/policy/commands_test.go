package policy

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/coreutils"
)

var update = flag.Bool("update", false, "write docs/commands.md")

// TestCommandsAreDocumented compares docs/commands.md against the tables.
func TestCommandsAreDocumented(t *testing.T) {
	const file = "../../docs/commands.md"
	want := commandsPage()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/commands.md is out of date; update it with: go test ./internal/policy -run Documented -update")
	}
}

func commandsPage() string {
	var b strings.Builder
	b.WriteString(`# Commands that run without a grant

With the policy ` + "`readonly`" + `, definitions can run these commands with these flags. Any
other flag is refused. [security.md](security.md) describes how commands can be
combined. A test generates this page from the tables in the code.

## In this process

`)
	table := func(names []string) {
		b.WriteString("| command | what it does | flags |\n|---|---|---|\n")
		for _, name := range names {
			c, _ := coreutils.Lookup(name)
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ToLower(c.Summary[:1])+c.Summary[1:], code(c.Flags()))
		}
	}
	own, programs := coreutils.Names()
	table(own)
	b.WriteString(`
The shell's own ` + "`cd`, `exit`, `set -e` (`-u`, `-o pipefail`), `break` and `continue`" + ` also run.

## Programs in the sandbox

These are your system's programs. They can open only the files in their arguments.
Without a sandbox, for example on Windows, they are refused unless the policy says
` + "`sandbox: best-effort`" + `. A ` + "`sed`" + ` script can only print: scripts that read or write
other files or run programs are refused. Scripts that Vade cannot parse are refused too.

`)
	table(programs)
	b.WriteString("\n## git\n\nThese read-only forms run in the sandbox:\n\n| form | flags |\n|---|---|\n")
	for _, name := range gitFormNames() {
		form, _ := gitFormOf(name)
		var flags []string
		for entry := range strings.FieldsSeq(form.flags) {
			flags = append(flags, gitFlagText(parseGitFlag(entry))...)
		}
		fmt.Fprintf(&b, "| `git %s` | %s |\n", name, code(flags))
	}
	b.WriteString("\n## What is installed\n\n`tool --version` (or `-v`, `-V`, `version`, depending on the tool) of about a hundred\nwell-known programs runs in the sandbox, in an empty directory. So do:\n\n| command | flags |\n|---|---|\n")
	for _, l := range listings() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", l.words, code(strings.Fields(l.flags)))
	}
	return b.String()
}

func code(words []string) string {
	for i, w := range words {
		words[i] = "`" + strings.ReplaceAll(w, "|", "\\|") + "`"
	}
	return strings.Join(words, " ")
}

// gitFlagText formats a flag's names.
func gitFlagText(f gitFlag) []string {
	names := strings.Split(f.names, "|")
	for i, n := range names {
		if f.shape != 0 && strings.HasPrefix(n, "--") {
			names[i] = n + "="
		}
	}
	return names
}
