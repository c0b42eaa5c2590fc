package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/ledger"
)

// marketplace is Claude Code's marketplace.json.
type marketplace struct {
	Metadata struct{ PluginRoot string }
	Plugins  []marketplaceEntry
}

// marketplaceEntry describes a plugin in a marketplace file. Source is a path or an object. Skills,
// Commands and Agents contain paths in the plugin.
type marketplaceEntry struct {
	Name                             string
	Source, Skills, Commands, Agents json.RawMessage
}

// pluginSource is the source of a plugin that is not stored in the marketplace's repository.
type pluginSource struct {
	Source, Repo, URL, Path, Ref, SHA, SHA256 string
	Package, Version, Registry                string
}

// plugin fetches a plugin listed in a marketplace.
func (f *Fetcher) plugin(ctx context.Context, s Source, names []string) (*Fetched, error) {
	market := s
	market.Plugin, market.Path = "", path.Join(s.Path, path.Dir(host.MarketplaceFile))
	fetched, err := f.Fetch(ctx, market, nil)
	if errors.Is(err, errNoFiles) {
		fetched, err = &Fetched{}, nil
	}
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(fetched.Files, func(x ledger.File) bool { return x.Path == path.Join(s.Path, host.MarketplaceFile) })
	if i < 0 {
		return nil, &Error{s.Typed, "not a marketplace: " + host.MarketplaceFile + " is missing", "specify a repository or directory that contains this file", nil}
	}
	var list marketplace
	if err := json.Unmarshal(fetched.Files[i].Data, &list); err != nil {
		return nil, &Error{s.Typed, host.MarketplaceFile + " is not valid: " + err.Error(), "ask the author to fix the file", err}
	}
	at := slices.IndexFunc(list.Plugins, func(e marketplaceEntry) bool { return e.Name == s.Plugin })
	if at < 0 {
		return nil, &Error{s.Typed, fmt.Sprintf("the marketplace has no plugin %q", s.Plugin), "available plugins: " + names20(list.Plugins), nil}
	}
	e := &list.Plugins[at]
	from, sha256, err := e.source(s, list.Metadata.PluginRoot)
	if err != nil {
		return nil, &Error{s.Typed, "plugin " + e.Name + ": " + err.Error(), "ask the author to fix the marketplace", err}
	}
	if from.URL == s.URL && from.Ref == "" {
		// Use the same commit, because the marketplace may have changed since it was fetched.
		from.Ref = cmp.Or(s.Ref, fetched.Commit)
	}
	out, err := f.Fetch(ctx, from, names)
	if err != nil {
		return nil, err
	}
	if sha256 != "" && !strings.EqualFold(sha256, out.Digest) {
		return nil, &Error{s.Typed, "the archive's SHA-256 differs from the one in the marketplace", "ask the author to fix the marketplace", nil}
	}
	if from.URL == s.URL {
		out.From.Ref = s.Ref
	}
	// If the plugin and the marketplace are in the same directory, the plugin consists only of the
	// files that its entry lists.
	var only []string
	for _, list := range []json.RawMessage{e.Skills, e.Commands, e.Agents} {
		only = append(only, pathsOf(list)...)
	}
	if from.URL == s.URL && from.Path == s.Path && len(only) > 0 {
		out.Files = slices.DeleteFunc(out.Files, func(x ledger.File) bool {
			return !slices.ContainsFunc(only, func(p string) bool {
				p = path.Join(s.Path, p)
				return x.Path == p || strings.HasPrefix(x.Path, p+"/")
			})
		})
	}
	return out, nil
}

// names20 lists the first 20 plugins' names and says how many more there are.
func names20(list []marketplaceEntry) string {
	const most = 20
	var names []string
	for _, e := range list[:min(len(list), most)] {
		names = append(names, e.Name)
	}
	text := strings.Join(names, ", ")
	if len(list) > most {
		text += fmt.Sprintf(", and %d more", len(list)-most)
	}
	return text
}

// pathsOf returns the paths in a field whose value is one path or a list of paths.
func pathsOf(raw json.RawMessage) []string {
	var list []string
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	_ = json.Unmarshal(raw, &list)
	return list
}

// source returns the location of a plugin and, if the entry has one, the SHA-256 of its archive. A
// path that begins with "./" is relative to the marketplace. Any other path is relative to root, a
// directory in the marketplace.
func (e *marketplaceEntry) source(market Source, root string) (from Source, sha256 string, err error) {
	from = Source{Typed: market.Typed}
	var rel string
	if json.Unmarshal(e.Source, &rel) == nil {
		if !strings.HasPrefix(rel, "./") {
			rel = path.Join(root, rel)
		}
		from = market
		from.Plugin, from.Path = "", path.Join(market.Path, rel)
		if from.Path == "." {
			from.Path = ""
		}
		if from.Path != "" && !fs.ValidPath(from.Path) {
			return from, "", fmt.Errorf("the path %q is outside the marketplace", rel)
		}
		return from, "", nil
	}
	var p pluginSource
	if err := json.Unmarshal(e.Source, &p); err != nil {
		return from, "", fmt.Errorf("invalid source: %w", err)
	}
	from.Ref, from.Path = cmp.Or(p.SHA, p.Ref), cleanPath(p.Path)
	switch p.Source {
	case "github":
		from.Type, from.Repo, from.URL = hosted[0].name, p.Repo, hosted[0].url+p.Repo+".git"
		return from, "", nil
	case "url", "git-subdir":
		local := strings.HasPrefix(p.URL, "file://") && (market.Type == "local" || strings.HasPrefix(market.URL, "file://"))
		remote := strings.HasPrefix(p.URL, "https://") || strings.HasPrefix(p.URL, "ssh://") || strings.HasPrefix(p.URL, "git@")
		from.Type, from.URL = "git", p.URL
		if !local && !remote {
			from.Type, from.Repo, from.URL = hosted[0].name, p.URL, hosted[0].url+p.URL+".git"
		}
		if strings.Contains(from.Repo, ":") {
			return from, "", fmt.Errorf("the URL %q is neither https nor ssh", p.URL)
		}
		return from, "", nil
	case "npm":
		if p.Registry != "" && !strings.HasPrefix(p.Registry, "https://") {
			return from, "", fmt.Errorf("the registry %q is not https", p.Registry)
		}
		next, err := npmSource(from, p.Package)
		if err != nil {
			return from, "", fmt.Errorf("%q is not a valid npm package name", p.Package)
		}
		next.registry = p.Registry
		if p.Version != "" {
			next.Ref = p.Version
		}
		return next, "", nil
	case "archive":
		if !strings.HasPrefix(p.URL, "https://") {
			return from, "", fmt.Errorf("the URL %q is not https", p.URL)
		}
		from.Type, from.URL = "archive", p.URL
		return from, p.SHA256, nil
	}
	return from, "", fmt.Errorf("source type %q is not supported", p.Source)
}
