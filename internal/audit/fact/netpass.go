package fact

import "strings"

// password finds, in a stretch of text, a password that is told to a reader: its value
// and where it stands.
func password(text string) (value string, from, to int) {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		// Letters whose small form has another length; places would not fit.
		low = text
	}
	for _, word := range [...]string{"pass", "pwd", "kennwort", "contraseña", "clave", "mot de passe", "senha", "mdp", "парол", "密码", "密碼", "解压码", "口令", "提取码", "パスワード", "비밀번호", "암호", "비번"} {
		for at := 0; ; {
			n := strings.Index(low[at:], word)
			if n < 0 {
				break
			}
			start := at + n
			at = start + len(word)
			if start > 0 && (letter(low[start-1]) || low[start-1] == '_' || low[start-1] == '-' || low[start-1] == '"' || low[start-1] == '$') && word[0] < 0x80 {
				continue
			}
			// The rest of the word: password, passcode, passwort, паролем.
			for at < len(low) && (letter(low[at]) || word[0] == 0xd0 && low[at] >= 0x80) && at-start < 24 {
				at++
			}
			if tail := low[start:at]; word == "pass" && !passWord(tail) {
				continue
			}
			if v, f, t := saidPassword(text, at); v != "" {
				return v, f, t
			}
		}
	}
	return unpackWith(text, low)
}

// passWord are the words that begin with "pass" and mean one.
func passWord(s string) bool {
	switch s {
	case "pass", "password", "passwd", "passcode", "passphrase", "passwort", "passe":
		return true
	}
	return false
}

// saidPassword reads the value behind a word for a password: "password: x", "password is x",
// "password `x`". A word alone behind it is no value: "password protected".
func saidPassword(text string, at int) (string, int, int) {
	i := at
	mark := false
	for i < len(text) && i-at < 16 {
		switch c := text[i]; {
		case c == ' ', c == '*', c == '_' && i+1 < len(text) && !letter(text[i+1]), c == '(':
			i++
			continue
		case c == ':', c == '=':
			mark = true
			i++
			continue
		case strings.HasPrefix(text[i:], "："), strings.HasPrefix(text[i:], "은 "), strings.HasPrefix(text[i:], "는 "):
			mark = true
			i += len("：")
			continue
		case strings.HasPrefix(text[i:], "is "), strings.HasPrefix(text[i:], "es "):
			mark = true
			i += 3
			continue
		case strings.HasPrefix(text[i:], "ist "), strings.HasPrefix(text[i:], "est "), strings.HasPrefix(text[i:], "为"), strings.HasPrefix(text[i:], "是"), strings.HasPrefix(text[i:], "は"):
			mark = true
			i += 3
			continue
		}
		break
	}
	return valueAt(text, i, mark)
}

// valueAt reads a value: in marks of code or quotation, or, behind a colon, a word.
func valueAt(text string, i int, mark bool) (string, int, int) {
	for _, q := range [...][2]string{{"`", "`"}, {"\"", "\""}, {"'", "'"}, {"“", "”"}, {"«", "»"}, {"「", "」"}, {"‘", "’"}, {"**", "**"}} {
		if rest, ok := strings.CutPrefix(text[min(i, len(text)):], q[0]); ok {
			rest = rest[:min(len(rest), 64)]
			n := strings.Index(rest, q[1])
			if n < 1 || n > 40 || strings.ContainsAny(rest[:n], "\n {}<>$") {
				return "", 0, 0
			}
			return rest[:n], i + len(q[0]), i + len(q[0]) + n
		}
	}
	if !mark {
		return "", 0, 0
	}
	end := i
	for end < len(text) && end-i < 40 && text[end] > ' ' && strings.IndexByte(",;)]}\"'`<>|*", text[end]) < 0 && !strings.HasPrefix(text[end:], "，") && !strings.HasPrefix(text[end:], "。") && !strings.HasPrefix(text[end:], "）") {
		end++
	}
	value := strings.TrimRight(text[i:end], ".!?:")
	if len(value) < 2 || strings.ContainsAny(value, "{}<>$%/(") || strings.EqualFold(value, "required") || strings.HasPrefix(strings.ToLower(value), "your") {
		return "", 0, 0
	}
	return value, i, i + len(value)
}

// unpackWith finds a value that something is to be unpacked with, without a word for
// what the value is: "extract using: x".
func unpackWith(text, low string) (string, int, int) {
	for _, word := range [...]string{"extract", "unzip", "unpack", "unrar"} {
		for at := 0; ; {
			n := strings.Index(low[at:], word)
			if n < 0 {
				break
			}
			start := at + n
			at = start + len(word)
			tail := low[at:min(len(low), at+48)]
			tail, _, _ = strings.Cut(tail, "\n")
			tail, _, _ = strings.Cut(tail, ". ")
			for _, with := range [...]string{"using:", "using key", "with:", "using code", "with code", "with key", "key:", "code:", "using `", "using \""} {
				if i := strings.Index(tail, with); i >= 0 && !strings.Contains(tail[:i], ",") {
					v := at + i + len(strings.TrimRight(with, "`\""))
					for v < len(text) && (text[v] == ' ' || text[v] == ':') {
						v++
					}
					if value, f, t := valueAt(text, v, strings.HasSuffix(with, ":")); value != "" && !toolName(value) {
						return value, f, t
					}
				}
			}
		}
	}
	return "", 0, 0
}

// toolName are programs that things are unpacked with.
func toolName(s string) bool {
	switch strings.ToLower(s) {
	case "7z", "7zip", "7-zip", "7za", "tar", "unzip", "unrar", "winrar", "gunzip", "bsdtar", "python", "zipfile", "ditto", "expand-archive", "pdftotext", "pdfplumber":
		return true
	}
	return strings.ContainsAny(s, "()/ ")
}
