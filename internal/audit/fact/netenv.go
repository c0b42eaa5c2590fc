package fact

import (
	"strings"

	"github.com/vadehq/vade/internal/secretnames"
)

// env takes the variables of the environment from a region: in the ways of shells and
// of languages, where a text names one as something to be read.
func (f *Facts) env(r *Region, text string) {
	if r.Medium == Prose || r.Medium == Frontmatter {
		return
	}
	shell := r.Medium == CodeSpan || r.Medium == Shell || r.Lang == "sh" || r.Lang == "ps1" || r.Lang == "bat" || r.Lang == "docker" || r.Lang == "make" || r.Lang == "" || r.Lang == "yaml"
	for i := 0; i < len(text) && len(f.Env) < maxFacts; i++ {
		from := 0
		switch c := text[i]; {
		case c == '$' && shell:
			from = i + 1
			rest := text[from:]
			switch {
			case strings.HasPrefix(rest, "{env:"), strings.HasPrefix(rest, "{Env:"):
				from += 5
			case strings.HasPrefix(rest, "env:"), strings.HasPrefix(rest, "Env:"):
				from += 4
			case strings.HasPrefix(rest, "{"):
				from++
			}
		case c == 'e' && i > 0 && text[i-1] == '.':
			// os.environ, os.getenv, process.env, import.meta.env
			switch rest := text[i:]; {
			case strings.HasPrefix(rest, "environ["), strings.HasPrefix(rest, "environ.get("):
				from = i + strings.IndexAny(rest, "[(") + 1
			case strings.HasPrefix(rest, "env."):
				from = i + 4
			case strings.HasPrefix(rest, "env["):
				from = i + 4
			case strings.HasPrefix(rest, "env") && !envByte(rest, 3) && strings.HasSuffix(text[:i], "process."):
				f.Env = append(f.Env, Env{Place: r.At(i, i+3), Standing: r.Standing})
				continue
			case strings.HasPrefix(rest, "environ") && !envByte(rest, 7):
				f.Env = append(f.Env, Env{Place: r.At(i, i+7), Standing: r.Standing})
				continue
			}
		case (c == 'g' || c == 'G' || c == 'E') && (i == 0 || !envByte(text, i-1)):
			for _, call := range [...]string{"getenv(", "Getenv(", "ENV[", "ENV.fetch("} {
				if strings.HasPrefix(text[i:], call) {
					from = i + len(call)
				}
			}
		}
		if from == 0 {
			continue
		}
		for from < len(text) && (text[from] == '"' || text[from] == '\'') {
			from++
		}
		end := from
		for end < len(text) && end-from < 128 && envByte(text, end) {
			end++
		}
		if end-from < 2 || netDigit(text[from]) || strings.ToUpper(text[from:end]) != text[from:end] {
			continue
		}
		f.Env = append(f.Env, Env{Place: r.At(from, end), Standing: r.Standing, Name: text[from:end], Secret: secretnames.Is(text[from:end])})
		i = end - 1
	}
}

func envByte(s string, i int) bool {
	return i < len(s) && (letter(s[i]) || netDigit(s[i]) || s[i] == '_')
}
