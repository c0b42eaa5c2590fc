package fact

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/diag"
)

// The limits of unpacking: how many texts of a package and how much of all.
const (
	maxPacks     = 200
	maxDecoded   = 256 << 10
	maxAllPacked = 4 << 20
	// maxSays bounds what a pack tells of its text.
	maxSays = 4 << 10
)

// unpack undoes the encodings in a file and adds what comes out as files. It does so
// when it is asked for the file's first region.
func (f *Facts) unpack(k int) {
	file := f.Regions[k].File
	if k > 0 && f.Regions[k-1].File == file {
		return
	}
	x := f.Package.Files[file]
	if len(x.Text) < 12 {
		return
	}
	s := packScan{f: f, file: file, first: k, text: x.Text}
	if x.From != nil {
		s.depth = x.From.Depth
	}
	s.all()
	slices.SortStableFunc(s.found, func(a, b Pack) int { return a.Span.Start - b.Span.Start })
	f.Packs = append(f.Packs, s.found...)
}

// packScan looks for encoded text in one file.
type packScan struct {
	f     *Facts
	file  int
	first int
	text  string
	depth int
	found []Pack
	// deflates is how often packed data without a mark was tried.
	deflates int
	missed   [5]bool
	// hints is 2 where the text has a word of encodings, 1 where it has none.
	hints int
	// tilde and armour are from where on no such text ends.
	tilde, armour int
}

// miss notes one of a few reasons once for the file.
func (s *packScan) miss(n int, why Reason, note string) {
	if !s.missed[n] {
		s.missed[n] = true
		s.f.miss(s.file, why, note)
	}
}

// take adds what was decoded from a range of the text, if that is of interest, and
// reports whether it was.
func (s *packScan) take(start, end int, how string, data []byte) bool {
	span := diag.Span{Start: start, End: end}
	got := s.classify(data)
	switch got.kind {
	case isNothing:
		return false
	case isMedia:
		return true
	}
	if len(s.f.Packs)+len(s.found) >= maxPacks {
		s.miss(0, MissedPacked, "it has more encoded texts than are undone")
		return true
	}
	p := Pack{Place: Place{s.file, span}, Standing: s.f.standingAt(s.first, span), How: how}
	if got.how != "" {
		p.How += " and " + got.how
	}
	switch got.kind {
	case isProgram:
		s.miss(1, got.why, "it is "+p.How+" in the text")
	case isText:
		p.Readable = true
		p.Says = strings.ToValidUTF8(string(got.text[:min(len(got.text), maxSays)]), "")
		if got.cut {
			s.miss(2, MissedPacked, "only the beginning of what is encoded was read")
		}
		p.Inside = s.file1(&p, got.text)
	}
	s.found = append(s.found, p)
	return true
}

// file1 makes a file of what was decoded.
func (s *packScan) file1(p *Pack, text []byte) int {
	all := len(text)
	for _, x := range s.f.Package.Files {
		if x.From != nil {
			all += len(x.Raw)
		}
	}
	if s.depth >= maxDepth || all > maxAllPacked {
		s.miss(3, MissedPacked, "it is encoded too often, or there is too much of it")
		return 0
	}
	role, lang := guess(string(text))
	s.f.Package.Files = append(s.f.Package.Files, &File{
		Path: s.f.Package.Files[s.file].Path, Raw: text, Size: int64(len(text)), Role: role, Lang: lang,
		From: &Packed{File: s.file, Span: p.Span, How: p.How, Depth: s.depth + 1, Standing: p.Standing},
	})
	return len(s.f.Package.Files) - 1
}

// guessed gives a file without an ending the role and language of code, if it looks
// like some.
func guessed(x *File) bool {
	role, lang := guess(string(x.Raw[:min(len(x.Raw), 4<<10)]))
	if role != Script {
		return false
	}
	x.Role, x.Lang = role, lang
	return true
}

