package frontmatter

// The functions here find where a value ends whose beginning the YAML library
// has given. They trust the library that the value is well formed, but stay
// inside the text whatever it holds.

// singleEnd returns the offset after the closing quote of a single-quoted
// scalar.
func singleEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 >= len(text) || text[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return len(text)
}

// doubleEnd returns the offset after the closing quote of a double-quoted
// scalar.
func doubleEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// matchEnd returns the offset after the text of a plain or block scalar. Its
// value differs from the source only in white space, so that matching what is
// not white space finds the end.
func matchEnd(text []byte, i int, value string) int {
	end := i
	for j := 0; j < len(value); {
		if n := spaceLen([]byte(value[j:min(j+3, len(value))])); n > 0 {
			j += n
			continue
		}
		for i < len(text) {
			n := spaceLen(text[i:])
			if n == 0 {
				break
			}
			i += n
		}
		if i >= len(text) || text[i] != value[j] {
			return end
		}
		i, j = i+1, j+1
		end = i
	}
	return end
}

// blockEnd returns the offset after the last character of a block scalar that
// is not white space; the header at least.
func blockEnd(text []byte, i int, value string) int {
	header := i
	for header < len(text) && spaceLen(text[header:]) == 0 {
		header++
	}
	body := header
	for body < len(text) && breakLen(text[body:]) == 0 {
		body++
	}
	if end := matchEnd(text, body, value); end > body {
		return end
	}
	return header
}

// flowEnd returns the offset after the bracket that closes a flow list or map,
// searching from the end of its last item.
func flowEnd(text []byte, i int, closer byte) int {
	for i < len(text) {
		switch {
		case text[i] == closer:
			return i + 1
		case text[i] == '#':
			for i < len(text) && breakLen(text[i:]) == 0 {
				i++
			}
		default:
			i++
		}
	}
	return len(text)
}

// afterColon returns the offset after the colon that follows a key, or i where
// the key has none.
func afterColon(text []byte, i int) int {
	at := i
	for at < len(text) {
		n := spaceLen(text[at:])
		switch {
		case n > 0:
			at += n
		case text[at] == '#':
			for at < len(text) && breakLen(text[at:]) == 0 {
				at++
			}
		case text[at] == ':':
			return at + 1
		default:
			return i
		}
	}
	return i
}
