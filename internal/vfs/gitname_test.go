package vfs

import "testing"

// TestIsGit checks that every spelling of a git directory is recognized.
func TestIsGit(t *testing.T) {
	for name, want := range map[string]bool{
		".git": true, "a/.git/config": true, ".GIT": true, "x/.gIt/hooks/h": true, "git~1": true, "GIT~1/x": true, ".git.": true, ".git /x": true,
		".git::$INDEX_ALLOCATION/x": true, ".g\u200cit/x": true, `a\.git\x`: true, "x/.git": true,
		".gitignore": false, ".github/x": false, "git": false, "a.git/x": false, "": false, "git~2": false,
	} {
		if got := IsGit(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
