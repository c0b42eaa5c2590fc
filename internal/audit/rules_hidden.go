package audit

import (
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/fact"
)

// hiddenRules are the rules of U and H, and F03: what is hidden.
func hiddenRules() []Rule {
	return []Rule{u01(), u02(), u03(), u04(), u05(), h01(), h02(), h03(), h04(), h05(), f03()}
}

// point reports a finding at characters that the text of a file does not have.
func (p *pass) point(pt *fact.Points, format string, args ...any) *Finding {
	file := p.Package.Files[pt.File]
	if file.From != nil && !file.From.Container {
		return p.at(fact.Place{File: pt.File}, format, args...)
	}
	f := p.finding(fact.Place{File: pt.File}, format, args...)
	f.show(file, diag.Span{Start: pt.Start, End: pt.End})
	return p.add(f)
}

// within reports whether a place is in another one.
func within(inner, outer fact.Place) bool {
	return inner.File == outer.File && inner.Span.Start >= outer.Span.Start && inner.Span.End <= outer.Span.End
}

// telling reports whether a word is one that those who look for danger look for: to
// split or disguise it has a purpose.
func telling(word string) bool {
	_, found := slices.BinarySearch([]string{
		"apikey", "api_key", "assistant", "authorization", "base64", "bash", "chmod", "cmd", "confirm", "credential", "credentials", "curl", "decode", "delete", "disregard", "download", "env", "environ", "eval", "exec", "execute",
		"exfiltrate", "fetch", "forget", "github", "hidden", "http", "https", "id_rsa", "ignore", "import", "instruction", "instructions", "invoke", "javascript", "key", "keys", "mnemonic", "netcat", "npm", "npx", "openssl",
		"osascript", "override", "password", "paypal", "pip", "powershell", "previous", "private", "prompt", "python", "python3", "pwsh", "requests", "run", "secret", "secrets", "seed", "send", "silently", "socket", "ssh", "subprocess", "sudo", "system",
		"token", "tokens", "upload", "user", "wallet", "webhook", "wget",
	}, word)
	return found
}
