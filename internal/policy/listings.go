package policy

import (
	"slices"
	"strings"
)

// listing is a question to a package manager about what is installed, which it
// answers from its own files: it starts no program and asks no network.
type listing struct {
	// words are the program and its sub-command, flags what may follow, with
	// "=" at the end of those with a value behind it.
	words, flags string
	// operands: plain names may follow.
	operands bool
	// neutral: the answer does not depend on the project.
	neutral bool
}

func listings() []listing {
	return []listing{
		{"npm list", "--depth= --prod --production --dev --all -a --json --long -l --parseable -p -g --global --omit= --link", true, false},
		{"npm ls", "--depth= --prod --production --dev --all -a --json --long -l --parseable -p -g --global --omit= --link", true, false},
		{"npm pkg get", "", true, false},
		{"npm root", "-g", false, false},
		{"npm prefix", "-g", false, false},
		{"pip list", "--format=", false, true},
		{"pip3 list", "--format=", false, true},
		{"pip freeze", "--all", false, true},
		{"pip3 freeze", "--all", false, true},
		{"pip show", "-f", true, true},
		{"pip3 show", "-f", true, true},
		{"pip check", "", false, true},
		{"pip3 check", "", false, true},
		{"gem list", "", true, true},
		{"go env", "", true, true},
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
		return &Call{Argv: slices.Clone(argv), Process: true, Tool: argv[0], NeutralDir: l.neutral}, nil, true
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
