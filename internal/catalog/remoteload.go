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
	"github.com/vadehq/vade/internal/resolve"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/trust"
)

// serverOf is the server that a definition came from, or "".
func serverOf(d *definition.Definition) string {
	if d.Origin.Layer != definition.MCP {
		return ""
	}
	return strings.TrimPrefix(d.Origin.Root, remote.Scheme)
}

// remoteName reports whether a name is one of a server: mcp:SERVER/NAME with a
// server of the user. Nothing in a file is named so.
func (c *Catalog) remoteName(name string) (server, rest string, ok bool) {
	server, rest, ok = remote.ParseLabel(name)
	return server, rest, ok && strings.HasPrefix(name, remote.Scheme+server+"/") && rest != "" && c.Options.Remote
}

// listing asks one server what it offers. The error is that there is no such server,
// or that it did not answer.
func (c *Catalog) serverListing(ctx context.Context, server string) (*remote.Listing, error) {
	r := c.servers()
	for _, h := range r.held {
		if h.Name == server {
			return nil, &definition.Error{Code: diag.MCPHeld, Message: fmt.Sprintf("the server %s is not asked: %s", server, h.Reason), Fix: h.Fix}
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
				Code: diag.RemoteConfig, Message: fmt.Sprintf("%s:%d:%d: the server %s can not be used: %s", r.file, b.Problem.Line, b.Problem.Column, server, b.Problem.Message),
				Fix: b.Problem.Fix,
			}
		}
	}
	if !known && r.fileProblem != "" {
		return nil, &definition.Error{Code: diag.RemoteConfig, Message: fmt.Sprintf("%s: %s", r.file, r.fileProblem), Fix: "see what is wrong with: vade servers"}
	}
	if !known {
		return nil, &definition.Error{Code: diag.RemoteUnknown, Message: fmt.Sprintf("no server is named %s", server), Fix: "see what there is with: vade servers; define it in your own " + serversFile}
	}
	if listing.Problem != nil {
		return nil, &definition.Error{Code: listing.Problem.Code, Message: server + ": " + listing.Problem.Message, Fix: listing.Problem.Fix}
	}
	return listing, nil
}

// remoteNamed returns what a server offers under a name, asking that server only.
func (c *Catalog) remoteNamed(ctx context.Context, server, name string) (*definition.Definition, error) {
	listing, err := c.serverListing(ctx, server)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range c.serverDefinitions(listing) {
		if _, own, _ := remote.ParseLabel(d.Name); own == name || d.Origin.Path == name {
			return d, nil
		}
		// The other names are a server's words, for nobody who has not consented to them.
		if d.State == definition.Loaded {
			names = append(names, d.Name)
		}
	}
	if listing.Extension && strings.Contains(name, "://") {
		return c.unlistedSkill(ctx, listing, name)
	}
	e := &definition.Error{
		Code: diag.SkillNotFound, Message: fmt.Sprintf("the server %s offers no %s", server, name), Available: names,
		Fix: "see what there is with: vade list --layer mcp --all",
	}
	if near := resolve.Nearest(remote.Scheme+server+"/"+name, names); len(near) > 0 {
		e.Fix = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return nil, e
}

// unlisted asks for a skill that the server has without listing it.
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

// remoteFind is remoteNamed for one that may be loaded.
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

// usable refuses what there is no consent to.
func requireApproved(d *definition.Definition) error {
	if d.State == definition.Loaded {
		return nil
	}
	return &definition.Error{Code: d.ReasonCode, Message: fmt.Sprintf("%s is not loaded: %s", d.Name, d.Reason), Fix: "look at it, and decide, with: vade trust " + d.Name}
}

// entry returns what a definition was made of, and its server.
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
	return nil, nil, &definition.Error{Code: diag.RemoteUnknown, Message: d.Name + " is of no server that is known", Fix: "see what there is with: vade servers"}
}

// remoteDocument reads the SKILL.md of a server, verified and consented to. The
// consent is looked up again, because it may have been taken back.
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

// remoteText reads the SKILL.md of a server once, and returns these very bytes if there
// is a consent to them: a server may answer the next time with others.
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

// consented looks up whether there is a consent to just this, now.
func (c *Catalog) checkApproved(d *definition.Definition, closure *trust.Closure) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	if state, _, err := store.Check(closure); err != nil || state != trust.Trusted {
		return &definition.Error{Code: diag.RemoteChanged, Message: d.Name + " is not what you consented to, and is not used", SearchedPaths: []string{d.Origin.Path}, Fix: "look at it with: vade trust " + d.Name}
	}
	return nil
}

