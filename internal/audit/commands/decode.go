package commands

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vadehq/vade/internal/shell"
)

// input is what a command reads, as far as it is known.
func (v *analyzer) input(i, depth int) known {
	c := v.out.Commands[i]
	if c.Input != "" {
		return known{text: c.Input, ok: true, how: c.inputHow}
	}
	if c.From >= 0 && c.From != i {
		return v.output(c.From, depth+1)
	}
	for _, r := range c.Redirects {
		if !r.Writes {
			return v.content([]string{r.File.Text})
		}
	}
	return known{}
}

// content is what stands in some files, one behind the other.
func (v *analyzer) content(names []string) known {
	var out known
	for _, name := range names {
		value, ok := v.files[name]
		if !ok && v.look != nil && name != "" {
			value.text, _, value.ok = v.look(name)
		}
		if !value.ok || len(out.text)+len(value.text) > maxDecoded {
			return known{}
		}
		out.text += value.text
		out.how = append(out.how, value.how...)
		out.ok = true
	}
	return out
}

// output is what a command writes, as far as it is known without running it: what
// echo and its like say, and what decoders make of it.
func (v *analyzer) output(i, depth int) known {
	if depth > 12 || *v.spent > maxDecodedAll {
		return known{}
	}
	c := v.out.Commands[i]
	if c.Wraps >= 0 {
		return v.output(c.Wraps, depth+1)
	}
	words := texts(c.Words)
	if len(words) == 0 {
		return known{}
	}
	name := ProgramName(words[0])
	switch name {
	case "echo", "printf":
		return said(name, c.Words)
	case "cat", "tee", "head", "tail":
		if name == "cat" {
			var files []string
			for _, w := range words[1:] {
				if !strings.HasPrefix(w, "-") {
					files = append(files, w)
				}
			}
			if len(files) > 0 {
				return v.content(files)
			}
		}
		if name == "head" || name == "tail" {
			return known{}
		}
		return v.input(i, depth)
	}
	decode, file := decoder(name, words)
	if decode == nil {
		return known{}
	}
	in := known{}
	if file != "" && file != "-" {
		in = v.content([]string{file})
	} else {
		in = v.input(i, depth)
	}
	if !in.ok || len(in.text) > maxDecoded {
		return known{}
	}
	*v.spent += len(in.text)
	text, ok := decode(in.text)
	if !ok || len(text) > maxDecoded {
		return known{}
	}
	how := name
	if name == "openssl" || name == "python" || name == "python3" {
		how = "base64"
	}
	return known{text: text, ok: true, how: append(in.how[:len(in.how):len(in.how)], how)}
}

// said is what echo and printf write.
func said(name string, terms []Term) known {
	var value known
	escapes := name == "printf"
	from := 1
	for ; from < len(terms) && len(terms[from].Text) > 1 && terms[from].Text[0] == '-' && strings.Trim(terms[from].Text[1:], "neE") == ""; from++ {
		escapes = escapes || strings.Contains(terms[from].Text, "e")
	}
	var parts []string
	for _, t := range terms[min(from, len(terms)):] {
		if !t.Known && len(t.how) == 0 {
			return known{}
		}
		text := t.script
		if escapes && (name == "echo" || len(parts) == 0 || strings.Contains(parts[0], "%b")) {
			text = unescapeC(text)
		}
		value.how = append(value.how, t.how...)
		parts = append(parts, text)
	}
	value.ok = len(parts) > 0
	if name == "echo" {
		value.text = strings.Join(parts, " ") + "\n"
		return value
	}
	if len(parts) > 0 {
		value.text = formatted(parts[0], parts[1:])
	}
	if len(terms) > from && strings.Contains(terms[from].Text, `\x`) {
		value.how = append(value.how, "printf")
	}
	return value
}

// formatted does what printf does with %s, %b and %%.
func formatted(format string, args []string) string {
	if !strings.Contains(format, "%") {
		return format
	}
	var b strings.Builder
	for turn := 0; turn == 0 || len(args) > 0 && turn < 200; turn++ {
		used := false
		for i := 0; i < len(format); i++ {
			if format[i] != '%' || i+1 == len(format) {
				b.WriteByte(format[i])
				continue
			}
			i++
			if format[i] == '%' {
				b.WriteByte('%')
				continue
			}
			used = true
			if len(args) > 0 {
				b.WriteString(args[0])
				args = args[1:]
			}
		}
		if !used {
			break
		}
	}
	return b.String()
}

// operand returns the first word that is no option; letters are those of options with
// a value.
func operand(words []string, letters string) string {
	if i := shell.SkipOptions(words, letters, false, 0); i > 0 {
		return words[i]
	}
	return ""
}

// Decodes reports whether a command undoes an encoding or a packing of what it reads.
func Decodes(words []string) bool {
	if len(words) == 0 {
		return false
	}
	decode, _ := decoder(ProgramName(words[0]), words)
	return decode != nil
}

