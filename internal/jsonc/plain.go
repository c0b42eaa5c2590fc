// Package jsonc reads, writes and edits JSON with comments and trailing commas, which hosts and
// editors accept. [Parse] and [Find] read only plain JSON; [Plain] converts to plain JSON with the
// same offsets.
//
// github.com/tailscale/hujson is not used, because it rejects a byte order mark, an unclosed
// comment, and a line comment at the very end, all of which hosts accept. Also, its edits do not
// follow the file's layout.
package jsonc

import "bytes"

// Plain converts JSON with comments and trailing commas to plain JSON of the same length, by
// replacing comments, trailing commas and a byte order mark with spaces. It does not fix other
// errors.
func Plain(data []byte) []byte {
	out := blankComments(data)
	comma := -1
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i)
			comma = -1
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case !bytes.ContainsAny(out[i:i+1], whitespace):
			comma = -1
		}
	}
	return out
}

// blankComments returns data with comments and a byte order mark replaced with spaces.
func blankComments(data []byte) []byte {
	out := bytes.Clone(data)
	if bytes.HasPrefix(out, []byte("\ufeff")) {
		copy(out, "   ")
	}
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			i = stringEnd(out, i)
		case out[i] == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		}
	}
	return out
}

// stringEnd returns the offset of the quote that closes the string at i. If the string is
// unclosed, the result is at least the length of data.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}

// blankComment overwrites the comment at i with spaces, except for line breaks. It returns the
// offset of the comment's last byte or, for a line comment, of the line break after it.
func blankComment(data []byte, i int) int {
	block := data[i+1] == '*'
	for ; i < len(data); i++ {
		if !block && data[i] == '\n' {
			return i
		}
		if block && data[i] == '*' && i+1 < len(data) && data[i+1] == '/' {
			data[i], data[i+1] = ' ', ' '
			return i + 1
		}
		if data[i] != '\n' {
			data[i] = ' '
		}
	}
	return i
}

// whitespace lists JSON's whitespace characters.
const whitespace = " \t\r\n"

// skipSpace returns the offset of the first byte at or after at that is not whitespace, or
// len(data).
func skipSpace(data []byte, at int) int {
	return len(data) - len(bytes.TrimLeft(data[at:], whitespace))
}
