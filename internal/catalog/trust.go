package catalog

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/remote"
	"github.com/vadehq/vade/internal/trust"
)

// Approval describes what a definition would run, apart from read-only commands, and whether the
// user approved it. An approval is tied to the contents of the definition, the files that it
// references and its companion files; any change to them revokes the approval.
type Approval struct {
	// Kind is 0, encoded as "" in JSON, if the approval is for a directory; see
	// [Catalog.RootApproval].
	Kind    definition.Kind `json:"kind"`
	Name    string          `json:"name"`
	Path    string          `json:"path"`
	Project string          `json:"project,omitempty"`
	// State is "none", "trusted" or "changed". It is "recorded" in the list of all approvals, which
	// does not check whether files have changed.
	State string `json:"state"`
	// Digest is the digest of all files that the approval covers. ApprovedAt is the time of the
	// last approval.
	Digest     string    `json:"digest"`
	ApprovedAt time.Time `json:"approvedAt,omitzero"`
	// Commands lists the definition's shell commands as written. Grants lists
	// the policy rules that allow commands that would otherwise be refused.
	Commands []ApprovalCommand `json:"commands"`
	Grants   []string          `json:"grants"`
	// Files lists the files that the approval covers.
	Files []ApprovalFile `json:"files"`
	// Changes lists the differences from the last approved version.
	Changes []ApprovalChange `json:"changes,omitempty"`
	// Overrides lists the audit findings that block the definition unless it is approved.
	Overrides []definition.LoadFinding `json:"overrides,omitempty"`

	// The fields from Server to Unread are set only for a definition from a server. Server is the
	// server's URL or command line.
	Server      string             `json:"server,omitempty"`
	Description string             `json:"description,omitempty"`
	Arguments   []ApprovalArgument `json:"arguments,omitempty"`
	// Text is SKILL.md as read by [Catalog.RemoteReview]. Unread explains why Text is empty.
	Text   string `json:"text,omitempty"`
	Unread string `json:"unread,omitempty"`

	closure *trust.Closure
	record  *trust.Record
	entry   *remote.Entry
}

// ApprovalArgument is an argument to a server's prompt.
type ApprovalArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ApprovalCommand is a command in a definition. Runs indicates when the command runs: "always" for
// read-only commands, "with approval" for commands that a grant covers, "missing" if none of its
// programs is installed, or "refused". In the list of recorded approvals, Runs is "". Reason
// explains a refusal or names the missing programs.
type ApprovalCommand struct {
	Text   string `json:"command"`
	Runs   string `json:"runs,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// ApprovalFile is a file that an approval covers.
type ApprovalFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest,omitempty"`
}

