package audit

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	"github.com/vadehq/vade/internal/chars"
)

func h04() Rule {
	return Rule{
		ID: "H04", Name: "data-in-picture-address", Title: "A picture's or link's address is to be filled in with what was said or read", Scope: "text",
		Severity: Review, Confidence: Medium,
		Why: "A picture is fetched as soon as the answer is shown. What the model puts into its address is sent away without anyone clicking.",
		Fix: "Let the address have nothing of the conversation or of files in it.",
		CWE: []int{200, 359}, OWASP: "AST01",
		find: findH04,
	}
}

func findH04(p *pass) {
	for i := range p.URLs {
		u := &p.URLs[i]
		if !u.Template || !u.Image && u.Label == "" || u.Private || badge(u) {
			continue
		}
		rest := u.Text
		if !u.Image {
			// A link is followed by who reads it: only its query, and only what was said.
			_, query, ok := strings.Cut(u.Text, "?")
			if !ok {
				continue
			}
			rest = query
		}
		if name := carried(rest, u.Image); name != "" {
			p.at(u.Place, "the address has %q in it", chars.Short(name, 60)).standing(u.Standing)
		}
	}
}

func badge(u *fact.URL) bool {
	return strings.Contains(u.Host, "shields.io") || strings.Contains(u.Host, "badge") || strings.Contains(u.Route, "badge")
}

// carried returns the first placeholder in an address that stands for what a model was
// told or has read.
func carried(address string, image bool) string {
	for at := 0; at < len(address); {
		i := strings.IndexAny(address[at:], "{<[$")
		if i < 0 {
			return ""
		}
		i += at
		name := strings.TrimLeft(address[i:], "{<[$")
		from := len(address) - len(name)
		end := strings.IndexAny(name, "}>]&/")
		if end < 0 {
			end = len(name)
		}
		if name = name[:end]; tells(name, image) {
			return name
		}
		at = from + end
	}
	return ""
}

// tells reports whether the name of a placeholder is about what was said, read or kept
// secret.
func tells(name string, image bool) bool {
	low := strings.ToLower(name)
	for _, stem := range [...]string{"conversation", "chat", "history", "transcript", "prompt", "memory", "context", "secret", "password", "credential", "对话", "переписк"} {
		if strings.Contains(low, stem) {
			return image || stem != "secret" && stem != "password" && stem != "credential" && stem != "prompt"
		}
	}
	if !image {
		return false
	}
	for _, stem := range [...]string{"message", "api_key", "apikey", "api key", "token", "env", "data", "response", "answer", "contents", "file content", "summary", "base64", "b64", "encoded", "payload", "user_input", "user input", "result", "output"} {
		if strings.Contains(low, stem) && !strings.Contains(low, "database") && !strings.Contains(low, "environment") {
			return true
		}
	}
	return false
}
