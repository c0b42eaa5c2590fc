package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/parse"
	"github.com/vadehq/vade/internal/remote"
	"github.com/vadehq/vade/internal/render"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/trust"
)

// serverOf returns the server that provides a definition, or "".
func serverOf(d *definition.Definition) string {
	if d.Origin.Layer != definition.MCP {
		return ""
	}
	return strings.TrimPrefix(d.Origin.Root, remote.Scheme)
}

// remoteName parses a name like mcp:SERVER/NAME, which only server definitions have.
func (c *Catalog) remoteName(name string) (server, rest string, ok bool) {
	server, rest, ok = remote.ParseLabel(name)
	return server, rest, ok && strings.HasPrefix(name, remote.Scheme+server+"/") && rest != "" && c.Options.Remote
}

// serverListing requests one server's definitions. It fails if the server is
// unknown or does not respond.
func (c *Catalog) serverListing(ctx context.Context, server string) (*remote.Listing, error) {
	r := c.servers()
	for _, h := range r.withheld {
		if h.Name == server {
			return nil, &definition.Error{Code: diag.MCPHeld, Message: fmt.Sprintf("the server %s is excluded: %s", server, h.Reason), Fix: h.Fix}
		}
	}
	var listing *remote.Listing
	known := false
	if r.set != nil {
		listing, known = r.set.ListServer(ctx, server)
	}
	for _, b := range r.broken {
		if b.Name == server && !known {
			return nil, &definition.Error{
				Code: diag.RemoteConfig, Message: fmt.Sprintf("%s:%d:%d: the server %s is not configured correctly: %s", r.file, b.Problem.Line, b.Problem.Column, server, b.Problem.Message),
				Fix: b.Problem.Fix,
			}
		}
	}
	if !known && r.fileProblem != "" {
		return nil, &definition.Error{Code: diag.RemoteConfig, Message: fmt.Sprintf("%s: %s", r.file, r.fileProblem), Fix: "for details, run: vade remote"}
	}
	if !known {
		return nil, &definition.Error{Code: diag.RemoteUnknown, Message: fmt.Sprintf("unknown server %q", server), Fix: "to list servers, run: vade remote; to use the server, add it to your " + serversFile}
	}
	if listing.Problem != nil {
		return nil, &definition.Error{Code: listing.Problem.Code, Message: server + ": " + listing.Problem.Message, Fix: listing.Problem.Fix}
	}
	return listing, nil
}

// remoteNamed returns one of a server's definitions by name. It contacts only that server.
func (c *Catalog) remoteNamed(ctx context.Context, server, name string) (*definition.Definition, error) {
	listing, err := c.serverListing(ctx, server)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range c.serverDefinitions(listing) {
		if _, base, _ := remote.ParseLabel(d.Name); base == name || d.Origin.Path == name {
			return d, nil
		}
		// Do not suggest unapproved definitions, because their names are untrusted text.
		if d.State == definition.Loaded {
			names = append(names, d.Name)
		}
	}
	if listing.Extension && strings.Contains(name, "://") {
		return c.unlistedSkill(ctx, listing, name)
	}
	return nil, &definition.Error{
		Code: diag.SkillNotFound, Message: fmt.Sprintf("the server %s does not offer %q", server, name), Available: names,
		Fix: DidYouMean(remote.Scheme+server+"/"+name, names, "to list its definitions, run: vade list --layer mcp --all"),
	}
}

// unlistedSkill requests a skill that the server does not list.
func (c *Catalog) unlistedSkill(ctx context.Context, l *remote.Listing, uri string) (*definition.Definition, error) {
	r := c.servers()
	e, err := r.set.Get(ctx, l.Server.Name, uri)
	if err != nil {
		return nil, remoteError(err)
	}
	d := remoteDefinition(e)
	store, err := c.store()
	if err != nil {
		return nil, err
	}
	applyApproval(d, e, l.Server, store)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[d] = e
	return d, nil
}

// remoteFind is like remoteNamed but accepts only the given kinds.
func (c *Catalog) remoteFind(ctx context.Context, server, name string, kinds []definition.Kind) (*definition.Definition, error) {
	d, err := c.remoteNamed(ctx, server, name)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		if k == d.Kind {
			return d, nil
		}
	}
	return nil, nil
}

