package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/remote"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/tokens"
	"github.com/vadehq/vade/internal/trust"
	"github.com/vadehq/vade/internal/version"
	"github.com/vadehq/vade/internal/vfs"
)

// MCP is the layer for definitions from MCP servers; see [Options.Remote].
const MCP = definition.MCP

// serversFile is the user's server list, below the configuration directory.
// remoteCache is the response cache directory, below the cache directory.
const (
	serversFile = "vade/servers.yaml"
	remoteCache = "vade/remote"
)

// remoteLayer holds a catalog's MCP servers. The server list is read on first use.
type remoteLayer struct {
	once sync.Once
	// set is nil if no servers are configured.
	set             *remote.Client
	withheld        []ServerState
	fileDiagnostics []diag.Diagnostic
	// file is the path to servers.yaml. broken holds its invalid entries. If the whole file is
	// ignored, fileProblem explains why.
	file        string
	broken      []remote.Broken
	fileProblem string

	mu sync.Mutex
	// listed holds the server listings that definitions were created from.
	listed      map[string]*remote.Listing
	definitions map[string][]*definition.Definition
	// diagnostics is keyed by server name.
	diagnostics map[string][]diag.Diagnostic
	entries     map[*definition.Definition]*remote.Entry
}

// close closes all connections and prevents new ones.
func (r *remoteLayer) close() {
	r.once.Do(func() {})
	if r.set != nil {
		r.set.Close()
	}
}

// servers reads the configured servers without connecting to them. The user's
// file defines servers; a project's vade.yaml can only withhold them.
func (c *Catalog) servers() *remoteLayer {
	r := &c.remote
	r.once.Do(func() {
		o := &c.Options
		if !o.Remote || o.Isolated || o.ProjectOnly || o.Sources != nil || c.Profile.Name != registry.Neutral().Name {
			return
		}
		list := c.userServers()
		if len(list)+len(r.broken) == 0 {
			return
		}
		if list = c.dropWithheld(list); len(list) == 0 {
			return
		}
		environment := remote.Environment{Getenv: o.Getenv, Home: c.Env.Home, Version: version.Number, Cache: c.remoteCache()}
		if c.Quick.Project != nil && vfs.IsAbs(c.Quick.Project.Real()) {
			environment.ForbiddenDirs = []string{c.Quick.Project.Real()}
		}
		r.set = remote.NewClient(environment, list)
	})
	return r
}

// userServers reads the user's server list. It ignores the file if other users could have written
// it.
func (c *Catalog) userServers() []remote.Server {
	r := &c.remote
	dir := c.userDir("XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return nil
	}
	file := path.Join(dir, serversFile)
	r.file = file
	data, err := vfs.ReadUserFile(file, remote.MaxFile+1)
	problem, fix := "", ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, vfs.ErrTooLarge):
		data = make([]byte, remote.MaxFile+1)
	case err != nil:
		problem, fix = fmt.Sprintf("cannot read the file: %v", vfs.WithoutPath(err)), "make it readable, or remove it"
	case c.ownedByProject(file):
		problem, fix = "the file is ignored because it is inside the project", "move it out of the project; HOME or XDG_CONFIG_HOME points into the project"
	}
	var owner *vfs.OwnerError
	if problem == "" && errors.As(vfs.UserOnlyFile(file), &owner) {
		// The diagnostic already has the path, so remove it from the error.
		problem, fix = strings.TrimPrefix(owner.Error(), file+" ")+"; the file is ignored", owner.Fix
	}
	if problem != "" {
		r.fileProblem = problem
		r.fileDiagnostics = append(r.fileDiagnostics, diag.For(file, diag.RemoteConfig, "%s", problem).WithFix("%s", fix))
		return nil
	}
	f := remote.ParseFile(file, data)
	r.fileDiagnostics, r.broken = append(r.fileDiagnostics, f.Diagnostics...), f.Broken
	if len(f.Servers)+len(f.Broken) == 0 && len(f.Diagnostics) > 0 {
		d := f.Diagnostics[0]
		r.fileProblem = fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message)
	}
	return f.Servers
}

