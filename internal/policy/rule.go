package policy

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/frontmatter"
)

// Rule is a permission rule from a policy file or a definition's allowed-tools
// field. The zero Rule matches nothing.
type Rule struct {
	// Tool is the tool's name: "Bash" for commands.
	Tool string
	// Pattern is the text in parentheses, without the ":*" or " *" that makes it a prefix. It is
	// empty if the rule matches all uses of the tool.
	Pattern string
	// Prefix reports whether the command may have more words than Pattern.
	Prefix bool

	text string
	// words holds the words in a Bash pattern, without quotes. An asterisk in a word matches any
	// text, including spaces.
	words []string
}

// bashTool is the name of the tool that runs commands.
const bashTool = "Bash"

// maxRule is the maximum length of a rule, in bytes.
const maxRule = 2048

// RuleError describes what is wrong with a rule.
type RuleError struct {
	// Rule is the rule's text, and Offset is a byte offset in it.
	Rule   string
	Offset int
	// Message is a clause such as "the parenthesis is not closed". Fix is a corrected rule; it may
	// be empty.
	Message, Fix string
}

func (e *RuleError) Error() string { return fmt.Sprintf("%q: %s", e.Rule, e.Message) }

// String returns the rule as written.
func (r Rule) String() string { return r.text }

// IsBash reports whether the rule applies to commands.
func (r Rule) IsBash() bool { return r.Tool == bashTool }

// ParseRule parses a rule in Claude Code 2.1.329 syntax: Tool or Tool(pattern). For Bash the
// patterns are
//
//	git status       this command only
//	git log:*        these words, and any that follow
//	git log *        the same
//	git config*      this text, and anything that follows, even in the same word
//	npm * --silent   any text in the middle
//
// Quotes in a pattern group words. It is an error if no host accepts the rule, for example because
// it has a tool name in the wrong case, an asterisk for all tools, or ":*" in the middle. The error
// is a [*RuleError].
func ParseRule(s string) (Rule, error) {
	r := Rule{text: s, Tool: s}
	if at := strings.IndexFunc(s, isInvisible); at >= 0 {
		return Rule{}, newRuleError(s, at, "", "a rule must not contain control or invisible characters")
	}
	if len(s) > maxRule {
		return Rule{}, newRuleError(s[:64], 0, "", "a rule is limited to %d bytes", maxRule)
	}
	open := strings.IndexByte(s, '(')
	if open >= 0 {
		r.Tool = s[:open]
	}
	if err := r.checkTool(); err != nil {
		return Rule{}, err
	}
	if open < 0 {
		return r, nil
	}
	if s[len(s)-1] != ')' {
		if strings.Contains(s, ")") {
			return Rule{}, newRuleError(s, strings.LastIndexByte(s, ')')+1, "", "text follows the parenthesis")
		}
		return Rule{}, newRuleError(s, open, s+")", "the parenthesis is not closed")
	}
	r.Pattern = s[open+1 : len(s)-1]
	if strings.TrimSpace(r.Pattern) == "" {
		return Rule{}, newRuleError(s, open, r.Tool, "the parentheses are empty")
	}
	if r.Pattern == "*" {
		r.Pattern = ""
		return r, nil
	}
	if r.Tool == bashTool {
		if err := r.readBash(open + 1); err != nil {
			return Rule{}, err
		}
	}
	return r, nil
}

func newRuleError(rule string, offset int, fix, format string, args ...any) *RuleError {
	return &RuleError{Rule: rule, Offset: offset, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// isInvisible reports whether a character is not printable or is U+FFFD, which replaces invalid
// UTF-8.
func isInvisible(r rune) bool { return r != ' ' && !unicode.IsPrint(r) || r == unicode.ReplacementChar }

func (r *Rule) checkTool() error {
	s := r.text
	switch {
	case r.Tool == "":
		return newRuleError(s, 0, "", "a rule must begin with a tool name")
	case r.Tool == "*":
		return newRuleError(s, 0, bashTool, "an asterisk is not a tool name; hosts ignore such a rule")
	case strings.TrimSpace(r.Tool) != r.Tool:
		return newRuleError(s, 0, "", "the tool name must not have leading or trailing whitespace")
	case r.Tool != bashTool && strings.EqualFold(r.Tool, bashTool):
		return newRuleError(s, 0, bashTool+s[len(r.Tool):], "the tool name is %s; hosts ignore rules that spell it differently", bashTool)
	}
	if i := strings.IndexAny(r.Tool, " ,)\"'`"); i >= 0 {
		return newRuleError(s, i, "", "a tool name must not contain %q", r.Tool[i])
	}
	return nil
}

// readBash parses the pattern in a rule for commands. The pattern starts at byte offset at of the
// rule's text.
func (r *Rule) readBash(at int) error {
	p := r.Pattern
	colon := strings.Index(p, ":*")
	switch {
	case colon == 0:
		return newRuleError(r.text, at, bashTool, `there must be words before ":*"`)
	case colon > 0 && colon != len(p)-2:
		return newRuleError(r.text, at+colon, "", `":*" is allowed only at the end`)
	case colon > 0:
		p, r.Prefix = p[:colon], true
	case strings.HasSuffix(p, " *"):
		p, r.Prefix = strings.TrimRight(p[:len(p)-2], " "), true
	}
	if i := strings.IndexByte(p, '\\'); i >= 0 {
		return newRuleError(r.text, at+i, "", "backslashes are not supported in rules")
	}
	words, i, why := patternWords(p)
	switch {
	case why != "":
		return newRuleError(r.text, at+i, "", "%s", why)
	case len(words) == 0:
		return newRuleError(r.text, at, bashTool, "the pattern contains no words")
	}
	r.Pattern, r.words = p, words
	return nil
}

// patternWords splits a pattern at spaces and removes the quotes. If the pattern is invalid, why
// describes the problem and at is its byte offset.
func patternWords(p string) (words []string, at int, why string) {
	var word []byte
	in, quote, from := false, byte(0), 0
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && c == '*':
			return nil, i, "an asterisk must not be in quotes"
		case quote == 0 && strings.IndexByte("|;&<>`", c) >= 0:
			return nil, i, "a rule matches a single command and must not contain operators"
		case quote == 0 && (c == '"' || c == '\''):
			quote, in, from = c, true, i
		case quote == 0 && c == ' ':
			if in {
				words, word, in = append(words, string(word)), nil, false
			}
		default:
			word, in = append(word, c), true
		}
	}
	if quote != 0 {
		return nil, from, "the quote is not closed"
	}
	if in {
		words = append(words, string(word))
	}
	return words, 0, ""
}

// ParseRules parses the rules in an allowed-tools field. Each string may
// contain several rules, separated by commas or spaces outside parentheses.
// ParseRules returns the valid rules, and an error for each invalid one.
func ParseRules(list ...string) ([]Rule, []*RuleError) {
	var rules []Rule
	var wrong []*RuleError
	for _, s := range list {
		for _, part := range frontmatter.SplitRules(s) {
			r, err := ParseRule(part)
			if err != nil {
				wrong = append(wrong, err.(*RuleError))
				continue
			}
			rules = append(rules, r)
		}
	}
	return rules, wrong
}
