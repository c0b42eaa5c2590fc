package coreutils

import (
	"bufio"
	"context"
	"slices"
	"strings"
	"time"
)

func dateCommand() Command {
	return Command{Name: "date", Summary: "print a time", syntax: dateSyntax, prepare: prepareDate}
}

func dateSyntax() syntax {
	var words []string
	for _, v := range isoPrecisions() {
		words = append(words, "-I"+v)
	}
	return syntax{words: words, flags: []flag{
		{names: "u utc universal"}, {names: "R rfc-email"},
		{names: "d date", value: withValue, check: func(v string) string {
			if _, ok := parseWhen(v); !ok {
				return "unsupported date '" + v + "'"
			}
			return ""
		}},
		{names: "I iso-8601", value: mayValue, check: func(v string) string { return checkOneOf(append(isoPrecisions(), "")...)(v) }},
		{names: "rfc-3339", value: withValue, check: checkOneOf("date", "seconds", "ns")},
	}}
}

func isoPrecisions() []string { return []string{"date", "hours", "minutes", "seconds", "ns"} }

func prepareDate(args []string) (*Prepared, error) {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "-I"); ok && slices.Contains(isoPrecisions(), v) {
			args[i] = "--iso-8601=" + v
		}
	}
	p, err := dateSyntax().parse(args)
	if err != nil {
		return nil, err
	}
	format, err := dateFormat(p)
	if err != nil {
		return nil, err
	}
	text, given := p.value("d")
	return writes(func(_ context.Context, x *IO, out *bufio.Writer) int {
		now := x.now()
		if p.has("u") {
			now = now.UTC()
		}
		if given {
			w, _ := parseWhen(text)
			now = w.from(now)
		}
		out.WriteString(formatTime(now, format) + "\n")
		return 0
	}), nil
}

// dateFormat is the one format that the flags and the operand ask for.
func dateFormat(p *parsed) (string, error) {
	var formats []string
	for _, o := range p.options {
		switch o.id {
		case "R":
			formats = append(formats, "%a, %d %b %Y %H:%M:%S %z")
		case "I":
			formats = append(formats, isoFormat(o.value))
		case "rfc-3339":
			formats = append(formats, map[string]string{"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}[o.value])
		}
	}
	for _, o := range p.operands {
		f, ok := strings.CutPrefix(o.Name, "+")
		if !ok {
			return "", usage(o.Word, "only +FORMAT can be given: the clock is not set")
		}
		if wrong := checkTimeFormat(f); wrong != "" {
			return "", usage(o.Word, "%s", wrong)
		}
		formats = append(formats, f)
	}
	switch len(formats) {
	case 0:
		return "%a %b %e %H:%M:%S %Z %Y", nil
	case 1:
		return formats[0], nil
	}
	return "", usage(0, "multiple output formats specified")
}

func isoFormat(precision string) string {
	switch precision {
	case "hours":
		return "%Y-%m-%dT%H%:z"
	case "minutes":
		return "%Y-%m-%dT%H:%M%:z"
	case "seconds":
		return "%Y-%m-%dT%H:%M:%S%:z"
	case "ns":
		return "%Y-%m-%dT%H:%M:%S,%N%:z"
	}
	return "%Y-%m-%d"
}

// checkTimeFormat says what is not supported in a format.
func checkTimeFormat(format string) string {
	if len(format) > 4096 {
		return "the format is too long"
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		f, used := readField(format[i:])
		if _, ok := f.text(time.Unix(0, 0)); !ok || f.width > 1000 {
			return "unsupported format " + format[i:min(i+used, len(format))]
		}
		i += used - 1
	}
	return ""
}

// formatTime writes a time in a format of strftime's.
func formatTime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		f, used := readField(format[i:])
		s, _ := f.text(t)
		b.WriteString(s)
		i += used - 1
	}
	return b.String()
}