// requireApproved returns an error if the definition is not approved.
func requireApproved(d *definition.Definition) error {
	if d.State == definition.Loaded {
		return nil
	}
	reason, _, _ := strings.Cut(d.Reason, reviewHint)
	fix := "to review it, run: vade trust " + shell.ForShell(d.Name)
	if d.ReasonCode == diag.RemoteDynamic {
		fix = "ask the server's operator to list the skill's files with digests"
	}
	return &definition.Error{Code: d.ReasonCode, Message: fmt.Sprintf("%s is not loaded: %s", d.Name, reason), Fix: fix}
}

// entry returns the entry for a definition in its server's listing, and the server.
func (c *Catalog) entry(d *definition.Definition) (*remote.Entry, *remote.Server, error) {
	r := c.servers()
	r.mu.Lock()
	e := r.entries[d]
	r.mu.Unlock()
	if e != nil && r.set != nil {
		for _, s := range r.set.Servers() {
			if s.Name == e.Server {
				return e, s, nil
			}
		}
	}
	return nil, nil, &definition.Error{Code: diag.RemoteUnknown, Message: d.Name + " does not belong to a configured server", Fix: "to list servers, run: vade remote"}
}

// remoteDocument reads an approved SKILL.md from a server and verifies it. It checks the approval
// again, because the user may have revoked it in the meantime.
func (c *Catalog) remoteDocument(ctx context.Context, d *definition.Definition) (parse.Document, error) {
	none := parse.Document{File: diag.NewFile(d.Origin.Path, nil), BodyAt: -1}
	if err := requireApproved(d); err != nil {
		return none, err
	}
	if e, _, err := c.entry(d); err != nil || e.Via == remote.FromPrompt {
		return none, err
	}
	data, err := c.remoteText(ctx, d)
	if err != nil {
		return none, err
	}
	read := *d
	doc := parse.File(&read, data, c.Profile)
	kept := doc.Entries[:0:0]
	for _, f := range doc.Entries {
		if !isPrivileged(f.Key) {
			kept = append(kept, f)
		}
	}
	doc.Entries = kept
	return doc, nil
}

// remoteText reads a server's SKILL.md and returns its content if the content is approved. It reads
// the file only once, because the server may return different content the next time.
func (c *Catalog) remoteText(ctx context.Context, d *definition.Definition) ([]byte, error) {
	if err := requireApproved(d); err != nil {
		return nil, err
	}
	e, server, err := c.entry(d)
	if err != nil {
		return nil, err
	}
	data, err := c.servers().set.Read(ctx, e, e.URI)
	if err != nil {
		return nil, remoteError(err)
	}
	closure := remoteClosure(e, server)
	if e.Via == remote.FromResource {
		closure.Files = append(closure.Files, trust.File{Path: e.URI, Digest: remote.Digest(data), Size: int64(len(data))})
	}
	return data, c.checkApproved(d, closure)
}

// checkApproved verifies that the user currently approves exactly this content.
func (c *Catalog) checkApproved(d *definition.Definition, closure *trust.Closure) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	if state, _, err := store.Check(closure); err != nil || state != trust.Trusted {
		problem := " changed since you approved it"
		if state == trust.None {
			problem = " is no longer approved"
		}
		return &definition.Error{Code: diag.RemoteChanged, Message: d.Name + problem, SearchedPaths: []string{d.Origin.Path}, Fix: "to review it, run: vade trust " + shell.ForShell(d.Name)}
	}
	return nil
}

