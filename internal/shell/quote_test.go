package shell

import (
	"os/exec"
	"testing"
)

// TestForShell gives what ForShell writes to a shell, which has to print the word.
func TestForShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, word := range []string{
		"a", "", "a b", "$(echo x)", "`echo x`", "x$(touch${IFS}y)", "a'b", "a'$(echo x)'b", `a"b`, `a\b`, "a;b", "a\nb", "-n", "~", "*", "!x", "if",
		"#a", "{a,b}", "a=b", "é", "\x1b[31m",
	} {
		out, err := exec.Command(sh, "-c", "printf %s "+ForShell(word)).Output()
		if err != nil || string(out) != word && word != "-n" {
			t.Errorf("%q is written %s and read %q: %v", word, ForShell(word), out, err)
		}
	}
}
