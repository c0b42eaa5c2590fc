package coreutils

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"io"
	"strings"
)

func digestSyntax() syntax {
	return syntax{flags: []flag{{names: "b binary"}, {names: "t text"}, {names: "z zero"}, {names: "tag"}}}
}

// newDigest returns the digest that a tool prints and the name that --tag
// gives it.
func newDigest(tool string) (hash.Hash, string) {
	switch tool {
	case "md5sum":
		return md5.New(), "MD5"
	case "sha1sum":
		return sha1.New(), "SHA1"
	case "sha512sum":
		return sha512.New(), "SHA512"
	}
	return sha256.New(), "SHA256"
}

func prepareDigest(tool string) func([]string) (*Prepared, error) {
	return func(args []string) (*Prepared, error) {
		p, err := digestSyntax().parse(args)
		if err != nil {
			return nil, err
		}
		if p.has("tag") && p.last("t", "b") != "" {
			return nil, usage(0, "--tag goes with neither --text nor --binary")
		}
		return &Prepared{Paths: p.files(), Run: func(ctx context.Context, x *IO) int {
			out, status := x.output(), 0
			for _, name := range p.inputs() {
				err := x.withInput(ctx, name, func(_ string, in *input) error {
					h, tag := newDigest(tool)
					if _, err := io.Copy(h, in); err != nil {
						return err
					}
					_, err := out.WriteString(digestLine(p, tag, hex.EncodeToString(h.Sum(nil)), name))
					return err
				})
				if ctx.Err() != nil {
					break
				}
				if err != nil {
					x.errorf("%s: %s: %s", tool, quoteIfNeeded(name), reason(err))
					status = 1
				}
			}
			return x.finish(ctx, out, status)
		}}, nil
	}
}

// digestLine writes a digest as a checker reads it. A name that would break the
// line is escaped, and the line begins with a backslash then.
func digestLine(p *parsed, tag, sum, name string) string {
	mark := ""
	if !p.has("z") && strings.ContainsAny(name, "\\\n\r") {
		mark = `\`
		name = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
	}
	switch {
	case p.has("tag"):
		return mark + tag + " (" + name + ") = " + sum + ending(p)
	case p.last("t", "b") == "b":
		return mark + sum + " *" + name + ending(p)
	}
	return mark + sum + "  " + name + ending(p)
}
