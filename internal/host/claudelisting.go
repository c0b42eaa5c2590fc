package host

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// claudeListing is that of Claude Code.
func claudeListing(version string) *Listing {
	if version == claudeOld {
		return claudeOldListing()
	}
	return &Listing{
		// The length and its setting are documented; no recording has one that
		// is cut, nor one with when_to_use.
		MaxDescription: 1536, Ellipsis: "…", Join: " - ",
		Clean: claudeOneLine, Escape: claudeEscape,
		Commands: true, Paths: true,
		SecondName: true, // m08, m15, m18
		Compare:    claudeOrder,
		Scoped: func(dir, name string) string { // m27
			return " (scoped to " + dir + "/ — use this instead of the unscoped \"" + name +
				"\" skill when the files being changed are under " + dir + "/)"
		},
		From: func(dir, root string) string { // m27
			return " (from " + root + " — applies when working on files under " + dir + "/)"
		},
		// Recorded is only this: of 600 entries of 314 units each, with 7 for a
		// name alone, 64 are whole (m23), which holds for 23,866 to 24,172 units;
		// of 150, 74 are (observation of m22), which makes it less than 24,093;
		// and that with SLASH_COMMAND_TOOL_CHAR_BUDGET=2000 none of the 150 is
		// (m24). The context's length, the three units a token (k16 estimates
		// tokens so) and what the client's own entries take are inferred: they
		// are the round figures that give it. That a short context still has
		// 8,000 is documented (formats dossier, section 3.5).
		Budget: Budget{
			Overflow: DropRest, Around: len("- \n"),
			ContextTokens: 1_000_000, Fraction: 0.01, CharsPerToken: 3, Least: 8000, Env: "SLASH_COMMAND_TOOL_CHAR_BUDGET",
			Own: 6000, OwnName: len("- security-review\n"),
		},
		SkillTool: "Skill", AgentTools: []string{"Agent", "Task"}, // m55
		Agent: func(name, description, tools string) string { // m36, m37, m54
			return name + ": " + description + " (Tools: " + tools + ")"
		},
		AllTools: "All tools", AllBut: "All tools except ", NoTools: "None", // NoTools is inferred
		OwnAgents: []string{claudeGeneralAgent},
	}
}

// claudeGeneralAgent can not be shadowed by a file (observation of m54).
const claudeGeneralAgent = "general-purpose"

// claudeOldListing is that of 2.1.88: every duplicate (m11, m13, m28, m61,
// m62), texts as they are (m43), names of directories only (m08), no agents
// (m36). It kept the order of the directory, which is that of the bytes for
// skills (m08) and is not known for commands (m16).
func claudeOldListing() *Listing {
	return &Listing{
		MaxDescription: 250, Ellipsis: "…", Join: " - ",
		Commands: true, Paths: true,
		Duplicates: true, CommandsByLayer: true,
		Compare: strings.Compare,
		// Recorded is that 600 entries are names only (m23) and that fewer are
		// shortened equally (observation of m22). The figures are documented but
		// for MinShare, which is inferred; what the client's own entries took is
		// not known.
		Budget: Budget{
			Overflow: ShareEqually, Around: len("- \n"),
			ContextTokens: 200_000, Fraction: 0.01, CharsPerToken: 4, Env: "SLASH_COMMAND_TOOL_CHAR_BUDGET",
			MinShare: 20,
		},
		SkillTool: "Skill", AgentTools: []string{"Agent", "Task"},
		OwnAgents: []string{claudeGeneralAgent},
	}
}

// claudeOneLine takes escape sequences of terminals out and makes one blank of
// each run of line breaks, control characters and invisible ones: those of the
// classes Cc, Cf, Zl and Zp (m19, m43; the classes are inferred from the ones
// that are recorded).
func claudeOneLine(s string) string {
	if !strings.ContainsFunc(s, claudeHidden) {
		return s
	}
	var b strings.Builder
	run := false
	for i := 0; i < len(s); {
		if n := escapeSequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if hidden := claudeHidden(r); !hidden {
			b.WriteString(s[i : i+n])
			run = false
		} else if !run {
			b.WriteByte(' ')
			run = true
		}
		i += n
	}
	return b.String()
}