// ApprovalChange is a difference from the approved version.
type ApprovalChange struct {
	// Subject is "command", "grant" or "file"; Kind is "added", "removed" or "changed".
	Subject string `json:"subject"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	// Diff is a text file's unified diff. Note describes changes that the diff does not show.
	Diff string `json:"diff,omitempty"`
	Note string `json:"note,omitempty"`
}

// Needed reports whether there is anything to approve.
func (t *Approval) Needed() bool {
	return len(t.Grants) > 0 || len(t.Overrides) > 0 || t.IsRoot()
}

// IsRoot reports whether the approval is for a directory; see [Catalog.RootApproval].
func (t *Approval) IsRoot() bool { return strings.HasPrefix(t.Name, RootPrefix) }

// Approval returns what the requested definition would run and whether the user approved it. It
// does not run commands or write files.
func (c *Catalog) Approval(ctx context.Context, request string) (*Approval, error) {
	d, err := c.requestedDefinition(ctx, request)
	if err != nil {
		return nil, err
	}
	doc, err := c.Document(ctx, d)
	if err != nil {
		return nil, err
	}
	env, refused := c.shellEnv(d, "")
	if refused != nil {
		return nil, &definition.Error{Code: refused.Code, Message: refused.Message, Fix: refused.Fix}
	}
	defer env.close()
	env.read(&doc, c.Input(d, &doc, doc.Body))
	closure, err := env.closure(ctx)
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	store, err := c.store()
	if err != nil {
		return nil, err
	}
	state, record, err := store.Check(closure)
	if err != nil && record == nil {
		state = trust.None
	}
	approval := newApproval(closure, state, record)
	env.describeCommands(approval)
	approval.Overrides, err = c.approvableFindings(ctx, d, &doc)
	return approval, err
}

// describeCommands describes how each command would run.
func (r *shellEnv) describeCommands(approval *Approval) {
	without, with := r.decisionContext, r.decisionContext
	with.Approval = policy.ApprovalGiven
	for i, c := range r.commands {
		command := &approval.Commands[i]
		_, before := r.policy.Decide(c.Text, c.Bindings, without)
		_, after := r.policy.Decide(c.Text, c.Bindings, with)
		switch {
		case after.Refusal != nil:
			command.Runs, command.Reason = "refused", after.Refusal.Message
		case before.Refusal != nil:
			command.Runs = "with approval"
		default:
			command.Runs = "always"
		}
		if missing, all := notInstalled(&after); len(missing) > 0 && after.Allow() {
			command.Reason = "not installed: " + strings.Join(missing, ", ")
			if all {
				command.Runs = "missing"
			}
		}
	}
}

// notInstalled returns the names of the programs that the commands would run but that are not
// installed. all reports whether every command uses at least one of them.
func notInstalled(d *policy.Decision) (names []string, all bool) {
	all = true
	for _, c := range d.Commands {
		var missing []string
		if c.Verdict != nil {
			missing = c.Verdict.NotInstalled()
		}
		names, all = append(names, missing...), all && len(missing) > 0
	}
	slices.Sort(names)
	return slices.Compact(names), all
}

func recorded(commands []string) []ApprovalCommand {
	list := make([]ApprovalCommand, len(commands))
	for i, c := range commands {
		list[i].Text = c
	}
	return list
}

// Trust records the user's approval of what [Catalog.Approval] returned. If a file has changed
// since then, the approval is not valid.
func (c *Catalog) Trust(approval *Approval) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	if _, err := store.Give(approval.closure, c.Options.Now()); err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	approval.State = trust.Trusted.String()
	return nil
}

// Approvals returns the recorded approvals for all projects, and problems with the records.
func (c *Catalog) Approvals() ([]Approval, []diag.Diagnostic, error) {
	store, err := c.store()
	if err != nil {
		return nil, nil, err
	}
	records, diags, err := store.List()
	if err != nil {
		return nil, diags, fmt.Errorf("vade: %w", err)
	}
	var list []Approval
	for i := range records {
		r := &records[i]
		approval := Approval{State: "recorded", Digest: r.Digest, Commands: recorded(r.Commands), Grants: OrEmpty(r.Grants)}
		approval.identify(r.ID, r.Files)
		approval.ApprovedAt = r.GivenAt
		approval.closure = &trust.Closure{ID: r.ID}
		list = append(list, approval)
	}
	return list, diags, nil
}

// Revoke deletes an approval and reports whether it existed.
func (c *Catalog) Revoke(approval *Approval) (bool, error) {
	store, err := c.store()
	if err != nil {
		return false, err
	}
	found, err := store.Revoke(approval.closure.ID)
	if err != nil {
		return found, fmt.Errorf("vade: %w", err)
	}
	return found, nil
}

// ErrNoHome is returned by [Catalog.StateDir] if there is no directory for state.
var ErrNoHome = errors.New("vade: cannot determine your home directory: HOME is not set")

// StateDir returns the absolute path of a directory for state that no project
// can change. The directory may not exist.
func (c *Catalog) StateDir(name string) (string, error) {
	dir := c.userDir("XDG_STATE_HOME", ".local/state")
	if dir == "" {
		return "", ErrNoHome
	}
	dir = path.Join(dir, "vade", name)
	if c.ownedByProject(dir) {
		return "", fmt.Errorf("vade: state would be stored inside the project (%s); set XDG_STATE_HOME to another directory", dir)
	}
	return dir, nil
}

// CacheDir returns the absolute path of a directory for data that Vade can recompute, or "". It is
// never inside a project, because a repository could then supply the data.
func (c *Catalog) CacheDir(name string) string {
	dir := c.userDir("XDG_CACHE_HOME", ".cache")
	if dir == "" || c.Env.Only {
		return ""
	}
	if dir = path.Join(dir, "vade", name); c.ownedByProject(dir) {
		return ""
	}
	return dir
}

// store opens the approval store, which is never inside a project.
func (c *Catalog) store() (*trust.Store, error) {
	dir, err := c.StateDir("trust")
	if err != nil {
		return nil, err
	}
	store, err := trust.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	return store, nil
}

func newApproval(closure *trust.Closure, state trust.State, record *trust.Record) *Approval {
	approval := &Approval{
		State: state.String(), Digest: closure.Digest(), closure: closure,
		Commands: recorded(closure.Commands), Grants: OrEmpty(closure.Grants),
	}
	approval.identify(closure.ID, closure.Files)
	if record == nil {
		return approval
	}
	approval.ApprovedAt, approval.record = record.GivenAt, record
	approval.compare()
	return approval
}

// compare sets Changes to the differences from the approval that was recorded.
func (t *Approval) compare() {
	t.Changes = nil
	for _, change := range trust.Diff(t.record, t.closure) {
		t.Changes = append(t.Changes, ApprovalChange{
			Subject: change.Subject.String(), Kind: change.Kind.String(), Name: change.Name, Diff: change.Unified, Note: change.Note,
		})
	}
}

func (t *Approval) identify(id trust.ID, files []trust.File) {
	t.Kind, _ = definition.ParseKind(id.Kind)
	t.Name, t.Path, t.Project = id.Name, id.Path, id.Project
	t.Files = []ApprovalFile{}
	for _, f := range files {
		t.Files = append(t.Files, ApprovalFile{Path: f.Path, Size: f.Size, Digest: f.Digest})
	}
}

// OrEmpty replaces a nil list with an empty one, which JSON encodes as [].
func OrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// requestedDefinition finds the single definition that a request names.
func (c *Catalog) requestedDefinition(ctx context.Context, request string) (*definition.Definition, error) {
	d, err := c.findOne(ctx, request)
	if err != nil {
		return nil, err
	}
	if d.Kind == definition.Agent || d.Kind == definition.Instruction {
		return nil, &definition.Error{Code: diag.CommandNotFound, Message: fmt.Sprintf("commands in an %s never run, so there is nothing to approve", d.Kind), Fix: "specify a command or a skill"}
	}
	return d, nil
}
