package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/remote"
	"github.com/vadehq/vade/internal/trust"
)

// RemoteApprovals describes what an approval would cover if the user approved a server (mcp:SERVER)
// or one of its definitions (mcp:SERVER/NAME). It returns one Approval for each definition that can
// be approved. It reads a SKILL.md only if the server does not list a digest for it.
// [Catalog.RemoteReview] reads the other files.
func (c *Catalog) RemoteApprovals(ctx context.Context, name string) ([]*Approval, error) {
	server, rest, ok := remote.ParseLabel(name)
	if !ok || !c.Options.Remote {
		return nil, &definition.Error{Code: diag.RemoteUnknown, Message: fmt.Sprintf("invalid server name %q", name), Fix: "use mcp:SERVER or mcp:SERVER/NAME"}
	}
	var list []*definition.Definition
	if rest != "" {
		d, err := c.remoteNamed(ctx, server, rest)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	} else {
		listing, err := c.serverListing(ctx, server)
		if err != nil {
			return nil, err
		}
		list = c.serverDefinitions(listing)
	}
	approvals := []*Approval{}
	for _, d := range list {
		approval, err := c.remoteApproval(ctx, d)
		if err != nil {
			return nil, err
		}
		if approval != nil {
			approvals = append(approvals, approval)
		}
	}
	return approvals, nil
}

// remoteApproval returns the approval for a definition that a server offers, or nil if the
// definition cannot be approved.
func (c *Catalog) remoteApproval(ctx context.Context, d *definition.Definition) (*Approval, error) {
	e, server, err := c.entry(d)
	if err != nil || e.Dynamic {
		return nil, err
	}
	closure := remoteClosure(e, server)
	if e.Via == remote.FromResource {
		data, err := c.servers().set.Read(ctx, e, e.URI)
		if err != nil {
			return nil, remoteError(err)
		}
		closure.Files = append(closure.Files, trust.File{Path: e.URI, Digest: remote.Digest(data), Size: int64(len(data)), Data: data})
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
	approval.entry, approval.Description = e, e.Description
	approval.Server = serverAddress(server)
	for _, a := range e.Arguments {
		approval.Arguments = append(approval.Arguments, ApprovalArgument{a.Name, a.Description})
	}
	for i := range approval.Changes {
		if change := &approval.Changes[i]; change.Note == trust.NoteLarge && fileSize(closure, change.Name) <= trust.MaxText {
			change.Note = "changed; not read yet"
		}
	}
	return approval, nil
}

func fileSize(c *trust.Closure, path string) int64 {
	for _, f := range c.Files {
		if f.Path == path {
			return f.Size
		}
	}
	return 0
}

// ApprovalDigest returns a digest of everything that the approvals cover, as "sha256:" followed by
// 64 hexadecimal digits. Reviewers receive the digest along with the content and pass it back.
// Before calling [Catalog.Trust], callers compare it to the current digest, so a server cannot get
// a different version approved than the one that it showed for review.
func ApprovalDigest(list []*Approval) string {
	var digests []string
	for _, t := range list {
		digests = append(digests, t.closure.Digest())
	}
	slices.Sort(digests)
	return remote.Digest([]byte(strings.Join(digests, "\n")))
}

// RemoteReview reads the content that a person reviews before approving it. It stores the verified
// SKILL.md in Text, and adds the files that changed since the last approval to Changes. If a file
// cannot be read or does not match the server's listing, Unread explains why, and the definition
// cannot be approved. RemoteReview reads nothing for a prompt, because its text is not known in
// advance. The approval stores the texts that were read, so later changes can be shown as diffs.
func (c *Catalog) RemoteReview(ctx context.Context, t *Approval) error {
	e := t.entry
	if e == nil || e.Via == remote.FromPrompt {
		return nil
	}
	set := c.servers().set
	changed := func(f *trust.File) bool {
		return slices.ContainsFunc(t.Changes, func(change ApprovalChange) bool { return change.Subject == "file" && change.Name == f.Path })
	}
	for i := range t.closure.Files {
		f := &t.closure.Files[i]
		if f.Data == nil && (f.Path == e.URI || changed(f) && f.Size <= trust.MaxText) {
			data, err := set.Read(ctx, e, f.Path)
			var known *remote.Error
			switch {
			case errors.As(err, &known) && ctx.Err() == nil:
				t.Unread = known.Message
				return nil
			case err != nil:
				return err
			}
			f.Data = data
		}
		if f.Path == e.URI {
			t.Text = string(f.Data)
		}
	}
	if t.record == nil {
		return nil
	}
	for i := range t.record.Files {
		if f := &t.record.Files[i]; f.Data == nil && f.Digest != "" {
			f.Data, _ = set.Cached(f.Digest, f.Size)
		}
	}
	t.compare()
	return nil
}
