package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/bundled"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/publish"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrSkillName reports a skill name that not every host accepts.
var ErrSkillName = errors.New("the name of a skill has small letters, digits and single hyphens between them, and at most 64 of these")

// SkillifyRequest says how a skill is drafted. The zero value finds out the format and
// makes up a name.
type SkillifyRequest struct {
	// File is what diagnostics call the transcript.
	File string
	// Format is one of [Formats]; "" finds out.
	Format string
	// Name is the name of the skill; "" makes one of the first message.
	Name string
	// Host is the host that the skill is written for; "" writes the neutral form.
	Host string
	// NoQuotes leaves the user's words out of the draft.
	NoQuotes bool
	// KeepFailures makes steps of commands that failed, too.
	KeepFailures bool
}

// Draft is a skill that was drafted from a transcript, with what was found in it.
type SkillDraft struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Format      string `json:"format"`
	// Text is the SKILL.md.
	Text string `json:"text"`
	// Path is the file that the host reads it from, below the top of the project.
	Path string `json:"path"`
	// Found is what the draft was made of.
	Found DraftFound `json:"found"`
	// Losses are what the host can not express of it.
	Losses []export.HostLoss `json:"losses"`
	// Diagnostics say what could not be read and what is left out.
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// DraftFound is what a transcript has in it, fit to be shown: no secret, no place of the
// machine, and no mark of a host is in its texts. Its JSON is stable: fields are added,
// never renamed.
type DraftFound struct {
	Goal         string     `json:"goal"`
	Arguments    []Argument `json:"arguments"`
	AllowedTools []string   `json:"allowedTools"`
	Withheld     []Withheld `json:"withheld"`
	Steps        []Step     `json:"steps"`
	Corrections  []Quote    `json:"corrections"`
	Requests     []Quote    `json:"requests"`
	Failed       []Run      `json:"failed"`
	Files        []string   `json:"files"`
	Tools        []Count    `json:"tools"`
	// Hidden is how often something was taken out that may be a secret.
	Hidden int `json:"hidden"`
}

