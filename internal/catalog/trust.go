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

// Consent is what a definition would run beyond what only reads, and whether
// the user has consented to it. A consent is bound to the bytes of the
// definition, of what it refers to and of its companion files.
type Approval struct {
	Kind    definition.Kind `json:"kind"`
	Name    string          `json:"name"`
	Path    string          `json:"path"`
	Project string          `json:"project,omitempty"`
	// State is "none", "trusted" or "changed", and "recorded" in the list of all
	// consents, where nothing is compared.
	State string `json:"state"`
	// Digest is that of the closure, GivenAt the time of the last consent.
	Digest     string    `json:"digest"`
	ApprovedAt time.Time `json:"approvedAt,omitzero"`
	// Commands are the definition's shell commands as they are written. Grants
	// are the rules of the policy that allow what else would be refused.
	Commands []ApprovalCommand `json:"commands"`
	Grants   []string          `json:"grants"`
	// Files are the files that the consent is bound to.
	Files []ApprovalFile `json:"files"`
	// Changes are what differs from what the last consent was given to.
	Changes []ApprovalChange `json:"changes,omitempty"`
	// Overrides are the findings of the audit for which it is refused without the
	// consent, and is not with it.
	Overrides []definition.LoadFinding `json:"overrides,omitempty"`

	// What follows is there for a definition of a server: the server's address, what
	// it says of the definition and, for a prompt, of its arguments.
	Server      string             `json:"server,omitempty"`
	Description string             `json:"description,omitempty"`
	Arguments   []ApprovalArgument `json:"arguments,omitempty"`
	// Text is the SKILL.md, which [Catalog.RemoteReview] reads; Unread says why there
	// is none.
	Text   string `json:"text,omitempty"`
	Unread string `json:"unread,omitempty"`

	closure *trust.Closure
	record  *trust.Record
	entry   *remote.Entry
}

// ConsentArgument is one argument of a prompt of a server.
type ApprovalArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// ConsentCommand is one command of a definition. Runs is "always" for what only
// reads, "with approval" for what a grant covers, "missing" where none of its
// programs is installed, and "refused"; it is "" in the list of what is recorded.
// Reason says why it is refused, or what is not installed.
type ApprovalCommand struct {
	Text   string `json:"command"`
	Runs   string `json:"runs,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// ConsentFile is one file that a consent is bound to.
type ApprovalFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Digest string `json:"digest,omitempty"`
}

// ConsentChange is one difference from what a consent was given to.
type ApprovalChange struct {
	// Subject is "command", "grant" or "file"; Kind "added", "removed" or
	// "changed".
	Subject string `json:"subject"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	// Diff is the difference of a text file in the form of diff -u. Note says
	// what it does not show.
	Diff string `json:"diff,omitempty"`
	Note string `json:"note,omitempty"`
}

// Consent returns what a request's definition would run and whether it is
// trusted. It runs nothing and writes nothing.
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
		return nil, &definition.Error{Code: refused.Code, Message: refused.Message, Fix: "switch commands on, in a directory of the system"}
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

// tell says of each command what becomes of it.
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

// notInstalled returns the programs of a text that are missing, and whether each
// of its commands lacks one.
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

// Trust records the user's consent to what [Catalog.Consent] has returned, and
// to nothing else: a file that has changed since then ends it.
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

// Consents returns the consents that are recorded, of all projects, and what is
// wrong with the records.
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

// Revoke takes back a consent, and reports whether there was one.
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

// store opens the store of consents, which is never inside a project.
func (c *Catalog) store() (*trust.Store, error) {
	dir := c.userDir("XDG_STATE_HOME", ".local/state")
	if dir == "" {
		return nil, errors.New("vade: without a home directory there is no place for consents; set HOME")
	}
	dir = path.Join(dir, "vade/trust")
	if c.ownedByProject(dir) {
		return nil, fmt.Errorf("vade: consents would be kept inside the project (%s); set XDG_STATE_HOME to a directory of your own", dir)
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

// compare says what differs from the record.
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

func OrEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// requested finds the one definition of a request.
func (c *Catalog) requestedDefinition(ctx context.Context, request string) (*definition.Definition, error) {
	d, err := c.pick(ctx, request)
	if err != nil {
		return nil, err
	}
	if d.Kind == definition.Agent || d.Kind == definition.Instruction {
		return nil, &definition.Error{Code: diag.CommandNotFound, Message: fmt.Sprintf("the commands in the text of an %s are never run", d.Kind), Fix: "name a command or a skill"}
	}
	return d, nil
}
