package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/terminal"
	"github.com/vadehq/vade/internal/transcript"
	"github.com/vadehq/vade/internal/vfs"
)

// skillifyFlags holds the flags for vade skillify.
type skillifyFlags struct {
	out     string
	force   bool
	request transcript.SkillifyRequest
}

func (a *app) skillify() *cobra.Command {
	var f skillifyFlags
	c := &cobra.Command{
		Use: "skillify TRANSCRIPT", Short: "Draft a skill from a session transcript",
		Long: `Draft a SKILL.md from a session of a coding agent, without a model: the user's
requests, the commands with their results, and the changed files. The bundled skill
"skillify" turns the draft into a finished skill.

TRANSCRIPT is a session file of Claude Code, Codex, Copilot CLI or Gemini CLI, the
output of "opencode export", or text with "User:", "Assistant:" and "$ command" lines;
"-" reads stdin. Nothing in it runs. Possible secrets and your home directory's path are
removed, and everything that a host would expand becomes plain text.

Without --out, the draft is printed. Omissions are reported on stderr.

Exit codes: 0 success, 1 the transcript was read only in part or nothing was written,
2 invalid usage.`,
		Example: `  vade skillify session.jsonl
  vade skillify session.jsonl --name fix-issue --out .agents/skills
  vade skillify rollout.jsonl --host claude-code --out .claude/skills
  vade skillify notes.md --format plain --no-quotes
  vade skillify session.jsonl --json            print the draft as JSON`,
		Args: checkArgs("specify one transcript, or - for stdin"),
		RunE: func(c *cobra.Command, args []string) error { return a.runSkillify(c.Context(), f, args[0]) },
	}
	flags := c.Flags()
	flags.StringVar(&f.request.Name, "name", "", "call the skill `NAME` (default: derived from the first message)")
	hostFlag(c, &f.request.Host, "write it in the format of `HOST` (see: vade help hosts)", registry.RealNames)
	flags.StringVar(&f.out, "out", "", "write it to `FILE`.md, or to NAME/SKILL.md in a directory")
	a.yesFlag(c)
	flags.BoolVar(&f.force, "force", false, "with --out: replace an existing file")
	choiceFlag(c, &f.request.Format, "format", "read the transcript as `FORMAT`", transcript.Formats()...)
	flags.BoolVar(&f.request.NoQuotes, "no-quotes", false, "omit quoted user messages")
	return c
}

func (a *app) runSkillify(ctx context.Context, f skillifyFlags, name string) error {
	if f.force && f.out == "" {
		return usage{failure{"--force requires --out", "without --out, nothing is written"}}
	}
	target, err := a.draftTarget(&f)
	if err != nil {
		return err
	}
	r, err := a.transcript(name, &f.request)
	if err != nil {
		return err
	}
	defer r.Close()
	d, err := transcript.Skillify(ctx, r, f.request)
	if err != nil {
		return withHint(err,
			hint{export.ErrNoFiles, true, "use one of: " + strings.Join(export.Hosts(), ", ")},
			hint{transcript.ErrSkillName, true, "for example: --name fix-issue"},
			hint{transcript.ErrFormat, false, "set --format to one of: " + strings.Join(transcript.Formats(), ", ")},
			hint{transcript.ErrEmpty, false, "specify a session with at least one message; omit --format to detect the format"})
	}
	if target == "" && f.out != "" {
		target = path.Join(cleanOut(f.out), d.Name, "SKILL.md")
	}
	if target != "" {
		if err := a.confirmFile(ctx, d.Text); err != nil {
			return err
		}
		if err := transcript.WriteDraft(cmp.Or(a.dir, "."), target, d, f.force); err != nil {
			return withHint(err,
				hint{export.ErrDiffers, false, "use --force to replace it, or specify a different --out or --name"},
				hint{err, false, "specify a different path with --out"})
		}
	}
	isProblem := func(x diag.Diagnostic) bool { return x.Severity > 0 }
	return failIf(slices.ContainsFunc(d.Diagnostics, isProblem), a.printDraft(d, target))
}

func cleanOut(out string) string { return path.Clean(filepath.ToSlash(out)) }

// draftTarget returns the file that --out specifies, or "" if --out specifies a directory. If the
// file is a SKILL.md, the skill is named after its directory.
func (a *app) draftTarget(f *skillifyFlags) (string, error) {
	if f.out == "" {
		return "", nil
	}
	out := cleanOut(f.out)
	if filepath.IsAbs(f.out) || out == ".." || strings.HasPrefix(out, "../") {
		return "", usage{failure{
			"--out " + f.out + ": outside the working directory", "specify a path inside it, or change it with -C DIR",
		}}
	}
	if !strings.HasSuffix(strings.ToLower(out), ".md") {
		return "", nil
	}
	if dir := path.Base(path.Dir(out)); strings.EqualFold(path.Base(out), "SKILL.md") && dir != "." {
		if f.request.Name != "" && f.request.Name != dir {
			return "", usage{failure{
				fmt.Sprintf("--name %s: the skill in %s must be named after its directory, %s", f.request.Name, out, dir),
				"omit --name, or use --out " + path.Dir(path.Dir(out)),
			}}
		}
		f.request.Name = dir
	}
	return out, nil
}

// transcript opens the file called name, or stdin if name is "-", and sets q.File.
func (a *app) transcript(name string, q *transcript.SkillifyRequest) (io.ReadCloser, error) {
	if name == "-" {
		q.File = "standard input"
		return io.NopCloser(a.world.Stdin), nil
	}
	q.File = filepath.ToSlash(name)
	at := a.resolvePath(name)
	info, err := os.Stat(at)
	if err == nil && !info.Mode().IsRegular() {
		// Opening a named pipe would block until it has a writer.
		return nil, usage{failure{name + ": not a regular file", "to read another program's output, run: … | vade skillify -"}}
	}
	var r *os.File
	if err == nil {
		r, err = os.Open(at)
	}
	if err != nil {
		return nil, usage{failure{fmt.Sprintf("%s: %v", name, vfs.WithoutPath(err)), "specify a transcript, or - for stdin"}}
	}
	return r, nil
}

// printDraft prints the draft or its path, and lists what was omitted.
func (a *app) printDraft(d *transcript.SkillDraft, target string) error {
	e := a.stderr()
	if a.json {
		return a.printJSON(struct {
			*transcript.SkillDraft
			Written string `json:"written,omitempty"`
		}{d, target})
	}
	out := a.stdout()
	text := d.Text
	if out.IsTerminal() {
		text = terminal.Escape(text)
	}
	if target != "" {
		text = out.Paint(terminal.Green, "written") + " " + terminal.EscapeLine(target) + "\n"
	}
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if err := a.printProblems(d.Diagnostics); err != nil {
		return err
	}
	for i := range d.Losses {
		printLoss(e, &d.Losses[i])
	}
	line := fmt.Sprintf("vade: read as %s: %s, %s; ", d.Format,
		plural(len(d.Found.Requests), "request"), plural(len(d.Found.Steps), "step"))
	switch target {
	case "":
		line += "to save the draft, use --out; it belongs at " + d.Path
	case d.Path:
		line += "next: vade check " + target
	default:
		line += "the draft belongs at " + d.Path
	}
	e.Line(terminal.Dim, "%s", line)
	return e.Err()
}