// dropWithheld removes the servers that the project's vade.yaml withholds.
func (c *Catalog) dropWithheld(list []remote.Server) []remote.Server {
	r := &c.remote
	if c.Quick.Project == nil {
		return list
	}
	p, _, err := config.Read(c.Quick.Project)
	if err != nil && p == nil {
		p = &config.Project{File: config.File, Invalid: true}
	}
	list = slices.DeleteFunc(list, func(s remote.Server) bool {
		reason, fix := p.WithheldReason(s.Name)
		if reason == "" && p.OnlyServers && !slices.Contains(p.Servers, s.Name) {
			reason, fix = config.File+" does not list the server", "add "+s.Name+" to servers in "+config.File
		}
		if reason != "" {
			r.withheld = append(r.withheld, ServerState{
				Name: s.Name, Transport: s.Transport(), Address: serverAddress(&s),
				State: "held", Code: diag.MCPHeld, Reason: reason, Fix: fix,
			})
		}
		return reason != ""
	})
	for _, name := range p.Servers {
		has := func(s remote.Server) bool { return s.Name == name }
		broken := func(b remote.Broken) bool { return b.Name == name }
		if !slices.ContainsFunc(list, has) && !slices.ContainsFunc(r.broken, broken) &&
			!slices.ContainsFunc(r.withheld, func(s ServerState) bool { return s.Name == name }) {
			r.fileDiagnostics = append(r.fileDiagnostics, diag.For(config.File, diag.RemoteUnknown, "the project uses the server %s, which you have not configured", name).
				WithFix("add it to your %s if you want to use it", serversFile))
		}
	}
	return list
}

// remoteCache returns the cache for server responses, or nil if it would be inside the project.
func (c *Catalog) remoteCache() *remote.Cache {
	dir := c.userDir("XDG_CACHE_HOME", ".cache")
	if dir = path.Join(dir, remoteCache); !vfs.IsAbs(dir) || c.ownedByProject(dir) {
		return nil
	}
	return remote.OpenCache(dir)
}

// remoteDefinitions returns the definitions that all servers offer, sorted by kind and name.
func (c *Catalog) remoteDefinitions(ctx context.Context) ([]*definition.Definition, error) {
	r := c.servers()
	if r.set == nil {
		return nil, nil
	}
	listings, err := r.set.List(ctx)
	if err != nil {
		return nil, err
	}
	var all []*definition.Definition
	for _, l := range listings {
		all = append(all, c.serverDefinitions(l)...)
	}
	slices.SortStableFunc(all, func(a, b *definition.Definition) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return all, nil
}

// serverDefinitions returns a server's definitions. It creates them once per listing.
func (c *Catalog) serverDefinitions(l *remote.Listing) []*definition.Definition {
	r, name := &c.remote, l.Server.Name
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listed[name] == l {
		return r.definitions[name]
	}
	if r.listed == nil {
		r.listed, r.definitions = map[string]*remote.Listing{}, map[string][]*definition.Definition{}
		r.diagnostics, r.entries = map[string][]diag.Diagnostic{}, map[*definition.Definition]*remote.Entry{}
	}
	var list []*definition.Definition
	found := slices.Clone(l.Diagnostics)
	if l.Problem != nil {
		found = append(found, l.Problem.Diagnostic(remote.Scheme+name))
	}
	store, err := c.store()
	if err != nil {
		found = append(found, diag.For(remote.Scheme+name, diag.TrustInvalid, "%s", strings.TrimPrefix(err.Error(), "vade: ")))
	}
	waiting := 0
	for _, e := range l.Entries {
		d := remoteDefinition(e)
		applyApproval(d, e, l.Server, store)
		if d.ReasonCode == diag.RemoteUntrusted {
			waiting++
		}
		if d.ReasonCode == diag.RemoteChanged {
			found = append(found, diag.For(d.Name, diag.RemoteChanged, "changed since you approved it, so it is ignored").WithFix("to review it, run: vade trust %s", shell.ForShell(d.Name)))
		}
		r.entries[d] = e
		list = append(list, d)
	}
	if waiting > 0 {
		found = append(found, diag.For(remote.Scheme+name, diag.RemoteUntrusted, "definitions waiting for your approval: %d", waiting).
			WithFix("to review them, run: vade trust %s", shell.ForShell(remote.Scheme+name)))
	}
	r.listed[name], r.definitions[name], r.diagnostics[name] = l, list, found
	return list
}

// remoteDiagnostics returns problems with the contacted servers.
func (c *Catalog) remoteDiagnostics() []diag.Diagnostic {
	r := c.servers()
	list := slices.Clone(r.fileDiagnostics)
	if r.set == nil {
		return list
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.set.Servers() {
		list = append(list, r.diagnostics[s.Name]...)
	}
	return list
}

// remoteDefinition creates a record for a definition that a server offers. It copies only the
// fields that grant no permissions.
func remoteDefinition(e *remote.Entry) *definition.Definition {
	d := &definition.Definition{
		Kind: definition.Skill, Name: e.Label(), Title: e.Name, Description: e.Description, Size: e.Size(),
		// The text has not been read yet, so estimate one token per four bytes.
		Tokens: int32(min((e.Size()+3)/4, math.MaxInt32)), ListingTokens: int32(tokens.Estimate(e.Label() + " " + e.Description)),
		Origin: definition.Origin{Layer: definition.MCP, Root: remote.Scheme + e.Server, Path: e.URI},
	}
	f := &d.Fields
	f.Description = e.Description
	if e.Via == remote.FromPrompt {
		d.Kind = definition.Command
		var names []string
		for _, a := range e.Arguments {
			names = append(names, a.Name)
		}
		f.SetList(definition.FieldArguments, names)
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			if s, ok := e.Frontmatter[k].(string); ok {
				return s
			}
		}
		return ""
	}
	f.Name = text("name")
	f.SetText(definition.FieldLicense, text("license"))
	f.SetText(definition.FieldCompatibility, text("compatibility"))
	f.SetText(definition.FieldWhenToUse, text("when_to_use", "when-to-use"))
	f.SetText(definition.FieldArgumentHint, text("argument-hint"))
	if off, ok := e.Frontmatter["user-invocable"].(bool); ok && !off {
		f.UserInvocable = &off
	}
	f.DisableModelInvocation, _ = e.Frontmatter["disable-model-invocation"].(bool)
	var ignored []string
	for key := range e.Frontmatter {
		if isPrivileged(key) {
			ignored = append(ignored, key)
		}
	}
	slices.Sort(ignored)
	var without []definition.IgnoredField
	for _, key := range ignored {
		without = append(without, definition.IgnoredField{Key: key, Reason: "not allowed for definitions from MCP servers"})
		d.Diagnostics = append(d.Diagnostics, diag.For(d.Name, diag.RemoteInert, "the field %s is ignored in definitions from MCP servers", key))
	}
	f.SetIgnored(without)
	return d
}

// isPrivileged reports whether a frontmatter field grants permissions or changes how a definition
// runs.
func isPrivileged(key string) bool {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key)) {
	case "allowedtools", "tools", "hooks", "mcpservers", "shell", "model", "effort", "agent", "context":
		return true
	}
	return false
}

