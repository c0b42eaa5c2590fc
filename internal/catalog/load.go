package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/shell"
)

// Load loads the definitions that a request names:
//
//	/x    x                          a command, or else a skill
//	command:x                        a command
//	.claude/commands/x.md            a definition by its file
//	skill:x                          a skill
//	skills: a, b, c                  several skills, up to Options.MaxSkills
//	agent:x    instruction:x         an agent, an instruction
//
// A single string is split at whitespace: the name is followed by arguments, which are split by
// Claude Code's rules. If there are several strings, each one after the first is one argument.
//
// The result is never nil. Its Error field is set if and only if the returned error is not nil. If
// loading fails for a reason that has no error code, such as a canceled ctx, the returned error is
// the underlying error. Otherwise, it is that *Error.
func (c *Catalog) Load(ctx context.Context, request ...string) (*definition.Result, error) {
	return c.LoadFor(ctx, "", request...)
}

// LoadFor is like [Catalog.Load] but loads on behalf of an agent. If a definition is limited to
// other agents ([Definition.ForAgent]), the error has the code NOT_FOR_AGENT and lists the agents
// that can load it. An empty agent name means a person, who can load everything.
func (c *Catalog) LoadFor(ctx context.Context, agent string, request ...string) (*definition.Result, error) {
	l := Loader{C: c, Ctx: ctx, agent: agent, request: resolve.ParseRequest(request...)}
	return l.answer()
}

// answer handles the request. If loading fails, the error is also in the result.
func (l *Loader) answer() (*definition.Result, error) {
	err := l.load()
	if err == nil {
		l.result.Success = true
		return &l.result, nil
	}
	var e *definition.Error
	if !errors.As(err, &e) {
		e = &definition.Error{Code: diag.FileUnreadable, Message: err.Error()}
	}
	l.result.Error = e
	return &l.result, err
}

// Loader handles one request.
type Loader struct {
	C       *Catalog
	Ctx     context.Context
	request resolve.Request
	// agent is the calling agent, or "" for a person.
	agent  string
	result definition.Result
	bytes  int64
	tokens int
	// among is the result of [Catalog.findAmong] for the last definition found.
	among *resolve.Catalog
	// picking is set if the request needs only the definition and not its content.
	picking bool
	// picked is the last definition found.
	picked *definition.Definition
	// policyReported is set if the diagnostics already include policy file problems.
	policyReported bool
	// tooLong is set if the last rendered text exceeded the limit.
	tooLong bool
}

// findOne returns the single definition that a request names.
func (c *Catalog) findOne(ctx context.Context, request string) (*definition.Definition, error) {
	l := Loader{C: c, Ctx: ctx, request: resolve.ParseRequest(request), picking: true}
	if l.request.Many {
		return nil, &definition.Error{Code: diag.SkillLimit, Message: "expected one definition, not a list of skills", Fix: "specify one: skill:NAME or /NAME"}
	}
	if err := l.load(); err != nil {
		return nil, err
	}
	return l.picked, nil
}

func (l *Loader) load() error {
	r := &l.request
	switch {
	case r.Path != "":
		return l.file()
	case len(r.Names) == 0:
		return &definition.Error{
			Code: diag.CommandNotFound, Message: "the request is empty",
			Fix: "specify a command (/name), a skill (skill:name), skills (skills: a, b) or a file",
		}
	case r.Kind == definition.Skill:
		return l.skills()
	}
	return l.loadOne(r.Kind)
}

// loadOne loads a command, an agent or an instruction. If the request does not specify the kind, it
// can also load a skill.
func (l *Loader) loadOne(kind definition.Kind) error {
	kinds := []definition.Kind{kind}
	if l.request.Any {
		kinds = append(kinds, definition.Skill)
	}
	d, args, err := l.find(kinds...)
	if err != nil {
		return err
	}
	if d == nil {
		return l.NotFound(kind, l.request.Names[0])
	}
	return l.loadSingle(d, args)
}

// find looks up the requested definition. Names may contain spaces, so if the
// first word is unknown, find tries the whole text.
func (l *Loader) find(kinds ...definition.Kind) (*definition.Definition, render.Arguments, error) {
	r := &l.request
	args := render.ParseArguments(r.Arguments)
	if r.Words != nil {
		args = render.NewArguments(r.Words)
	}
	names := []string{r.Names[0]}
	if colons := strings.ReplaceAll(r.Names[0], "/", ":"); colons != r.Names[0] {
		names = append(names, colons)
	}
	d, err := l.lookUp(names, kinds)
	if d == nil && err == nil && r.Whole != r.Names[0] && r.Whole != "" {
		d, err = l.lookUp([]string{r.Whole}, kinds)
		args = render.Arguments{}
	}
	return d, args, err
}

