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

// TestCommandsAreDocumented compares docs/commands.md with the tables.
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

These are the commands of definitions that the policy ` + "`readonly`" + ` runs, with the
flags that they may have. A flag that is not here is a refusal. How they are
joined is in [security.md](security.md); this page is written by a test from the
tables in the code.

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

The program of your system runs, and may open only the files that it is given.
Without a sandbox it is refused, for example on Windows, unless the policy says
` + "`sandbox: best-effort`" + `. A script of ` + "`sed`" + ` may only print: commands that
write or read other files or run programs are refused, and so is what Vade cannot parse.

`)
	table(programs)
	b.WriteString("\n## git\n\nIn the sandbox, in the forms that only read:\n\n| form | flags |\n|---|---|\n")
	for _, name := range gitFormNames() {
		form, _ := gitFormOf(name)
		var flags []string
		for entry := range strings.FieldsSeq(form.flags) {
			flags = append(flags, gitFlagText(parseGitFlag(entry))...)
		}
		fmt.Fprintf(&b, "| `git %s` | %s |\n", name, code(flags))
	}
	b.WriteString("\n## What is installed\n\nIn the sandbox. `tool --version` (`-v`, `-V`, `version`, as the tool has it) of some\nhundred well-known programs, in an empty place, and:\n\n| question | flags |\n|---|---|\n")
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

// gitFlagText formats the names of a flag.
func gitFlagText(f gitFlag) []string {
	names := strings.Split(f.names, "|")
	for i, n := range names {
		if f.shape != 0 && strings.HasPrefix(n, "--") {
			names[i] = n + "="
		}
	}
	return names
}
