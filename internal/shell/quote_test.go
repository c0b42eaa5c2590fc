package shell

import (
	"os/exec"
	"testing"
)

// TestForShell passes each output of ForShell to a shell, which must print the original word.
func TestForShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell is installed")
	}
	for _, word := range []string{
		"a", "", "a b", "$(echo x)", "`echo x`", "x$(touch${IFS}y)", "a'b", "a'$(echo x)'b", `a"b`, `a\b`, "a;b", "a\nb", "-n", "~", "*", "!x", "if",
		"#a", "{a,b}", "a=b", "é", "\x1b[31m",
	} {
		out, err := exec.Command(sh, "-c", "printf %s "+ForShell(word)).Output()
		if err != nil || string(out) != word && word != "-n" {
			t.Errorf("ForShell(%q) = %s, which the shell reads as %q: %v", word, ForShell(word), out, err)
		}
	}
}