// lookUp calls [Catalog.findAmong] and stores the result named among for [Loader.shadowedBy].
func (l *Loader) lookUp(names []string, kinds []definition.Kind) (d *definition.Definition, err error) {
	d, l.among, err = l.C.findAmong(l.Ctx, names, kinds)
	return d, err
}

// loadSingle loads one definition that was not requested as a skill.
func (l *Loader) loadSingle(d *definition.Definition, args render.Arguments) error {
	if d.Kind == definition.Workflow {
		return &definition.Error{
			Code: diag.NotInvocable, Message: fmt.Sprintf("'%s' is a workflow, which only its host can run", d.Origin.Path),
			Fix: "to see which hosts read it, run: vade explain " + shell.ForShell(d.Name),
		}
	}
	content, err := l.content(d, args, false)
	if err != nil {
		return err
	}
	switch d.Kind {
	case definition.Agent:
		l.result.Agent = content
	case definition.Instruction:
		l.result.Instruction = content
	default:
		l.result.Command = content
	}
	l.result.Metadata = &definition.Metadata{ExpandedAt: l.C.timestamp(), TotalTokensEstimate: l.tokens}
	return nil
}

// skills loads one or more skills within the limits.
func (l *Loader) skills() error {
	r := &l.request
	defer l.summarize()
	if limit := l.C.Options.MaxSkills; len(r.Names) > limit {
		return &definition.Error{
			Code: diag.SkillLimit, Message: fmt.Sprintf("%d skills requested, but a request can load at most %d", len(r.Names), limit),
			Fix: "split them across multiple requests",
		}
	}
	for _, name := range r.Names {
		if err := l.skill(name); err != nil {
			return err
		}
	}
	return nil
}

func (l *Loader) skill(name string) error {
	var d *definition.Definition
	var args render.Arguments
	var err error
	if l.request.Many {
		d, err = l.lookUp([]string{name}, []definition.Kind{definition.Skill})
	} else {
		d, args, err = l.find(definition.Skill)
	}
	if err != nil {
		return err
	}
	if d == nil {
		return l.NotFound(definition.Skill, name)
	}
	if limit := l.C.Options.MaxSkillBytes; l.bytes+d.Size > limit && !l.picking {
		return &definition.Error{
			Code: diag.SizeLimit,
			Message: fmt.Sprintf("skill '%s' (%.1f KB) would increase the request to %.1f KB; the limit is %.1f KB",
				d.Name, kilobytes(d.Size), kilobytes(l.bytes+d.Size), kilobytes(limit)),
			Fix: "raise the limit with vade load --max-kb; if the request names several skills, load them separately",
		}
	}
	content, err := l.content(d, args, l.request.Many)
	if err != nil {
		return err
	}
	l.bytes += d.Size
	l.result.Skills = append(l.result.Skills, *content)
	return nil
}

// summarize sets the result's metadata: the number of skills loaded, their total size and estimated
// tokens, and the time.
func (l *Loader) summarize() {
	n, total := len(l.result.Skills), kilobytes(l.bytes)
	l.result.Metadata = &definition.Metadata{
		SkillsLoaded: &n, TotalSizeKB: &total, LoadedAt: l.C.timestamp(), TotalTokensEstimate: l.tokens,
	}
}

// content reads, audits and renders one definition. If only the definition itself is needed, it
// records the definition and returns empty content.
func (l *Loader) content(d *definition.Definition, args render.Arguments, several bool) (*definition.Content, error) {
	l.picked = d
	if l.picking {
		return &definition.Content{}, nil
	}
	if err := l.C.CheckAgent(l.Ctx, l.agent, d); err != nil {
		return nil, err
	}
	if content, err := l.remoteContent(d, args); content != nil || err != nil {
		return content, err
	}
	k, err := l.C.cachedDocument(l.Ctx, d)
	var known *definition.Error
	if errors.As(err, &known) {
		return nil, known
	}
	if err != nil {
		return nil, &definition.Error{
			Code: diag.FileUnreadable, Message: strings.TrimPrefix(err.Error(), "vade: "), SearchedPaths: []string{d.Origin.Path},
			Fix: "make the file readable, or remove it",
		}
	}
	verdict, err := l.C.Gate(l.Ctx, d, &k.doc)
	if err != nil {
		return nil, err
	}
	l.result.Diagnostics = append(l.result.Diagnostics, verdict.Diagnostics...)
	content := &definition.Content{
		Kind: d.Kind, Name: d.Name, Path: d.Origin.Path, SizeKB: kilobytes(d.Size), Frontmatter: FrontmatterOf(k.doc.Entries),
		Raw: k.doc.Body, Title: d.Title, Description: d.Description,
		Layer: d.Origin.Layer, Plugin: d.Origin.Plugin, Shadowed: l.shadowedBy(d),
	}
	content.Digest = k.digest
	if hasFindings(verdict) {
		content.Audit = verdict
	}
	var cost int
	content.Text, cost = l.renderedText(d, &k, args, several)
	if l.tooLong {
		return nil, &definition.Error{
			Code: diag.SizeLimit, Message: fmt.Sprintf("with its arguments, the text of '%s' would exceed %d MiB", d.Name, render.MaxRendered>>20),
			Fix: "use shorter arguments",
		}
	}
	l.tokens += cost
	return content, nil
}

