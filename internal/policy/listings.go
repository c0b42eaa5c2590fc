package policy

import (
	"slices"
	"strings"
)

// listing is a question to a package manager about what is installed for all
// projects, which it answers from its own files: it starts no program and asks
// no network.
type listing struct {
	// words are the program and its sub-command, flags what may follow, with
	// "=" at the end of those with a value behind it.
	words, flags string
	// operands: plain names may follow.
	operands bool
}

func listings() []listing {
	return []listing{
		// Without -g npm reads files of the project, and quotes them where they
		// are not what it expects: one may be a link to what is protected.
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

// judgeListing decides about a question for what is installed. The last result
// says that argv is such a question at all.
func judgeListing(argv []string) (*Call, *Refusal, bool) {
	for _, l := range listings() {
		words := strings.Fields(l.words)
		if len(argv) < len(words) || !slices.Equal(argv[:len(words)], words) {
			continue
		}
		for i := len(words); i < len(argv); i++ {
			switch word := argv[i]; {
			case strings.HasPrefix(word, "-") && !l.has(word):
				return nil, refuse(ReasonFlag, i, l.words+": "+word+" is not among the flags that can do no harm"), true
			case !strings.HasPrefix(word, "-") && !l.operands && !l.value(argv[i-1]):
				return nil, refuse(ReasonOperand, i, l.words+" takes no operand here"), true
			case !strings.HasPrefix(word, "-") && strings.ContainsAny(word, "/\\:"):
				return nil, refuse(ReasonOperand, i, l.words+": "+word+" is not a plain name"), true
			}
		}
		return &Call{Argv: slices.Clone(argv), Tool: argv[0], NeutralDir: true}, nil, true
	}
	return nil, nil, false
}

// has reports whether a word is one of the flags, perhaps with its value.
func (l listing) has(word string) bool {
	for f := range strings.FieldsSeq(l.flags) {
		name, value := strings.CutSuffix(f, "=")
		if word == name || value && strings.HasPrefix(word, name+"=") && !strings.ContainsAny(word[len(name)+1:], "/\\:") {
			return true
		}
	}
	return false
}

// value reports whether a word is a flag whose value is the next one.
func (l listing) value(word string) bool {
	return slices.Contains(strings.Fields(l.flags), word+"=")
}
