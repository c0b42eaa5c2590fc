package command

import (
	"context"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/coreutils"
)

// transform interprets programs that transform files or stdin.
func (m *machine) transform(c *call) value {
	p := c.program
	in := m.input(c)
	out := in
	switch p.effect {
	case "print":
		out = echoOutput(c)
		if name, ok := c.first("assign"); ok {
			m.assignVar(name.text, out)
			return value{}
		}
	case "pass":
		if p.detail != "" {
			out = m.filterOutput(c, in)
		}
	case "decode", "cipher":
		out = m.codecOutput(c, in)
	case "pack":
		out = value{sources: tagSecrets(in.sources, "encoded")}
	}
	files := c.all("write", "out")
	if c.has("in-place") {
		files = c.all("read")
	}
	for _, file := range files {
		if file.text != "-" {
			m.write(c.at, file, out, c.has("append") || strings.EqualFold(c.words[0].text, "add-content"))
		}
	}
	if len(files) > 0 && files[0].text != "-" && c.name != "tee" {
		return value{}
	}
	return out
}

// input returns what a program reads: its files, an argument, or stdin.
func (m *machine) input(c *call) value {
	files := c.all("read")
	var in value
	for _, v := range c.all("data", "text") {
		in = concatOutput(in, v)
		in.addSources(c.in.sources...)
	}
	if len(files) == 0 && in.empty() {
		in = c.in
		if c.program.effect == "pack" && c.in.isPattern {
			// stdin contains file names.
			in.addSources(m.readFile(c.at, c.in).sources...)
		}
	}
	dir, _ := c.first("dir")
	for _, v := range files {
		if dir.text != "" {
			v.text = strings.TrimRight(dir.text, "/") + "/" + v.text
		}
		if v.text == "-" {
			in = concatOutput(in, c.in)
		} else {
			in = concatOutput(in, m.readFile(c.at, v))
		}
	}
	return in
}

// limitedBuilder is a strings.Builder with a maximum size.
type limitedBuilder struct{ strings.Builder }

func (w *limitedBuilder) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxText {
		return 0, io.ErrShortWrite
	}
	return w.Builder.Write(p)
}

// pureOutput returns the output of a program whose output depends only on its arguments and input.
// It returns false for any other program.
func pureOutput(c *call, in value) (string, bool) {
	words := []string{c.name}
	for _, w := range c.words[1:] {
		in.known = in.known && w.known
		words = append(words, w.text)
	}
	if !in.known || len(in.text) > maxText {
		return "", false
	}
	switch c.name {
	case "printf":
		return printfOutput(words[1:])
	case "tr":
		return trOutput(words[1:], in.text)
	case "tac":
		lines := strings.Split(strings.TrimSuffix(in.text, "\n"), "\n")
		slices.Reverse(lines)
		return strings.Join(lines, "\n"), len(words) == 1
	case "paste":
		return pasteOutput(words[1:], in.text)
	}
	command, ok := coreutils.Lookup(c.name)
	if !ok {
		return "", false
	}
	p, err := command.Prepare(words)
	if err != nil || p.Run == nil || len(p.Paths) > 0 {
		return "", false
	}
	var out limitedBuilder
	status := p.Run(context.Background(), &coreutils.IO{Stdin: strings.NewReader(in.text), Stdout: &out})
	return out.String(), status == 0
}

// printfOutput returns the output of printf, which reuses its format until all arguments are
// consumed.
func printfOutput(words []string) (string, bool) {
	if len(words) > 2 && words[0] == "-v" {
		words = words[2:]
	} else if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return "", false
	}
	var out strings.Builder
	for args := words[1:]; ; {
		text, n, err := expand.Format(nil, words[0], args)
		out.WriteString(text)
		if args = args[n:]; err != nil || n == 0 || len(args) == 0 || out.Len() > maxText {
			return out.String(), err == nil
		}
	}
}

// pasteOutput returns the output of paste if it joins the lines of its input.
func pasteOutput(words []string, text string) (string, bool) {
	delimiter := "\t"
	switch {
	case len(words) > 2 && words[0] == "-s" && words[1] == "-d":
		delimiter = words[2]
	case len(words) > 1 && words[0] == "-sd":
		delimiter = words[1]
	case len(words) > 0 && strings.HasPrefix(words[0], "-sd"):
		delimiter = words[0][len("-sd"):]
	case len(words) == 0 || words[0] != "-s":
		return "", false
	}
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", delimiter), len(delimiter) < 2
}

