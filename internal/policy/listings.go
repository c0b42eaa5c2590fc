package policy

import (
	"slices"
	"strings"
)

// listing is a package manager command that prints installed packages or settings. It reads only
// the package manager's own files, starts no program and makes no network requests.
type listing struct {
	// words holds the program and its subcommand. flags holds the flags that
	// may follow; a flag that ends in "=" takes a value.
	words, flags string
	// operands reports whether operands may follow. They must not look like paths or URLs.
	operands bool
}

func listings() []listing {
	return []listing{
		// Without -g, npm reads files in the project and quotes malformed ones.
		// Such a file may be a symlink to a protected file.
		{"npm list -g", "--depth= --json --long -l --parseable -p", true},
		{"npm ls -g", "--depth= --json --long -l --parseable -p", true},
		{"npm root -g", "", false},
		{"npm prefix -g", "", false},
		{"pip list", "--format=", false},
		{"pip3 list", "--format=", false},
		{"pip freeze", "--all", false},
		{"pip3 freeze", "--all", false},
		{"pip show", "-f", true},
		{"pip3 show", "-f", true},
		{"pip check", "", false},
		{"pip3 check", "", false},
		{"gem list", "", true},
		{"go env", "", true},
	}
}

// judgeListing checks a command line whose command is in listings. The last result is false if argv
// is a different command.
func judgeListing(argv []string) (*Call, *Refusal, bool) {
	for _, l := range listings() {
		words := strings.Fields(l.words)
		if len(argv) < len(words) || !slices.Equal(argv[:len(words)], words) {
			continue
		}
		for i := len(words); i < len(argv); i++ {
			switch word := argv[i]; {
			case strings.HasPrefix(word, "-") && !l.has(word):
				return nil, refuse(ReasonFlag, i, l.words+": "+word+" is not on the read-only allowlist"), true
			case !strings.HasPrefix(word, "-") && !l.operands && !l.value(argv[i-1]):
				return nil, refuse(ReasonOperand, i, l.words+" does not take operands"), true
			case !strings.HasPrefix(word, "-") && strings.ContainsAny(word, "/\\:"):
				return nil, refuse(ReasonOperand, i, l.words+": "+word+" must not contain /, \\ or :"), true
			}
		}
		return &Call{Argv: slices.Clone(argv), Tool: argv[0], NeutralDir: true}, nil, true
	}
	return nil, nil, false
}

// has reports whether a word is one of the flags, with or without a value.
func (l listing) has(word string) bool {
	for f := range strings.FieldsSeq(l.flags) {
		name, value := strings.CutSuffix(f, "=")
		if word == name || value && strings.HasPrefix(word, name+"=") && !strings.ContainsAny(word[len(name)+1:], "/\\:") {
			return true
		}
	}
	return false
}

// value reports whether word is a flag whose value is the next word.
func (l listing) value(word string) bool {
	return slices.Contains(strings.Fields(l.flags), word+"=")
}