// decoder returns what a command does with what it reads, and the file that it reads
// instead of its standard input.
func decoder(name string, words []string) (decode func(string) (string, bool), file string) {
	has := func(flags ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(flags, w) })
	}
	letter := func(letters string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w[1:], letters)
		})
	}
	switch name {
	case "base64", "gbase64", "basenc":
		if letter("dD") || has("--decode") {
			return decodeBase64, operand(words, "wioI")
		}
	case "base32":
		if letter("dD") || has("--decode") {
			return decodeBase32, operand(words, "w")
		}
	case "openssl":
		switch {
		case has("base64") && has("-d"), has("enc") && has("-d") && has("-base64", "-a", "-A") && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-aes") || strings.HasPrefix(w, "-des") }):
			return decodeBase64, ""
		case has("enc", "aes-256-cbc", "rc4", "smime", "cms", "rsautl", "pkeyutl") && has("-d", "-decrypt"), has("-d") && len(words) > 1 && strings.HasPrefix(words[1], "aes"):
			return undecodable, ""
		}
	case "gpg", "gpg2":
		if has("-d", "--decrypt") {
			return undecodable, ""
		}
	case "age":
		if has("-d", "--decrypt") {
			return undecodable, ""
		}
	case "xxd":
		if letter("r") {
			return decodeHex, ""
		}
	case "gunzip", "zcat", "gzcat":
		return decodeGzip, operand(words, "S")
	case "gzip", "pigz":
		if letter("d") || has("--decompress") {
			return decodeGzip, operand(words, "S")
		}
	case "bunzip2", "bzcat":
		return decodeBzip2, operand(words, "")
	case "bzip2":
		if letter("d") {
			return decodeBzip2, operand(words, "")
		}
	case "zlib-flate", "pigz-d":
		return decodeZlib, ""
	case "xzcat", "unxz", "lzcat", "unlzma", "zstdcat", "unzstd":
		return undecodable, ""
	case "xz", "lzma", "zstd", "brotli", "lz4":
		if letter("d") || has("--decompress") {
			return undecodable, ""
		}
	case "uudecode", "crypt", "ccrypt":
		return undecodable, ""
	case "rev":
		return decodeRev, operand(words, "")
	case "rot13", "caesar":
		return rot13, ""
	case "tr":
		return translator(words), ""
	case "python", "python3":
		if has("base64") && has("-d") && has("-m") {
			return decodeBase64, ""
		}
	}
	return nil, ""
}

func undecodable(string) (string, bool) { return "", false }

// translator is what tr does with two sets of one length. Where it only changes case
// or takes characters out it hides nothing.
func translator(words []string) func(string) (string, bool) {
	var sets []string
	remove := false
	for _, w := range words[1:] {
		switch {
		case w == "-d":
			remove = true
		case len(w) > 1 && w[0] == '-' && len(w) < 4:
			return nil
		default:
			sets = append(sets, expandSet(w))
		}
	}
	if remove || len(sets) != 2 {
		return nil
	}
	from, to := sets[0], sets[1]
	// Moving letters among letters is a cipher.
	moved := 0
	for i := 0; i < min(len(from), len(to)); i++ {
		if isLetter(from[i]) && isLetter(to[i]) && from[i]|0x20 != to[i]|0x20 {
			moved++
		}
	}
	if moved < 10 {
		return nil
	}
	return func(s string) (string, bool) {
		b := []byte(s)
		for i, c := range b {
			if at := strings.IndexByte(from, c); at >= 0 && to != "" {
				b[i] = to[min(at, len(to)-1)]
			}
		}
		return string(b), true
	}
}

func expandSet(set string) string {
	set = strings.Trim(set, "[]")
	var b strings.Builder
	for i := 0; i < len(set) && b.Len() < 512; i++ {
		if i+2 < len(set) && set[i+1] == '-' && set[i+2] >= set[i] {
			for c := int(set[i]); c <= int(set[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(set[i])
	}
	return b.String()
}

func blankless(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' || r == '\\' {
			return -1
		}
		return r
	}, s)
}

func decodeBase64(s string) (string, bool) {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(blankless(s)), "=")
	if s == "" {
		return "", false
	}
	out, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil && len(out) < 4 {
		return "", false
	}
	return string(out), true
}

func decodeBase32(s string) (string, bool) {
	out, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(strings.ToUpper(blankless(s)), "="))
	return string(out), err == nil && len(out) > 0
}

func decodeHex(s string) (string, bool) {
	s = strings.NewReplacer(`\x`, "", "0x", "", ",", "").Replace(strings.ToLower(blankless(s)))
	s = strings.ReplaceAll(s, "x", "")
	out, err := hex.DecodeString(s)
	return string(out), err == nil && len(out) > 0
}

func readAll(r io.Reader, err error) (string, bool) {
	if err != nil {
		return "", false
	}
	out, _ := io.ReadAll(io.LimitReader(r, maxDecoded))
	return string(out), len(out) > 0
}

// Decode undoes an encoding by its name; false if it is unknown or the text is not in it.
func Decode(how, s string) (string, bool) {
	switch how {
	case "base64":
		return decodeBase64(s)
	case "base32":
		return decodeBase32(s)
	case "hex":
		return decodeHex(s)
	case "zlib":
		return decodeZlib(s)
	case "gzip":
		return decodeGzip(s)
	case "bzip2":
		return decodeBzip2(s)
	case "rot13":
		return rot13(s)
	}
	return "", false
}

func decodeGzip(s string) (string, bool)  { return readAll(gzip.NewReader(strings.NewReader(s))) }
func decodeZlib(s string) (string, bool)  { return readAll(zlib.NewReader(strings.NewReader(s))) }
func decodeBzip2(s string) (string, bool) { return readAll(bzip2.NewReader(strings.NewReader(s)), nil) }

func decodeRev(s string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		b := []byte(line)
		slices.Reverse(b)
		lines[i] = string(b)
	}
	return strings.Join(lines, "\n"), true
}

func rot13(s string) (string, bool) {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s), true
}

// DecodeUTF16 undoes the base64 of UTF-16 that PowerShell takes as an encoded command.
func DecodeUTF16(s string) (string, bool) {
	text, ok := decodeBase64(s)
	if !ok {
		return "", false
	}
	data := []byte(text)
	if bytes.IndexByte(data, 0) < 0 {
		return text, utf8.Valid(data)
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
	}
	return string(utf16.Decode(units)), len(units) > 0
}
