package coreutils

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/chars"
)

// programs returns the system's read-only commands. Each runs as the system's own program in the
// sandbox, where it can read only its operands. The table omits flags that write files, run
// commands, or read names from a file.
func programs() []Command {
	const sums = "b|binary t|text tag z|zero"
	return []Command{
		{"arch", "Print the machine's architecture", "", program(noPaths)},
		{"basename", "Print the last element of paths", "+ a|multiple s|suffix= z|zero", program(anyWords)},
		{"cmp", "Compare two files byte by byte", "b|print-bytes i|ignore-initial= l|verbose n|bytes= s|quiet|silent", program(filePaths)},
		{"column", "Format lines in columns", "t|table s|separator= o|output-separator= c|output-width= x|fillrows N|table-columns=", program(filePaths)},
		{"comm", "Compare two sorted files line by line", "1 2 3 check-order nocheck-order output-delimiter= total z|zero-terminated",
			program(filePaths)},
		{"cut", "Select parts of lines", "b|bytes= c|characters= d|delimiter= f|fields= s|only-delimited n complement" +
			" output-delimiter= z|zero-terminated", program(filePaths)},
		{"date", "Print the date and time", "u|utc|universal R|rfc-email d|date= I|iso-8601[=]", date},
		{"diff", "Compare two files line by line", "NUM=U a|text b|ignore-space-change B|ignore-blank-lines c C= d|minimal E|ignore-tab-expansion" +
			" i|ignore-case label= N|new-file normal q|brief s|report-identical-files strip-trailing-cr t|expand-tabs u U= unified[=]" +
			" w|ignore-all-space W|width= y|side-by-side suppress-common-lines Z|ignore-trailing-space", program(filePaths)},
		{"dirname", "Print the directory part of paths", "z|zero", program(anyWords)},
		{"du", "Print the sizes of files and directories", "a|all apparent-size b|bytes c|total d|max-depth= exclude= h|human-readable k m" +
			" s|summarize", du},
		{"fold", "Wrap lines", "NUM=w b|bytes s|spaces w|width=", program(filePaths)},
		{"hostname", "Print the hostname", "s|short", program(noPaths)},
		{"id", "Print the user's ID, name and groups", "g|group G|groups n|name r|real u|user", program(noPaths)},
		{"jq", "Query JSON", "r|raw-output c|compact-output e|exit-status s|slurp n|null-input S|sort-keys j|join-output" +
			" R|raw-input a|ascii-output tab M|monochrome-output", jq},
		{"md5sum", "Print MD5 digests of files", sums, program(filePaths)},
		{"nl", "Number lines", "b|body-numbering= i|line-increment= n|number-format= s|number-separator= v|starting-line-number= w|number-width=",
			program(filePaths)},
		{"nproc", "Print the number of processors", "all ignore=", program(noPaths)},
		{"paste", "Merge the lines of several files", "d|delimiters= s|serial z|zero-terminated", program(filePaths)},
		{"printf", "Format and print operands", "+", program(anyWords)},
		{"readlink", "Print symlink targets", "e|canonicalize-existing f|canonicalize m|canonicalize-missing n|no-newline q|quiet|silent" +
			" s v|verbose z|zero", program(lookPaths)},
		{"realpath", "Print absolute paths with symlinks resolved", "e|canonicalize-existing m|canonicalize-missing q|quiet s|strip|no-symlinks" +
			" relative-base= relative-to= z|zero", program(lookPaths)},
		{"rev", "Reverse lines", "", program(filePaths)},
		{"sed", "Edit lines with a script", "n|quiet|silent e|expression= E|r|regexp-extended s|separate u|unbuffered z|null-data", sed},
		{"seq", "Print numbers", "+ f|format= s|separator= w|equal-width", program(anyWords)},
		{"sha1sum", "Print SHA-1 digests of files", sums, program(filePaths)},
		{"sha256sum", "Print SHA-256 digests of files", sums, program(filePaths)},
		{"sha512sum", "Print SHA-512 digests of files", sums, program(filePaths)},
		{"sleep", "Wait", "", program(anyWords)},
		{"sort", "Sort lines", "b|ignore-leading-blanks d|dictionary-order f|ignore-case g|general-numeric-sort h|human-numeric-sort" +
			" i|ignore-nonprinting k|key= M|month-sort n|numeric-sort r|reverse s|stable t|field-separator= u|unique V|version-sort" +
			" z|zero-terminated", program(filePaths)},
		{"stat", "Print file properties", "c|format= L|dereference printf= t|terse", program(lookPaths)},
		{"tac", "Print lines in reverse order", "b|before s|separator=", program(filePaths)},
		{"tr", "Translate, squeeze or delete characters", "+ c|C|complement d|delete s|squeeze-repeats t|truncate-set1", program(anyWords)},
		{"tree", "List directories as a tree", "a d D f F h i I= J L= n N noreport p P= prune q r s t dirsfirst charset= filelimit= du" +
			" matchdirs ignore-case", tree},
		{"uname", "Print system information", "a|all i|hardware-platform m|machine n|nodename o|operating-system p|processor" +
			" r|kernel-release s|kernel-name v|kernel-version", program(noPaths)},
		{"uniq", "Omit or count repeated lines", "c|count d|repeated f|skip-fields= i|ignore-case s|skip-chars= u|unique" +
			" w|check-chars= z|zero-terminated", uniq},
		{"whoami", "Print the user name", "", program(noPaths)},
	}
}

