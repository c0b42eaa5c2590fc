package vfs

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{
		// Device names in any case, with any extension, or with characters that Windows ignores.
		"NUL", "nul", "con", "PRN", "aux", "Aux.c", "nul.tar.gz", "COM1", "com9.md", "LPT1", "lpt9", "COM¹", "com².x", "LPT³",
		"CONIN$", "conout$", "CONOUT$.txt", "nul ", "nul.", "nul . .", "nul .txt", "a/nul", "nul/a", `a\nul\b`, "a/com1.txt/b",
		// Alternate data streams and drives.
		"x:y", "a/x:y", "x::$DATA", "a/b:c/d", ":", "x:", "C:", "c:x", `C:\x`, "C:/x", "/C:/x", `\C:\x`, "file:///x", "nul:",
		// UNC and device paths.
		`\\server\share`, `\\?\C:\x`, `\\.\pipe\x`, `\??\C:\x`, "//server/share", "//", "//x", `/\server\share`, `\/server/share`,
		`\\\x`, `//\x`, `///\x`, `/??/x`, `\??`, "/??", `\\?\UNC\server\share`,
		// Trailing characters that Windows removes.
		"a.", "a ", "a. ", "a./b", "a /b", "...", ". .", "a/...", `a.\b`, " ", "a/ /b",
	} {
		err := CheckName(name)
		if !errors.Is(err, ErrBadName) {
			t.Errorf("CheckName(%q) = %v", name, err)
		} else if !strings.HasPrefix(err.Error(), name) {
			t.Errorf("CheckName(%q) does not say the name: %v", name, err)
		}
	}
	for _, name := range []string{
		"", ".", "..", "a", "/a", "./a", "../a/b", "a/../b", "a/", "/", "///", "///a", "a//b", `a\b`, `.\a`, `..\a`, `\a`,
		".git", ".env", "a.b", " a", "a b", "com", "com0", "com10", "COM1x", "lpt", "lpt0", "nul1", "null", "console", "xnul", "x.nul",
		"con-x", "conin", "con$", "aux_", "1", "¹", "com¼", "~", "a~1", "é", "日本", "a?b", "a*b", "??", "??/a", "a/??/b",
	} {
		if err := CheckName(name); err != nil {
			t.Errorf("CheckName(%q) = %v", name, err)
		}
	}
}

// TestSpecial tests the check made before each open on Windows.
func TestSpecial(t *testing.T) {
	for _, name := range []string{`a\b`, `..\x`, "nul", "a/nul.txt", "a:b", "a/b:c", "a.", "a /b", `\\server\share`} {
		if !special(name) {
			t.Errorf("special(%q) = false", name)
		}
	}
	for _, name := range []string{".", "a", "a/b.md", ".claude/skills/x/SKILL.md", "a~1"} {
		if special(name) {
			t.Errorf("special(%q) = true", name)
		}
	}
}

func TestShortened(t *testing.T) {
	for _, e := range []string{"ENV~1", "env~1", "GIT~1", "SKILL~12.MD", "ABCDEF~9.TXT", "~1"} {
		if !shortened(e) {
			t.Errorf("shortened(%q) = false", e)
		}
	}
	for _, e := range []string{"a", "a~", "~", "a~b", "a~1b", "longername~1", "a~1.json", "a.b~1", ".x~1", ""} {
		if shortened(e) {
			t.Errorf("shortened(%q) = true", e)
		}
	}
}

// FuzzCheckName checks that an element rejected alone is rejected anywhere in a path, in any case.
func FuzzCheckName(f *testing.F) {
	for _, seed := range []string{"a/b", "nul", `\\?\C:\x`, "//server/share", "x:y", "a. /b", "COM¹.x", `\??\x`, "a\x00b", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		err := CheckName(name)
		if err != nil && !errors.Is(err, ErrBadName) {
			t.Fatalf("CheckName(%q) = %v", name, err)
		}
		bad := err != nil
		if upper := CheckName(strings.ToUpper(name)) != nil; upper != bad && isASCII(name) {
			t.Errorf("%q: %v, in uppercase %v", name, bad, upper)
		}
		for element := range strings.FieldsFuncSeq(name, isSlash) {
			if special(element) && !bad {
				t.Errorf("%q passes with %q in it", name, element)
			}
		}
		if bad && CheckName("a/"+name) == nil && !isUNC(name) {
			t.Errorf("%q is refused, a/%[1]q is not", name)
		}
		if !bad && strings.ContainsAny(name, ":") {
			t.Errorf("%q passes with a colon", name)
		}
	})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