// render expands arguments, variables and files in a body. An agent's body is its system prompt
// and is not expanded (Claude Code 2.1.329, case m36).
func (l *Loader) render(d *definition.Definition, doc *parse.Document, text string, args render.Arguments, several bool) string {
	l.result.Diagnostics = append(l.result.Diagnostics, d.Diagnostics...)
	if l.result.Expansions == nil {
		l.result.Expansions = &definition.Expansions{Files: []definition.FileExpansion{}, Bash: []definition.BashExpansion{}}
	}
	if d.Kind == definition.Agent {
		return text
	}
	if compute := l.C.ComputedBody(d); compute != nil {
		return compute(args.Line())
	}
	in := l.C.Input(d, doc, text)
	if d.Kind != definition.Instruction {
		in.Arguments = args
	}
	runner, done := l.runner(d, doc, in)
	defer done()
	out := render.Render(l.Ctx, in, l.C.reader(d), runner)
	l.tooLong = out.TooLong
	l.result.Diagnostics = append(l.result.Diagnostics, dropMentions(out)...)
	where := ""
	if several {
		where = d.Name
	}
	for _, f := range out.Files {
		l.result.Expansions.Files = append(l.result.Expansions.Files, definition.FileExpansion{
			Reference: f.Reference, Resolved: f.Resolved, Path: f.Path, Content: f.Content,
			Error: expansionError(f.Error), Line: f.Line, Column: f.Column, In: where,
		})
	}
	for _, s := range out.Shell {
		l.result.Expansions.Bash = append(l.result.Expansions.Bash, bashExpansion(s, where))
	}
	return out.Content
}

// dropMentions removes the diagnostics for references that are probably not files. For example,
// "@someone" is usually a person or a package. The references themselves remain in out.Files.
func dropMentions(out render.Output) []diag.Diagnostic {
	type place struct{ line, column int }
	mention := map[place]bool{}
	for _, f := range out.Files {
		if f.Error != nil && f.Error.Code == diag.FileNotFound && !strings.ContainsAny(f.Reference, "./") {
			mention[place{f.Line, f.Column}] = true
		}
	}
	return slices.DeleteFunc(out.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == diag.FileNotFound && mention[place{d.Line, d.Column}]
	})
}

func expansionError(e *render.RefError) *definition.ExpansionError {
	if e == nil {
		return nil
	}
	return &definition.ExpansionError{Code: e.Code, Message: e.Message, Reason: e.Reason, Fix: e.Fix}
}

// Input returns the input for rendering a definition's body without arguments.
func (c *Catalog) Input(d *definition.Definition, doc *parse.Document, text string) render.Input {
	in := render.Input{Text: text, File: d.Origin.Path, ShellInCode: c.Profile.ShellInCode}
	if c.Profile.Variables != nil && d.Origin.Layer != definition.MCP {
		in.Variables = c.Profile.Variables(c.places(d))
	}
	if doc.BodyAt >= 0 {
		in.Start = doc.File.Pos(doc.BodyAt)
	}
	if d.Kind != definition.Instruction {
		in.Names = d.Fields.Arguments()
	}
	return in
}

// runner returns the runner for a definition's commands, or one that refuses
// them all. Instructions have no commands.
func (l *Loader) runner(d *definition.Definition, doc *parse.Document, in render.Input) (render.ShellRunner, func()) {
	if !render.HasShell(in) {
		return nil, func() {}
	}
	env, refused := l.C.shellEnv(d, "")
	if refused != nil {
		return refuseAll{refused}, func() {}
	}
	env.read(doc, in)
	if !l.policyReported {
		_, diags := l.C.EffectivePolicy()
		l.result.Diagnostics = append(l.result.Diagnostics, diags...)
		l.policyReported = true
	}
	return env, env.close
}

// shadowedBy returns the sorted paths of the definitions that d shadows.
func (l *Loader) shadowedBy(d *definition.Definition) []string {
	if d.Origin.Layer == definition.MCP {
		return nil
	}
	all := cmp.Or(l.C.scanned(), l.among)
	if all == nil {
		var err error
		if all, err = l.C.direct(l.Ctx, d.Kind, d.Name); err != nil || all == nil {
			return nil
		}
	}
	var paths []string
	for _, other := range all.ShadowedBy(d) {
		paths = append(paths, other.Origin.Path)
	}
	slices.Sort(paths)
	return paths
}