// guess says what a text that came without a name is.
func guess(text string) (Role, string) {
	head := strings.TrimLeft(text[:min(len(text), 2048)], "\ufeff \t\r\n")
	if strings.HasPrefix(head, "#!") {
		line, _, _ := strings.Cut(head, "\n")
		for _, lang := range [...]string{"python", "node", "ruby", "perl", "pwsh", "bun", "deno"} {
			if strings.Contains(line, lang) {
				if lang == "bun" || lang == "deno" {
					lang = "ts"
				}
				return Script, Language(lang)
			}
		}
		return Script, "sh"
	}
	if strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[{") || strings.HasPrefix(head, "[\"") {
		return Config, "json"
	}
	if strings.HasPrefix(head, "<") {
		return Data, "html"
	}
	votes := map[string]int{}
	lines := 0
	for line := range strings.Lines(head) {
		if lines++; lines > 40 {
			break
		}
		for part := range strings.SplitSeq(line, ";") {
			if lang, weight := lineLanguage(strings.TrimSpace(part)); lang != "" {
				votes[lang] += weight
			}
		}
	}
	best := ""
	for _, lang := range [...]string{"sh", "py", "js", "ps1"} {
		if votes[lang] > votes[best] {
			best = lang
		}
	}
	if best != "" {
		return Script, best
	}
	return Document, "md"
}

// lineLanguage says which language a statement looks like, and how much.
func lineLanguage(line string) (string, int) {
	word, rest, _ := strings.Cut(line, " ")
	low := strings.ToLower(line)
	switch {
	case strings.Contains(low, "iex ") || strings.Contains(low, "invoke-") || strings.Contains(low, "new-object ") || strings.HasPrefix(line, "$") && strings.Contains(line, " = "):
		return "ps1", 3
	case word == "import" && !strings.ContainsAny(line, "'\"{"), word == "from" && strings.Contains(rest, " import "), word == "def" && strings.HasSuffix(line, ":"),
		strings.HasPrefix(line, "exec("), strings.HasPrefix(line, "__import__("), strings.HasPrefix(line, "print("), strings.HasPrefix(line, "os."), strings.HasPrefix(line, "subprocess."):
		return "py", 3
	case strings.Contains(line, "require("), strings.Contains(line, "=>"), strings.HasPrefix(line, "eval("), word == "const", word == "let" && strings.Contains(rest, "="), word == "var" && strings.Contains(rest, "="),
		strings.HasPrefix(line, "function "), strings.HasPrefix(line, "fetch("), word == "import" && strings.ContainsAny(line, "'\""), strings.HasPrefix(line, "document."), strings.HasPrefix(line, "process."):
		return "js", 3
	case strings.HasPrefix(rest, "= ") && strings.Contains(rest, "(") && strings.HasSuffix(line, ")"), strings.Contains(word, ".") && strings.Contains(word, "(") && strings.HasSuffix(line, ")"):
		return "py", 2
	}
	if i := strings.LastIndexByte(word, '/'); i >= 0 && strings.HasPrefix(word, "/") {
		word = word[i+1:]
	}
	switch word {
	case "bash", "sh", "zsh", "curl", "wget", "sudo", "rm", "chmod", "nohup", "nc", "ncat", "python3", "npx", "npm", "pip", "osascript", "xattr", "mkdir", "cp", "mv", "printf", "base64", "openssl", "tar", "unzip", "crontab",
		"launchctl", "systemctl", "pkill", "dd", "scp", "ssh", "sed", "awk":
		return "sh", 2
	case "export", "eval", "exec", "python", "node", "powershell", "cat", "echo", "git", "cd", "kill", "env", "set", "source", "touch", "open", "perl", "ruby", "php", "tee", "find":
		// These are words of English too.
		if strings.ContainsAny(rest, "-/$|>\"'=") {
			return "sh", 2
		}
	case "if", "for", "while", "do", "done", "then", "fi":
		if strings.ContainsAny(line, "[$") || word == "done" || word == "fi" || word == "then" {
			return "sh", 1
		}
	}
	if name, value, ok := strings.Cut(word, "="); ok && name != "" && value != "" && name == strings.ToUpper(name) {
		return "sh", 1
	}
	if strings.Contains(line, "| sh") || strings.Contains(line, "| bash") || strings.Contains(line, "$(") || strings.Contains(line, " && ") || strings.Contains(line, "2>&1") || strings.Contains(line, ">/dev/") {
		return "sh", 2
	}
	return "", 0
}