// remotePrompt is the content of a prompt of a server. What it says is text and
// nothing else: nothing in it is replaced, run or read.
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
			return nil, &definition.Error{Code: diag.CommandNotFound, Message: fmt.Sprintf("%s needs the argument %s", d.Name, a.Name), Fix: "give it behind the name"}
		}
	}
	text, err := l.C.servers().set.Prompt(l.Ctx, e, values)
	if err != nil {
		return nil, remoteError(err)
	}
	judged, err := l.C.Gate(l.Ctx, d, &parse.Document{File: diag.NewFile(d.Origin.Path, []byte(text)), Body: text, BodyAt: -1})
	if err != nil {
		return nil, err
	}
	l.result.Diagnostics = append(l.result.Diagnostics, judged.Diagnostics...)
	if !hasFindings(judged) {
		judged = nil
	}
	if l.result.Expansions == nil {
		l.result.Expansions = &definition.Expansions{Files: []definition.FileExpansion{}, Bash: []definition.BashExpansion{}}
	}
	l.tokens += tokens.Estimate(text)
	return &definition.Content{
		Audit: judged,
		Kind:  d.Kind, Name: d.Name, Path: d.Origin.Path, Title: d.Title, Description: d.Description, Layer: d.Origin.Layer,
		SizeKB: kilobytes(int64(len(text))), Digest: remote.Digest([]byte(text)), Raw: text, Text: text,
	}, nil
}

// remoteContent returns the content of a prompt of a server; nil for all else.
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

// RemoteFile reads one file of a skill of a server by its path below the skill's
// directory. It has to be on the list that the user consented to, with that digest;
// what is not is refused with REMOTE_UNLISTED and not asked for. The bytes are
// returned as they are: nothing in them is run, and a skill among them is none.
func (c *Catalog) RemoteFile(ctx context.Context, name, file string) ([]byte, error) {
	return c.remoteFile(ctx, name, file, true)
}

// RemotePeek is RemoteFile for whoever decides on a consent: it asks for none, and
// verifies the file by what the server lists now. What it returns is for a person to
// look at, not for a model.
func (c *Catalog) PreviewRemoteFile(ctx context.Context, name, file string) ([]byte, error) {
	return c.remoteFile(ctx, name, file, false)
}

func (c *Catalog) remoteFile(ctx context.Context, name, file string, requireApproval bool) ([]byte, error) {
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
	if requireApproval {
		// The SKILL.md is read too: its fields are part of what is verified.
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
	if err == nil && requireApproval {
		err = c.gateRemoteFile(ctx, d, file, data)
	}
	return data, remoteError(err)
}

// remoteEntry returns what a name of ours stands for, and what it was made of.
func (c *Catalog) remoteEntry(ctx context.Context, name string) (*definition.Definition, *remote.Entry, error) {
	server, rest, ok := c.remoteName(name)
	if !ok {
		return nil, nil, &definition.Error{Code: diag.RemoteUnknown, Message: name + " is not the name of a skill of a server", Fix: "write mcp:SERVER/NAME"}
	}
	d, err := c.remoteNamed(ctx, server, rest)
	if err != nil {
		return nil, nil, err
	}
	e, _, err := c.entry(d)
	return d, e, err
}

// RemoteFiles returns the paths of the files of a skill of a server, below its
// directory, as the server lists them. Paths are words of the server: without a consent
// to the skill they are refused.
func (c *Catalog) RemoteFiles(ctx context.Context, name string) ([]string, error) {
	d, e, err := c.remoteEntry(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := requireApproved(d); err != nil {
		return nil, err
	}
	return e.Files(), nil
}

// RemotePeekFiles is RemoteFiles for whoever decides on a consent: it asks for none.
// What it returns is for a person to look at, not for a model.
func (c *Catalog) PreviewRemoteFiles(ctx context.Context, name string) ([]string, error) {
	_, e, err := c.remoteEntry(ctx, name)
	if err != nil {
		return nil, err
	}
	return e.Files(), nil
}

// remoteError makes one of ours of an error of a server.
func remoteError(err error) error {
	var e *remote.Error
	if errors.As(err, &e) {
		return &definition.Error{Code: e.Code, Message: e.Message, Fix: e.Fix}
	}
	return err
}
