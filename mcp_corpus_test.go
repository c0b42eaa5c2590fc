package vade_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/servers"
)

// TestServersOfCorpus reads the MCP servers in every corpus directory and writes them for every
// host. Each host must read the same names from the result.
func TestServersOfCorpus(t *testing.T) {
	ctx := context.Background()
	files, list, hidden := 0, 0, 0
	kept, whole := map[string]int{}, map[string]int{}
	for _, dir := range serverDirs(t, corpus(t)) {
		files++
		c := openExport(t, dir, "")
		s, err := servers.List(ctx, c)
		must(t, err)
		list += len(s.List)
		for _, one := range s.List {
			hidden += len(one.Hidden)
		}
		for _, host := range export.ServerHosts() {
			x, err := export.Servers(ctx, s, export.Request{Host: host})
			must(t, err)
			kept[host] += len(x.Servers)
			lost := map[string]bool{}
			for _, l := range x.Losses {
				lost[l.Name] = true
			}
			for _, name := range x.Servers {
				if !lost[name] {
					whole[host]++
				}
			}
			if x.Path == "" {
				continue
			}
			out := t.TempDir()
			must(t, os.Mkdir(filepath.Join(out, ".git"), 0o755))
			_, err = x.Write(out, false)
			must(t, err)
			there := openExport(t, out, host)
			back, err := servers.List(ctx, there)
			must(t, err)
			there.Close()
			var names []string
			for _, one := range back.List {
				names = append(names, one.Name)
			}
			if !slices.Equal(names, x.Servers) {
				t.Errorf("%s for %s: %q were written, %q are read", dir, host, x.Servers, names)
			}
		}
		c.Close()
	}
	if list < 20 {
		t.Fatalf("only %d servers in %d directories: the test is broken", list, files)
	}
	t.Logf("%d servers in %d directories, %d places hidden", list, files, hidden)
	for _, host := range export.ServerHosts() {
		t.Logf("%s: %d written, %d of them with nothing lost", host, kept[host], whole[host])
	}
}

// serverDirs returns the directories that contain an MCP server file.
func serverDirs(t *testing.T, from string) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		slashed := filepath.ToSlash(name)
		for _, file := range []string{"/.mcp.json", "/.vscode/mcp.json", "/.cursor/mcp.json", "/.codex/config.toml", "/.gemini/settings.json", "/opencode.json"} {
			if top, ok := strings.CutSuffix(slashed, file); ok && !slices.Contains(dirs, top) {
				dirs = append(dirs, top)
			}
		}
		return nil
	})
	must(t, err)
	slices.Sort(dirs)
	return dirs
}

// TestPluginRoundTripOfCorpus creates plugins from all definitions in the corpus and reads them as
// their host does. Each definition must load under the name that it has in a plugin.
func TestPluginRoundTripOfCorpus(t *testing.T) {
	ctx := context.Background()
	written, read := map[string]int{}, map[string]int{}
	for _, dir := range gatheredOf(t, corpus(t), *full) {
		for _, host := range export.PluginHosts() {
			source := openExport(t, dir, "")
			e, err := export.Plugin(ctx, source, export.PluginRequest{Request: export.Request{Host: host}, Name: "all"})
			must(t, err)
			source.Close()
			out := t.TempDir()
			_, err = e.Write(out, false)
			must(t, err)
			c, err := catalog.Open(ctx, catalog.Options{
				Dir: t.TempDir(), As: host, Home: t.TempDir(), ManagedDir: t.TempDir(), Getenv: func(string) string { return "" },
				PluginDirs: []string{filepath.Join(out, "all")},
			})
			must(t, err)
			list, err := c.List(ctx, catalog.Query{})
			must(t, err)
			got := map[string]bool{}
			for _, d := range list {
				got[d.Kind().String()+" "+d.Name()] = true
			}
			names := map[string]bool{}
			for _, f := range e.Files {
				if f.Kind != 0 {
					names[inPlugin(host, "all", f)] = true
				}
			}
			var missing []string
			for name := range names {
				if got[name] {
					read[host]++
				} else {
					missing = append(missing, name)
				}
			}
			written[host] += len(names)
			slices.Sort(missing)
			if len(missing) > 0 {
				t.Errorf("%s: %d of %d are not read again: %.300q", host, len(missing), len(names), missing)
			}
			c.Close()
		}
	}
	for _, host := range export.PluginHosts() {
		t.Logf("%s: %d definitions written, %d read again", host, written[host], read[host])
		if written[host] < 200 {
			t.Errorf("%s: only %d: the test is broken", host, written[host])
		}
	}
}