// Access describes what a system program may read at the paths that its operands name.
type Access uint8

// Kinds of access.
const (
	// AccessMetadata is access to file names and properties, which the sandbox does not restrict.
	AccessMetadata Access = iota
	// AccessFiles is access to the content of regular files.
	AccessFiles
	// AccessTree is access to the names of all files in a directory tree.
	AccessTree
)

// operands describes the operands that a program accepts.
type operands uint8

const (
	noPaths operands = iota
	anyWords
	lookPaths
	filePaths
)

// program returns a function that prepares a system program that accepts the given type of
// operands.
func program(o operands) func(*parsed) (*Prepared, error) {
	return func(p *parsed) (*Prepared, error) {
		switch o {
		case noPaths:
			if len(p.operands) > 0 {
				return nil, usage(p.operands[0].Word, "operands are not allowed")
			}
			return &Prepared{}, nil
		case anyWords:
			return &Prepared{}, nil
		case filePaths:
			return &Prepared{Paths: p.files(), Access: AccessFiles}, nil
		}
		paths := slices.Clone(p.operands)
		for _, opt := range p.options {
			if strings.HasPrefix(opt.id, "relative-") {
				paths = append(paths, Path{opt.word, strings.TrimPrefix(opt.value, "=")})
			}
		}
		return &Prepared{Paths: paths}, nil
	}
}

// date prepares date. It rejects operands other than formats, because they would set the clock.
func date(p *parsed) (*Prepared, error) {
	for _, o := range p.operands {
		if !strings.HasPrefix(o.Name, "+") {
			return nil, usage(o.Word, "only +FORMAT is allowed; setting the clock is not supported")
		}
	}
	return &Prepared{}, nil
}

func du(p *parsed) (*Prepared, error) { return &Prepared{Paths: p.dirs(), Access: AccessTree}, nil }

// uniq prepares uniq. It rejects a second operand, which uniq would write to.
func uniq(p *parsed) (*Prepared, error) {
	if len(p.operands) > 1 {
		return nil, usage(p.operands[1].Word, "writing to an output file is not supported")
	}
	return &Prepared{Paths: p.files(), Access: AccessFiles}, nil
}

// jq prepares jq, whose first operand is the filter. Before version 1.7, jq
// does not accept "--" before the filter.
func jq(p *parsed) (*Prepared, error) {
	if len(p.operands) == 0 {
		return nil, usage(0, "missing filter")
	}
	argv := append([]string{"jq"}, p.flags...)
	for _, o := range p.operands {
		if strings.HasPrefix(o.Name, "-") {
			return nil, usage(o.Word, "operands that start with a dash are not supported")
		}
		argv = append(argv, o.Name)
	}
	return &Prepared{Paths: p.operands[1:], Access: AccessFiles, Argv: argv}, nil
}

// tree prepares tree. The value of a flag must be a separate word, because tree interprets letters
// that directly follow such a flag as more flags, and takes the value from the next word.
func tree(p *parsed) (*Prepared, error) {
	for _, o := range p.options {
		attached := o.value != "" && p.args[o.word-1] != o.value
		if attached && len(o.id) == 1 && (o.id != "L" || !chars.IsDigits(o.value)) {
			return nil, usage(o.word, "the value of -%s must be a separate argument", o.id)
		}
	}
	return &Prepared{Paths: p.dirs(), Access: AccessTree}, nil
}