func claudeHidden(r rune) bool {
	return r < ' ' || r == 0x7f || r >= 0x80 && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
}

// escapeSequence returns the length of the control sequence that s begins with:
// ESC [, parameters, and a letter (ECMA-48).
func escapeSequence(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case '@' <= c && c <= '~':
			return i + 1
		case c < ' ' || c > '~':
			return 0
		}
	}
	return 0
}

// claudeEscape: so that no entry can begin or end a tag (m43). An ampersand
// stays.
func claudeEscape(s string) string {
	if !strings.ContainsAny(s, "<>") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "<", "&lt;"), ">", "&gt;")
}

// claudeOrder orders names as a reader of English does: letters whatever their
// case (m08, m47), then by it. For the rest it follows the order of the Unicode
// collation, as far as names need it, which is inferred: signs, digits, letters.
func claudeOrder(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		r, n := utf8.DecodeRuneInString(x)
		q, m := utf8.DecodeRuneInString(y)
		if d := claudeWeight(r) - claudeWeight(q); d != 0 {
			return d
		}
		x, y = x[n:], y[m:]
	}
	if d := len(x) - len(y); d != 0 {
		return d
	}
	// Of two that differ in case or accents only, the small and plain letter
	// comes first.
	for x, y = a, b; x != "" && y != ""; {
		r, n := utf8.DecodeRuneInString(x)
		q, m := utf8.DecodeRuneInString(y)
		if r != q {
			return claudeFine(r) - claudeFine(q)
		}
		x, y = x[n:], y[m:]
	}
	return len(a) - len(b)
}

const (
	// collated are the printable characters of ASCII that are no letters, and
	// latin the letters that those from U+00C0 to U+00FF are made of.
	collated = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789"
	latin    = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"
)

func claudeWeight(r rune) int {
	if 0xC0 <= r && r <= 0xFF {
		r = rune(latin[r-0xC0])
	}
	if at := strings.IndexRune(collated, r); r < utf8.RuneSelf && at >= 0 {
		return at
	}
	return int(unicode.ToLower(r)) + 0x100
}

// claudeFine tells apart what has one weight.
func claudeFine(r rune) int {
	if unicode.IsUpper(r) {
		return int(r) + unicode.MaxRune
	}
	return int(r)
}

// claudeShowing is what is known of its listing and its instructions, in words.
func claudeShowing(version string) []Fact {
	facts := []Fact{
		{CellInstructions, Observed, "Reads CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md and .claude/rules from the outermost directory down, before them the user's, and below the working directory once a file there is touched; imports stand beside, four files deep.", "f06, f08, f11, f13"},
		{CellInstructions, Documented, "The managed files come first.", "formats dossier, section 3.1"},
	}
	if version == claudeOld {
		return append(facts,
			Fact{CellListing, Observed, "Lists skills and commands in one line each, with every duplicate and as they are written; no agents.", "m08, m11, m36, m43"},
			Fact{CellListing, Observed, "Of 600 entries all are named only.", "m23"},
			Fact{CellListing, Documented, "A description has at most 250 characters, the list 1 % of the context.", "observations"},
			Fact{CellListing, Inferred, "What its own entries take of the list is not known.", ""},
		)
	}
	return append(facts,
		Fact{CellInstructions, Observed, "AGENTS.md is read where the project has no CLAUDE.md.", "observations of f07"},
		Fact{CellListing, Observed, "Lists skills, then commands, then those of plugins in one line each, escaped; agents with their tools.", "m08, m36, m43, m47"},
		Fact{CellListing, Observed, "Of 600 entries 64 are whole and the others named only.", "m23"},
		Fact{CellListing, Documented, "A description has at most 1,536 characters; settings change that and the length of the list.", "formats dossier, section 3.5"},
		Fact{CellListing, Inferred, "The length of the context and what its own entries take are the round figures that give what was observed.", "m22, m23"},
	)
}
