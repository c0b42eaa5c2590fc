package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/commands"
	"github.com/vadehq/vade/internal/audit/fact"
)

func x02() Rule {
	return Rule{
		ID: "X02", Name: "decode-and-execute", Title: "Encoded or packed text is decoded and run at once", Scope: "code",
		Severity: Block, Confidence: High,
		Why: "What is encoded can not be read by the person who looks at it. There is no reason to hide a command that is honest.",
		Fix: "Write the commands as they are. If you did not write this, do not run it.",
		CWE: []int{506, 94}, OWASP: "AST01",
		find: findX02,
	}
}

func findX02(p *pass) {
	seen := map[fact.Place]bool{}
	say := func(place fact.Place, s Severity, c Confidence, standing fact.Standing, format string, args ...any) {
		if !seen[place] {
			seen[place] = true
			p.at(place, format, args...).as(s, c).standing(standing)
		}
	}
	for _, o := range p.origins() {
		decoder := -1
		for _, i := range o.from {
			if c := &p.Commands[i]; c.Name == "convert::frombase64string" || commands.Decodes(c.Words()) {
				decoder = i
			}
		}
		if decoder < 0 {
			continue
		}
		c, run := &p.Commands[decoder], &p.Commands[o.runs]
		place := c.Place
		for _, i := range append([]int{o.runs}, o.from...) {
			if x := &p.Commands[i]; x.File == place.File && i >= decoder-maxOrigin {
				place.Span.Start = min(place.Span.Start, x.Span.Start)
				place.Span.End = max(place.Span.End, x.Span.End)
			}
		}
		s, sure := p.decodes(o, c)
		if s == Clean {
			continue
		}
		say(place, s, sure, run.Standing, "what %s decodes is run by %s", c.Name, run.Name)
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		switch prog, ok := commands.ProgramOf(c.Words()); {
		case ok && prog.Lang == "ps1" && prog.Text > 1 && prog.Text <= len(c.Args) && commands.IsEncodedFlag(strings.TrimLeft(strings.ToLower(c.Args[prog.Text-2]), "-/")):
			if text := c.Args[prog.Text-1]; strings.ContainsAny(text, "$<{") || len(text) < 12 {
				say(c.Place, Review, Medium, c.Standing, "PowerShell is given an encoded command")
			} else {
				say(c.Place, Block, High, c.Standing, "PowerShell is given an encoded command")
			}
		case ok && prog.Text > 0 && prog.Text <= len(c.Args) && prog.Lang != "sh":
			if decodesItself(c.Args[prog.Text-1]) {
				say(c.Place, Block, High, c.Standing, "a program in a line decodes text and runs it")
			}
		}
	}
	for i := range p.Flows {
		if x := &p.Flows[i]; x.From == fact.DecodeData && (x.To == fact.Evaluate || x.To == fact.RunShell || x.To == fact.LoadCode) {
			sure := High
			if x.Medium == fact.Fence {
				sure = Medium
			}
			say(x.At, Block, sure, x.Standing, "decoded data is run as code")
		}
	}
}

// decodes judges a decoder whose output is run.
func (p *pass) decodes(o origin, decoder *fact.Command) (Severity, Confidence) {
	literal, remote, packed := decoder.Native && slices.ContainsFunc(decoder.Args, longPlain), false, false
	for _, i := range o.from {
		c := &p.Commands[i]
		if schematic(c) {
			return Clean, Low
		}
		if _, ok := fetches(c); ok {
			remote = true
		}
		switch c.Name {
		case "echo", "printf", "cat":
			literal = literal || c.Input != "" || slices.ContainsFunc(c.Args, longPlain)
		case "gh", "kubectl", "oc", "aws", "gcloud", "az", "vault", "jq", "op", "docker", "sops":
			// What comes out of a service that one is logged in to is encoded there.
			return Review, Medium
		case decoder.Name:
			literal = literal || c.Input != "" && !strings.HasPrefix(c.Input, "$")
		}
	}
	switch decoder.Name {
	case "gunzip", "zcat", "gzip", "gzcat", "pigz", "bunzip2", "bzcat", "bzip2", "xz", "xzcat", "unxz", "zstd", "zstdcat", "unzstd", "lz4", "brotli":
		packed = true
	case "gpg", "gpg2", "age":
		return Review, Medium
	}
	switch {
	case packed && remote:
		// The place that it comes from is what matters, and is judged by it.
		return Clean, Low
	case literal, packed, remote, o.file != "", len(decoder.Args) > 1:
		return Block, High
	}
	// What is decoded comes from a variable whose value does not show.
	return Review, Medium
}

// longPlain reports whether an argument is a text that is there, and no variable.
func longPlain(arg string) bool { return len(arg) >= 8 && !strings.HasPrefix(arg, "$") }

// decodesItself reports whether a program in a line decodes something and runs it.
func decodesItself(text string) bool {
	runs := false
	for _, word := range []string{"exec(", "eval(", "eval ", "os.system(", "subprocess", "execSync(", "child_process", "Function(", "compile(", "system(", "popen(", "instance_eval"} {
		runs = runs || strings.Contains(text, word)
	}
	if !runs {
		return false
	}
	for _, word := range []string{"b64decode", "fromhex", "unhexlify", "decompress(", "marshal.loads", "'base64'", "\"base64\"", "atob(", "base64_decode", "decode_base64", "Base64.decode", "unpack(", "rot13", "rot_13", "gzinflate", "inflateSync", "gunzipSync", "'hex'", "\"hex\"", "fromCharCode", "str_rot13", "codecs.decode", "a85decode", "b32decode"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