// Skillify drafts a skill from the transcript of a session: what was done becomes steps,
// each with how it is known to be done; what varied becomes arguments; what ran becomes
// rules for tools, for the very command unless no option of its program could do harm.
// No model is asked, nothing runs, and no file is opened. The same transcript gives the
// same draft.
//
// The error is [ErrFormat], [ErrBinary], [ErrEmpty],
// [ErrSkillName], [export.ErrNoHost], [export.ErrNoFiles], that of the reader, or that of the context.
func Skillify(ctx context.Context, r io.Reader, q SkillifyRequest) (*SkillDraft, error) {
	if q.Name != "" && (!publish.Named(q.Name) || config.BadPath(q.Name) != "") {
		return nil, fmt.Errorf("vade: %q: %w", q.Name, ErrSkillName)
	}
	s, err := Parse(ctx, r, Options{Name: q.File, Format: Format(q.Format)})
	if err != nil {
		return nil, fmt.Errorf("vade: %s: %w", cmp.Or(q.File, "the transcript"), err)
	}
	d, err := NewDraft(s, DraftOptions{Name: q.Name, NoQuotes: q.NoQuotes, KeepFailures: q.KeepFailures})
	if err != nil {
		return nil, fmt.Errorf("vade: %s: %w", cmp.Or(q.File, "the transcript"), err)
	}
	var notes []string
	for _, x := range s.Diagnostics {
		notes = append(notes, x.Message)
	}
	out := &SkillDraft{Name: d.Name, Description: d.Description, Format: string(s.Format), Text: d.Markdown(s.Format, notes, false), Diagnostics: s.Diagnostics, Found: found(d)}
	if d.Hidden > 0 {
		out.Diagnostics = append(out.Diagnostics, diag.For(q.File, diag.TranscriptSecret, "what may be a secret is not in the draft: %s", placesOf(d.Hidden)).
			WithFix("look through the transcript before giving it to anybody"))
	}
	out.Diagnostics = append([]diag.Diagnostic{}, out.Diagnostics...)
	out.Path = ".agents/skills/" + d.Name + "/SKILL.md"
	out.Losses = []export.HostLoss{}
	if q.Host != "" {
		if err := out.forHost(q.Host, d, notes); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// found is what a draft was made of, with lists that are never null in JSON.
func found(d *Draft) DraftFound {
	return DraftFound{
		Goal: d.Goal, Arguments: notNil(d.Arguments), AllowedTools: notNil(d.Allowed), Withheld: notNil(d.Withheld), Steps: notNil(d.Steps), Corrections: notNil(d.Corrections),
		Requests: notNil(d.Requests), Failed: notNil(d.Dead), Files: notNil(d.Files), Tools: notNil(d.Tools), Hidden: d.Hidden,
	}
}

func placesOf(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

func notNil[T any](l []T) []T { return append([]T{}, l...) }

// forHost writes the draft in the form of a host. Where that takes rules for tools in no
// form that others read too, they are left out: the user is asked each time.
func (d *SkillDraft) forHost(name string, x *Draft, notes []string) error {
	p, ok := registry.Lookup(name)
	switch {
	case !ok:
		return fmt.Errorf("vade: %s: %w", name, export.ErrNoHost)
	case p.Export == nil:
		return fmt.Errorf("vade: %s: %w", name, export.ErrNoFiles)
	}
	text := x.Markdown(Format(d.Format), notes, true)
	made := d.made(p, text)
	if rulesAsList(made) {
		without := *x
		without.Allowed = nil
		// What is lost of each rule is lost with all of them.
		losses := slices.DeleteFunc(made.Losses, func(l export.Loss) bool { return l.What == export.LossTool })
		text = without.Markdown(Format(d.Format), notes, true)
		made = d.made(p, text)
		made.Losses = append(losses, export.Loss{
			Kind: definition.Skill, Name: d.Name, Source: d.Path, What: export.LossTool,
			Message: p.Name + " takes no rule that says which commands may run: allowed-tools is left out, and the user is asked each time",
		})
	}
	for _, f := range made.Files {
		if f.Main {
			d.Path, d.Text = f.Path, string(f.Data)
		}
	}
	for _, l := range made.Losses {
		if l.What == export.LossField {
			// The body names the arguments too.
			continue
		}
		d.Losses = append(d.Losses, export.HostLoss{
			Host: p.Name, Kind: l.Kind, Name: l.Name, Source: d.Path, What: l.What, Message: l.Message, Fix: l.Fix, Whole: l.Whole, Widens: l.Widens,
		})
	}
	return nil
}

// Place notes that the draft is to be written to a file, below the top of the project or
// in a directory of it, and reports whether the host, "" for any, reads skills there. Its
// losses are then of that file, and its diagnostics say where the host does not look, and
// that a skill which comes with Vade has the same name.
func (d *SkillDraft) Place(name, hostName string) bool {
	for i := range d.Losses {
		d.Losses[i].Source = name
	}
	profiles, who := append(registry.Profiles(), registry.Neutral()), "no host reads"
	if p, ok := registry.Lookup(hostName); ok && hostName != "" {
		profiles, who = []*host.Profile{p}, hostName+" does not read"
	}
	dir := path.Dir(path.Dir(name))
	read := path.Base(name) == "SKILL.md" && slices.ContainsFunc(profiles, func(p *host.Profile) bool {
		return slices.ContainsFunc(p.Roots, func(r host.Root) bool {
			label := r.Label()
			return r.OfProject() && path.Base(label) == "skills" && (dir == label || strings.HasSuffix(dir, "/"+label))
		})
	})
	if !read {
		x := diag.For(name, diag.RootUnread, "%s a skill from there", who)
		d.Diagnostics = append(d.Diagnostics, x.WithFix("its place is %s", d.Path))
	}
	if read && slices.Contains(bundled.Names(bundled.FS()), d.Name) {
		x := diag.For(name, diag.NewNote, "where Vade reads both, it comes before the skill %s that comes with Vade", d.Name)
		d.Diagnostics = append(d.Diagnostics, x.WithFix("give it another --name, if both are needed"))
	}
	return read
}

// made is a text of the draft in the form of a host.
func (d *SkillDraft) made(p *host.Profile, text string) export.Result {
	file := diag.NewFile(d.Path, []byte(text))
	doc, _ := frontmatter.Parse(file, false, host.NeutralDialect())
	return export.Make(p, &export.Item{
		Kind: definition.Skill, Name: d.Name, Description: d.Description, Source: d.Path, Format: definition.Markdown, Entries: doc.Entries, Body: text[doc.Body:], BodyAt: doc.Body,
		Line: func(offset int) int { return file.Pos(offset).Line }, Syntax: registry.SyntaxAt(definition.Skill, definition.Markdown, d.Path), At: d.Path,
	})
}

// rulesAsList reports whether the rules for tools are a list in what was made.
func rulesAsList(made export.Result) bool {
	for _, f := range made.Files {
		doc, _ := frontmatter.Parse(diag.NewFile(f.Path, f.Data), false, host.NeutralDialect())
		for _, e := range doc.Entries {
			if f.Main && definition.LookupField(e.Key) == definition.FieldAllowedTools && e.Value.Kind == definition.List {
				return true
			}
		}
	}
	return false
}

// WriteDraft writes the draft to a file below a directory, in one step and through no
// link; directories on the way are made. Where something stands there already nothing is
// written and the error is [export.ErrDiffers], unless force is set, which replaces a file. The
// name may not leave the directory, and none of it may be git's.
func WriteDraft(dir, name string, d *SkillDraft, force bool) error {
	if why := config.BadPath(name); why != "" || !strings.HasSuffix(strings.ToLower(name), ".md") {
		return fmt.Errorf("vade: %s is not written: the path %s", name, cmp.Or(why, "does not end with .md"))
	}
	for part := range strings.SplitSeq(path.Clean(name), "/") {
		if strings.EqualFold(part, ".vade") {
			return fmt.Errorf("vade: %s is not written: Vade keeps its own files in .vade", name)
		}
	}
	if err := export.NoGit(dir); err != nil {
		return err
	}
	tree, err := export.OpenTree(dir)
	if err != nil {
		return err
	}
	defer tree.Close()
	w, err := tree.Writer(vfs.WriterOptions{})
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	defer w.Close()
	s := export.WrittenFile{Path: name, Change: "create", Data: []byte(d.Text)}
	s.Look(tree)
	switch {
	case s.Problem != "":
		return fmt.Errorf("vade: %s is not written: %s", name, s.Problem)
	case s.Change != "create" && !force:
		return fmt.Errorf("vade: %s: %w", name, export.ErrDiffers)
	}
	if err := s.Write(w, &export.ExportedFile{Path: name, Data: s.Data}); err != nil {
		if errors.Is(err, vfs.ErrExists) || errors.Is(err, fs.ErrExist) {
			err = export.ErrDiffers
		}
		return fmt.Errorf("vade: %s is not written: %w", path.Clean(name), catalog.ReasonOf(err))
	}
	return nil
}