// sed prepares sed. It rejects scripts that do more than print.
func sed(p *parsed) (*Prepared, error) {
	word := 0
	script := strings.Join(p.values("e"), "\n")
	if !p.has("e") {
		if len(p.operands) == 0 {
			return nil, usage(0, "missing script")
		}
		word, script = p.operands[0].Word, p.operands[0].Name
		p.operands = p.operands[1:]
	}
	for rest, open := script, 0; ; {
		rest = strings.TrimLeft(rest, " \t\n;")
		if rest == "" {
			if open != 0 {
				break
			}
			return &Prepared{Paths: p.files(), Access: AccessFiles}, nil
		}
		var ok bool
		if rest, ok = sedCommand(rest, &open); !ok || open < 0 {
			break
		}
	}
	return nil, usage(word, "the script may contain only these commands, in their simplest form: p, P, d, D, q, Q, s, y, n, N, l, =, a, i, c, b, t, labels, braces and the hold space commands")
}

// sedCommand parses one command with its addresses and returns the remaining text. It rejects
// scripts that sed implementations may parse differently.
func sedCommand(text string, open *int) (rest string, ok bool) {
	for i := range 2 {
		before := text
		_, text = cutSet(text, "0123456789$~+")
		if strings.HasPrefix(text, "/") {
			if text, ok = sedPart(text[1:], '/'); !ok {
				return "", false
			}
			text = strings.TrimPrefix(text, "I")
		}
		if text = strings.TrimLeft(text, " "); i == 1 || text == before || !strings.HasPrefix(text, ",") {
			break
		}
		text = strings.TrimLeft(text[1:], " ")
	}
	text = strings.TrimLeft(text, "! ")
	if text == "" {
		return "", false
	}
	command, text := text[0], text[1:]
	switch {
	case command == '{':
		*open++
		return text, true
	case command == '}':
		*open--
	case strings.IndexByte("pPdDnNhHgGxl=", command) >= 0:
	case command == 'q' || command == 'Q':
		_, text = cutSet(text, " 0123456789")
	case command == ':' || command == 'b' || command == 't':
		_, text = cutSet(strings.TrimLeft(text, " "), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
	case command == 'a' || command == 'i' || command == 'c':
		line, rest, _ := strings.Cut(text, "\n")
		line = strings.TrimPrefix(strings.TrimLeft(line, " \t"), `\`)
		return rest, !strings.Contains(line, `\`) && strings.TrimSpace(line) != ""
	case (command == 's' || command == 'y') && len(text) > 0 && strings.IndexByte("/|#,:@!%+~_", text[0]) >= 0:
		delimiter := text[0]
		text = text[1:]
		for range 2 {
			if text, ok = sedPart(text, delimiter); !ok {
				return "", false
			}
		}
		if command == 's' {
			_, text = cutSet(text, "gpIi0123456789")
		}
	default:
		return "", false
	}
	text = strings.TrimLeft(text, " \t")
	return text, text == "" || strings.IndexByte(";\n}", text[0]) >= 0
}

// sedPart returns the text after the next unescaped delimiter. It rejects a
// delimiter in a bracket expression, because sed implementations differ.
func sedPart(text string, delimiter byte) (rest string, ok bool) {
	bracket := -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && strings.HasPrefix(text[i+1:], "\n"):
			// In some implementations, a label extends to the end of the line,
			// so an escaped line break is ambiguous.
			return "", false
		case c == '\\' && i+1 < len(text) && (bracket < 0 || text[i+1] == delimiter):
			i++
		case c == '\\', c == '\n':
			return "", false
		case c == delimiter:
			return text[i+1:], bracket < 0
		case c == '[' && bracket < 0:
			if bracket = i; strings.HasPrefix(text[i+1:], "^") {
				i++
				bracket++
			}
		case c == '[' && strings.ContainsAny(text[i+1:min(i+2, len(text))], ":.="):
			return "", false
		case c == ']' && bracket >= 0 && i > bracket+1:
			bracket = -1
		}
	}
	return "", false
}