// trOutput returns the output of tr if it deletes or replaces single
// characters, or applies ROT13, which can hide a command.
func trOutput(words []string, text string) (string, bool) {
	if len(words) != 2 || words[1] == "" {
		return "", false
	}
	escapes := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\012`, "\n")
	from, to := escapes.Replace(words[0]), escapes.Replace(words[1])
	plain := !strings.ContainsAny(from+to, `\[]`) && !strings.Contains(to, "-")
	switch {
	case strings.EqualFold(to, "n-za-m"), to == "N-ZA-Mn-za-m", to == "n-za-mN-ZA-M":
		return decode.Text("rot13", text)
	case plain && from == "-d":
		return strings.Map(func(c rune) rune {
			if strings.ContainsRune(to, c) {
				return -1
			}
			return c
		}, text), true
	case plain && len(from) == 1:
		return strings.ReplaceAll(text, from, to[:1]), true
	}
	return "", false
}

// filterOutput returns what a program prints for its input, which may be incomplete. If the program
// transforms a short text, the purpose may be to restore obfuscated text.
func (m *machine) filterOutput(c *call, in value) value {
	out := in
	if c.program.detail == "part" {
		out.sources = tagSecrets(out.sources, "part")
		for _, x := range out.sources {
			m.tag(x.read, "part")
		}
	}
	text, ok := pureOutput(c, in)
	if c.has("expression") {
		text, ok = m.sedOutput(c, in)
	}
	if out.known = in.known && ok; ok {
		out.text = text
	} else {
		out.isPattern = out.isPattern || in.known
	}
	// If only the case or the whitespace changed, the text was not hidden.
	same := strings.EqualFold(strings.Join(strings.Fields(text), ""), strings.Join(strings.Fields(in.text), ""))
	if ok && !same && (c.program.detail == "changes" || c.name == "cut") && strings.Count(in.text, "\n") < 3 {
		out.addSources(m.newSource(decoded, c.name))
	}
	return out
}

// echoOutput returns the output of commands such as echo and printf.
func echoOutput(c *call) value {
	words := c.all("text")
	out := joined(words)
	if regex("hides").MatchString(c.text) && (c.name == "printf" || c.has("flag")) {
		out.addSources(source{kind: decoded, name: c.name})
	}
	text, ok := pureOutput(c, literal(""))
	if out.text += "\n"; ok {
		out.text = text
	}
	return out
}

// sedOutput returns the output of sed. The sed command e runs the text after it.
func (m *machine) sedOutput(c *call, in value) (text string, ok bool) {
	text, ok = in.text, true
	for _, v := range c.all("expression") {
		if command, runs := strings.CutPrefix(strings.TrimLeft(v.text, "0123456789$ "), "e "); runs {
			m.execute(c, literal(command), "sh")
		}
		if ok {
			text, ok = substitute(v.text, text)
		}
	}
	return text, ok
}

// substitute implements the sed command s/from/to/ if from has no special characters other than a
// leading ^.
func substitute(script, s string) (string, bool) {
	if len(script) < 4 || script[0] != 's' {
		return "", false
	}
	parts := strings.Split(script[2:], script[1:2])
	from, anchored := strings.CutPrefix(parts[0], "^")
	if len(parts) != 3 || from == "" || len(s)*(len(parts[1])+1) > maxText ||
		strings.ContainsAny(from, `[]*^$\.+?`) || strings.ContainsAny(parts[1], `\&`) {
		return "", false
	}
	n := 1
	if strings.Contains(parts[2], "g") {
		n = -1
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !anchored || strings.HasPrefix(line, from) {
			line = strings.Replace(line, from, parts[1], n)
		}
		b.WriteString(line)
	}
	return b.String(), true
}

// codecOutput returns the output of programs that encode, decode, or encrypt.
func (m *machine) codecOutput(c *call, in value) value {
	how, always := strings.CutSuffix(c.program.detail, "!")
	if how == "encryption" && c.has("base64") && !regex("encrypts").MatchString(c.text) {
		how = "base64"
	}
	if c.has("check") {
		m.x.checked[m.root()] = true
	}
	if !always && !c.has("decode") {
		return value{sources: tagSecrets(in.sources, "encoded")}
	}
	out := value{sources: in.sources}
	if text, ok := decode.Text(how, in.text); ok && in.known {
		out.text, out.known = text, true
	} else if how == "gzip" && in.has(network) {
		// Downloads are often compressed, so what matters is only where they come from.
		return out
	}
	x := m.newSource(decoded, how)
	if !in.known && len(in.sources) == 0 && len(c.words) < 3 || how == "encryption" {
		x.tags = []signal.Tag{"computed"}
	}
	out.addSources(x)
	return out
}

// copyFiles interprets cp, mv and similar commands.
func (m *machine) copyFiles(c *call) value {
	operands := c.all("read", "copy")
	to, ok := c.first("dest")
	if n := len(operands) - 1; !ok && n > 0 {
		to, operands = operands[n], operands[:n]
	} else if !ok {
		return value{}
	}
	for _, from := range operands {
		v := m.readFile(c.at, from)
		name := to
		if strings.HasSuffix(to.text, "/") || to.text == "." || len(operands) > 1 || base(to.text) == "bin" {
			name.text = strings.TrimRight(to.text, "/") + "/" + base(from.text)
		}
		if p, _, _ := lookup([]value{from}); p != nil && from.known && strings.Contains(from.text, "/") {
			m.state.aliases[base(name.text)] = from.text
		}
		m.write(c.at, name, v, false)
	}
	return value{}
}

// archive interprets tar and other programs that create or extract archives.
func (m *machine) archive(c *call) value {
	if c.program.detail == "tar" && len(c.words) > 1 && !strings.HasPrefix(c.words[1].text, "-") {
		words := slices.Clone(c.words[1:])
		words[0].text = "-" + words[0].text
		c.args = c.program.arguments(words)
	}
	if c.has("create") {
		pack := *c.program
		pack.effect = "pack"
		c.program = &pack
		return m.transform(c)
	}
	out := c.in
	archives := append(c.all("out"), c.all("read")...)
	named := len(archives) > 0 && archives[0].text != "-"
	if named {
		out = m.readFile(c.at, archives[0])
	}
	m.state.unpacked = markStored(out.sources)
	if named && len(out.sources) == 0 {
		out.addSources(m.newSource(asset, archives[0].text))
	}
	if c.encrypted {
		m.state.unpacked = markStored(out.sources)
		for i, x := range m.state.unpacked {
			m.state.unpacked[i].tags = append(slices.Clip(x.tags), "password")
		}
	}
	return value{sources: out.sources}
}

// install interprets package managers and package runners.
func (m *machine) install(c *call) value {
	registries := c.all("registry")
	for _, assign := range c.assigns {
		if found := regex("registryVariable").FindStringSubmatch(assign); found != nil {
			registries = append(registries, literal(found[1]))
		}
	}
	for _, v := range registries {
		if strings.Contains(v.text, "://") || strings.HasPrefix(v.text, "$") {
			tags, _ := hostTags(v.text)
			m.add(c.at, signal.Install, c.text, v.text, append(tags, "registry-option")...)
		}
	}
	packages := c.all("package")
	if c.program.effect == "runner" && len(packages) > 1 && packages[0].text != "install" {
		// The words after the package name are arguments of the package.
		packages = packages[:1]
	}
	for _, v := range packages {
		m.addPackage(c, v)
	}
	return value{}
}

// addPackage adds the signal for a package.
func (m *machine) addPackage(c *call, v value) {
	var tags []signal.Tag
	url := strings.TrimPrefix(v.text, "git+")
	scheme, _, isURL := strings.Cut(url, "://")
	switch {
	case isURL && strings.Trim(scheme, "htpsgif") == "":
		tags, _ = hostTags(url)
		tags = append(tags, "url")
		if url != v.text && !regex("pinnedURL").MatchString(url) {
			tags = append(tags, "unpinned")
		}
	case v.text == "" || strings.ContainsAny(v.text[:1], "$./") || m.file(v.text) != nil:
		m.runFile(c, v, "sh")
		return
	case c.program.effect == "runner" && !regex("pinnedPackage").MatchString(v.text),
		strings.HasSuffix(v.text, "@latest") && strings.HasPrefix(c.name, "go:"):
		tags = append(tags, "unpinned")
	}
	m.add(c.at, signal.Install, c.text, v.text, tags...)
}