// remotePrompt returns the content of a server's prompt. It is plain text:
// nothing in it is expanded, run or read.
func (l *Loader) remotePrompt(d *definition.Definition, e *remote.Entry, args render.Arguments) (*definition.Content, error) {
	values := map[string]string{}
	for i, a := range e.Arguments {
		if i < len(args.Words) {
			values[a.Name] = args.Words[i]
		}
		if i == len(e.Arguments)-1 && len(args.Words) > len(e.Arguments) {
			values[a.Name] = strings.Join(args.Words[i:], " ")
		}
		if a.Required && values[a.Name] == "" {
			return nil, &definition.Error{Code: diag.CommandNotFound, Message: fmt.Sprintf("%s requires the argument %s", d.Name, a.Name), Fix: "pass it after the name"}
		}
	}
	text, err := l.C.servers().set.Prompt(l.Ctx, e, values)
	if err != nil {
		return nil, remoteError(err)
	}
	verdict, err := l.C.Gate(l.Ctx, d, &parse.Document{File: diag.NewFile(d.Origin.Path, []byte(text)), Body: text, BodyAt: -1})
	if err != nil {
		return nil, err
	}
	l.result.Diagnostics = append(l.result.Diagnostics, verdict.Diagnostics...)
	if !hasFindings(verdict) {
		verdict = nil
	}
	if l.result.Expansions == nil {
		l.result.Expansions = &definition.Expansions{Files: []definition.FileExpansion{}, Bash: []definition.BashExpansion{}}
	}
	l.tokens += tokens.Estimate(text)
	return &definition.Content{
		Audit: verdict,
		Kind:  d.Kind, Name: d.Name, Path: d.Origin.Path, Title: d.Title, Description: d.Description, Layer: d.Origin.Layer,
		SizeKB: kilobytes(int64(len(text))), Digest: remote.Digest([]byte(text)), Raw: text, Text: text,
	}, nil
}

// remoteContent returns the content of a server's prompt, or nil for anything else.
func (l *Loader) remoteContent(d *definition.Definition, args render.Arguments) (*definition.Content, error) {
	if d.Origin.Layer != definition.MCP {
		return nil, nil
	}
	if err := requireApproved(d); err != nil {
		return nil, err
	}
	e, server, err := l.C.entry(d)
	if err != nil || e.Via != remote.FromPrompt {
		return nil, err
	}
	if err := l.C.checkApproved(d, remoteClosure(e, server)); err != nil {
		return nil, err
	}
	return l.remotePrompt(d, e, args)
}

// RemoteFile reads a file in a server's skill, given its path relative to the skill's directory.
// The file must be in the approved list with the approved digest; requests for other files fail
// with REMOTE_UNLISTED, and the server is not asked for them. The bytes are returned unchanged, and
// nothing in them is run.
//
// If preview is set, a person is reviewing the skill before approving it: the file is verified
// against the server's current listing. Do not pass the result to a model.
func (c *Catalog) RemoteFile(ctx context.Context, name, file string, preview bool) ([]byte, error) {
	d, e, err := c.remoteEntry(ctx, name)
	if err != nil {
		return nil, err
	}
	uri := e.URI
	if e.Via != remote.FromResource || file != SkillFileName {
		if uri, err = e.File(file); err != nil {
			return nil, remoteError(err)
		}
	}
	if !preview {
		// Read SKILL.md as well, to verify its fields.
		text, err := c.remoteText(ctx, d)
		if err != nil {
			return nil, err
		}
		if err := c.gateRemote(ctx, d, text); err != nil {
			return nil, err
		}
		if uri == e.URI {
			return text, nil
		}
	}
	data, err := c.servers().set.Read(ctx, e, uri)
	if err == nil && !preview {
		err = c.gateRemoteFile(ctx, d, file, data)
	}
	return data, remoteError(err)
}

// remoteEntry returns the definition with the given name and its entry in the server's listing.
func (c *Catalog) remoteEntry(ctx context.Context, name string) (*definition.Definition, *remote.Entry, error) {
	server, rest, ok := c.remoteName(name)
	if !ok {
		return nil, nil, &definition.Error{Code: diag.RemoteUnknown, Message: fmt.Sprintf("invalid name for a server's skill: %q", name), Fix: "use mcp:SERVER/NAME"}
	}
	d, err := c.remoteNamed(ctx, server, rest)
	if err != nil {
		return nil, nil, err
	}
	e, _, err := c.entry(d)
	return d, e, err
}

// RemoteFiles returns the paths of the files in a server's skill, as listed by the server and
// relative to the skill's directory. The paths are untrusted text, so the skill must be approved
// unless preview is set; see [Catalog.RemoteFile].
func (c *Catalog) RemoteFiles(ctx context.Context, name string, preview bool) ([]string, error) {
	d, e, err := c.remoteEntry(ctx, name)
	if err == nil && !preview {
		err = requireApproved(d)
	}
	if err != nil {
		return nil, err
	}
	return e.Files(), nil
}

// remoteError converts a server error to a load error.
func remoteError(err error) error {
	var e *remote.Error
	if errors.As(err, &e) {
		return &definition.Error{Code: e.Code, Message: e.Message, Fix: e.Fix}
	}
	return err
}
