package coreutils

import (
	"bufio"
	"unicode/utf8"
)

func revCommand() Command {
	return simple("rev", "reverse the characters of each line", noSyntax, func(p *parsed) (*Prepared, error) {
		return filter("rev", p, func(out *bufio.Writer, line []byte, ended bool) error {
			for end := len(line); end > 0; {
				_, size := utf8.DecodeLastRune(line[:end])
				out.Write(line[end-size : end])
				end -= size
			}
			return writeLine(out, nil, '\n', ended)
		}), nil
	})
}