// applyApproval sets the state of a server's definition. If the definition is not approved,
// applyApproval removes everything but the name, because a model may read the listing.
func applyApproval(d *definition.Definition, e *remote.Entry, s *remote.Server, store *trust.Store) {
	setApprovalState(d, e, s, store)
	if d.State != definition.Loaded {
		d.Description, d.Fields, d.Diagnostics = "", definition.Fields{Name: d.Fields.Name}, nil
		d.ListingTokens = int32(tokens.Estimate(d.Name))
	}
}

// reviewHint is the text between the reason why a definition is not approved and the definition's
// name.
const reviewHint = "; to review it, run: vade trust "

// setApprovalState sets the state of a definition that a server offers, based on the stored
// approval.
func setApprovalState(d *definition.Definition, e *remote.Entry, s *remote.Server, store *trust.Store) {
	refuse := func(code diag.Code, reason string) {
		d.State, d.ReasonCode, d.Reason = definition.Disabled, code, reason
	}
	if e.Dynamic {
		refuse(diag.RemoteDynamic, "the server does not list the definition's files, so Vade cannot verify them")
		return
	}
	refuse(diag.RemoteUntrusted, "not approved"+reviewHint+shell.ForShell(d.Name))
	if store == nil {
		return
	}
	closure := remoteClosure(e, s)
	state, record, err := store.Check(closure)
	if err != nil {
		return
	}
	if e.Via == remote.FromResource && record != nil {
		// The digest of a plain resource is not known until it is read. Assume the approved digest
		// here. It is compared to the content when the resource is loaded.
		for _, f := range record.Files {
			if f.Path == e.URI {
				closure.Files = append(closure.Files, f)
			}
		}
		if state, _, err = store.Check(closure); err != nil {
			return
		}
	}
	switch state {
	case trust.Trusted:
		d.State, d.ReasonCode, d.Reason = definition.Loaded, "", ""
	case trust.Changed:
		refuse(diag.RemoteChanged, "changed since you approved it"+reviewHint+shell.ForShell(d.Name))
	}
}

// remoteClosure returns everything that an approval of a server's definition covers: the server,
// the metadata that the server sends for the definition, and the digest of each file.
func remoteClosure(e *remote.Entry, s *remote.Server) *trust.Closure {
	// Values decoded from JSON can always be marshaled.
	metadata, _ := json.Marshal(struct {
		Via         string
		Description string
		Frontmatter map[string]any
		Arguments   []remote.Argument
	}{e.Via.String(), e.Description, e.Frontmatter, e.Arguments})
	kind := definition.Skill
	if e.Via == remote.FromPrompt {
		kind = definition.Command
	}
	c := &trust.Closure{ID: trust.ID{Kind: kind.String(), Name: e.Label(), Path: e.URI}}
	for _, f := range []struct {
		path string
		data []byte
	}{{"server address", []byte(s.Identity())}, {"server metadata", metadata}} {
		c.Files = append(c.Files, trust.File{Path: f.path, Digest: remote.Digest(f.data), Size: int64(len(f.data)), Data: f.data})
	}
	for _, r := range e.Resources {
		c.Files = append(c.Files, trust.File{Path: r.URI, Digest: r.Digest, Size: r.Size})
	}
	return c
}
