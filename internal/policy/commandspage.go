package policy

import (
	"fmt"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
)

// CommandsPage returns a Markdown page that lists the commands that need no grant, along with their
// flags.
func CommandsPage() string {
	var b strings.Builder
	b.WriteString(`# Commands that run without a grant

With the policy ` + "`readonly`" + `, definitions can run these commands with these flags. Any other flag is
refused. See [security](security.md) for how commands can be combined.

## In this process

`)
	item := func(text string, flags []string) {
		if len(flags) > 0 {
			text += "; `" + strings.Join(flags, "` `") + "`"
		}
		fmt.Fprintf(&b, "- %s\n", text)
	}
	list := func(names []string) {
		for _, name := range names {
			c, _ := coreutils.Lookup(name)
			item("`"+name+"`: "+strings.ToLower(c.Summary[:1])+c.Summary[1:], c.Flags())
		}
	}
	builtins, programs := coreutils.Names()
	list(builtins)
	b.WriteString(`
The shell's own ` + "`cd`, `exit`, `set -e` (`-u`, `-o pipefail`), `break` and `continue`" + ` also run.

## Programs in the sandbox

These are your system's programs. They can open only the files in their arguments. Without a
sandbox, for example on Windows, they are refused unless the policy says ` + "`sandbox: best-effort`" + `.
A ` + "`sed`" + ` script can only print: a script that reads or writes other files, runs programs, or cannot
be parsed is refused.

`)
	list(programs)
	b.WriteString("\n## git\n\nThese read-only forms run in the sandbox:\n\n")
	for _, form := range gitForms() {
		var flags []string
		for entry := range strings.FieldsSeq(form.flags) {
			flags = append(flags, parseGitFlag(entry).spellings()...)
		}
		item("`git "+form.name+"`", flags)
	}
	b.WriteString(`
## Installed packages

` + "`tool --version`" + ` (or ` + "`-v`, `-V`, `version`" + `, depending on the tool) of about 250 well-known
programs runs in the sandbox, outside the project. So do:

`)
	for _, l := range listings() {
		item("`"+l.words+"`", strings.Fields(l.flags))
	}
	return b.String()
}

// spellings returns the flag's names. Long names that take a value end in "=".
func (f gitFlag) spellings() []string {
	names := strings.Split(f.names, "|")
	for i, n := range names {
		if f.shape != 0 && strings.HasPrefix(n, "--") {
			names[i] = n + "="
		}
	}
	return names
}
