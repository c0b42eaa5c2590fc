// Package doctor reports problems with a machine's hosts, settings, files and directories, and says
// what Vade cannot do on the machine. It does not start programs or write files.
package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/vfs"
)

// States for a [Line], from best to worst.
const (
	OK      = "ok"
	Info    = "info"
	Warning = "warning"
	Error   = "error"
)

// Line is one result from a check. Its JSON encoding is stable: fields are added, never renamed.
type Line struct {
	Check string `json:"check"`
	State string `json:"state"`
	// What describes what the check found. Fix says how to solve the problem, or is "" if there is
	// nothing to do.
	What string `json:"what"`
	Fix  string `json:"fix,omitempty"`
}

// Machine describes the machine to check.
type Machine struct {
	// Options selects the project and the user's directories.
	Options catalog.Options
	// Path is the list of directories in which to search for programs.
	Path string
	// Isolation describes the sandbox's capabilities on this machine.
	Isolation definition.Isolation
	Now       time.Time

	neutral *catalog.Catalog
}

// check looks for one kind of problem.
type check struct {
	name string
	run  func(context.Context, *Machine) ([]Line, error)
}

// checks returns all checks, in report order.
func checks() []check {
	return []check{
		{"hosts", hosts},
		{"settings", settings},
		{"plugins", plugins},
		{"links", links},
		{"files", files},
		{"writing", writing},
		{"clock", clock},
		{"sandbox", isolation},
		{"git", git},
	}
}

// Run runs all checks. If a check finds nothing, Run adds a line that says so.
func Run(ctx context.Context, m Machine) ([]Line, error) {
	m.Options.As = ""
	var err error
	if m.neutral, err = catalog.Open(ctx, m.Options); err != nil {
		return nil, err
	}
	defer m.neutral.Close()
	var all []Line
	for _, c := range checks() {
		lines, err := c.run(ctx, &m)
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			lines = []Line{{State: OK, What: "no problems"}}
		}
		for _, l := range lines {
			l.Check = c.name
			all = append(all, l)
		}
	}
	return all, nil
}

// find returns a program's path with symlinks resolved, or "" if the program is not found.
func (m *Machine) find(program string) string {
	search := sandbox.Search{Path: m.Path}
	if p := m.neutral.Quick.Project; p != nil {
		search.Forbid = []string{p.Dir()}
	}
	file, err := sandbox.Find(program, search)
	if err != nil {
		return ""
	}
	return file
}

// hosts finds the hosts' programs and compares their versions against the versions that Vade knows
// about.
func hosts(_ context.Context, m *Machine) ([]Line, error) {
	var lines []Line
	for _, p := range registry.Hosts() {
		if p.Launch == nil || p.FromOptions {
			continue
		}
		// The ACP adapter may be a separate program.
		command := cmp.Or(strings.Join(p.Launch.Print, " "), strings.Join(p.Launch.ACP, " "))
		program, _, _ := strings.Cut(command, " ")
		file := m.find(program)
		if program == "" || file == "" {
			continue
		}
		line := Line{State: OK, What: fmt.Sprintf("%s %s: %s", p.Name, cmp.Or(packageVersion(file), "(version unknown)"), file)}
		if v := packageVersion(file); v != "" && !slices.Contains(registry.VersionsOf(p.Name), v) {
			line.State, line.What = Info, fmt.Sprintf("%s; Vade's view is based on version %s", line.What, p.Version)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []Line{{State: Info, What: "no host program was found in PATH"}}
	}
	return lines, nil
}

// packageVersion returns the version of the package that contains a program, or "". It reads the
// version from package.json and does not run the program.
func packageVersion(file string) string {
	for range 4 {
		file = filepath.Dir(file)
		data, err := os.ReadFile(filepath.Join(file, "package.json"))
		var p struct{ Version string }
		if err == nil && json.Unmarshal(data, &p) == nil && p.Version != "" {
			return p.Version
		}
	}
	return ""
}

// settings reports settings files that a host ignores completely or in part.
func settings(ctx context.Context, m *Machine) ([]Line, error) {
	profiles := slices.DeleteFunc(registry.Hosts(), func(p *host.Profile) bool { return !p.Program() || p.FromOptions })
	found := make([][]diag.Diagnostic, len(profiles))
	err := catalog.Parallel(len(profiles), func(i int) error {
		o := m.Options
		o.As = profiles[i].Name
		c, err := catalog.Open(ctx, o)
		if err != nil {
			return err
		}
		defer c.Close()
		if _, err := c.Scan(ctx); err != nil {
			return err
		}
		found[i] = slices.Concat(c.Settings(ctx).Diagnostics, c.ConfigurationDiagnostics)
		return nil
	})
	var lines []Line
	seen := map[string]bool{}
	for i, p := range profiles {
		for _, d := range found[i] {
			l := line(Error, "", d)
			if d.Severity > diag.Info && !seen[l.What] {
				seen[l.What] = true
				l.What = p.Name + ": " + l.What
				lines = append(lines, l)
			}
		}
	}
	return lines, err
}

// line converts a diagnostic to a Line.
func line(state, prefix string, d diag.Diagnostic) Line {
	at := d.File
	if d.Line > 0 {
		at += fmt.Sprintf(":%d", d.Line)
	}
	return Line{State: state, What: prefix + at + ": " + d.Message, Fix: d.Fix}
}

// Limits for comparing one plugin: the number of files, and the size of each in bytes.
const (
	maxPluginFiles = 5_000
	maxPluginFile  = 1 << 20
)

// plugins reports installed plugins that differ from their sources in the marketplace. Hosts load
// the installed copy.
func plugins(ctx context.Context, m *Machine) ([]Line, error) {
	var lines []Line
	for _, p := range registry.Hosts() {
		if p.Plugins == nil || p.Plugins.Installed.Known == "" || p.FromOptions {
			continue
		}
		o := m.Options
		o.As = p.Name
		c, err := catalog.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		plan, err := c.Plan(ctx)
		if err != nil {
			c.Close()
			return nil, err
		}
		for _, plug := range plan.Plugins {
			if file := difference(plug.Source, plug.Tree); file != "" {
				lines = append(lines, Line{State: Warning, What: fmt.Sprintf("%s: the installed plugin %s differs from %s: %s", p.Name, plug.Name, plug.Source, file),
					Fix: "update the plugin in the host"})
			}
		}
		c.Close()
	}
	return lines, nil
}

// difference returns the first file in the directory source that is missing from the directory
// copied or has different content there. It returns "" if there is no such file. It does not follow
// symlinks.
func difference(source string, copied *vfs.Tree) string {
	if source == "" {
		return ""
	}
	tree, err := vfs.Open(source, vfs.Options{})
	if err != nil {
		return ""
	}
	defer tree.Close()
	dirs, n := []string{"."}, 0
	for len(dirs) > 0 && n < maxPluginFiles {
		dir := dirs[0]
		dirs = dirs[1:]
		entries, _, err := tree.ReadDir(dir, maxPluginFiles)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name)
			switch {
			case e.Type == vfs.Dir && e.Name != ".git":
				dirs = append(dirs, name)
			case e.Type == vfs.File:
				n++
				want, err := tree.ReadFile(name, maxPluginFile)
				if err != nil {
					continue
				}
				if got, err := copied.ReadFile(name, maxPluginFile); err != nil || !bytes.Equal(got, want) {
					return name
				}
			}
		}
	}
	return ""
}

// maxLinkText is the maximum length of a symlink's target in bytes.
const maxLinkText = 4096

// links reports symlinks that git checked out as text files containing the target.
func links(ctx context.Context, m *Machine) ([]Line, error) {
	tree := m.neutral.Quick.Project
	if tree == nil {
		return nil, nil
	}
	var lines []Line
	seen := map[string]bool{}
	for _, p := range append([]*host.Profile{registry.Neutral()}, registry.Hosts()...) {
		for _, label := range p.ProjectLabels() {
			if seen[label] {
				continue
			}
			seen[label] = true
			names := []string{label}
			if entries, _, err := tree.ReadDir(label, 10_000); err == nil {
				names = nil
				for _, e := range entries {
					names = append(names, label+"/"+e.Name)
				}
			}
			for _, name := range names {
				if target := linkText(tree, name); target != "" {
					lines = append(lines, Line{State: Error, What: name + " is a text file that contains the path " + target + "; git probably checked out a symlink as a file",
						Fix: "run: git config core.symlinks true && git checkout -- " + name + " (on Windows, enable Developer Mode first); or, to use copies, add to vade.yaml: sync: {links: never}"})
				}
			}
		}
	}
	return lines, ctx.Err()
}

// linkText returns a file's content if it consists only of a path that exists. Otherwise, it
// returns "".
func linkText(tree *vfs.Tree, name string) string {
	if typ, err := tree.Lstat(name); err != nil || typ != vfs.File {
		return ""
	}
	data, err := tree.ReadFile(name, maxLinkText)
	target := string(data)
	if err != nil || target == "" || strings.ContainsAny(target, "\n\x00") {
		return ""
	}
	rel := filepath.ToSlash(filepath.Join(filepath.Dir(name), target))
	if !fs.ValidPath(rel) {
		return ""
	}
	if _, err := tree.Lstat(rel); err != nil || rel == name {
		return ""
	}
	return target
}

// files reports files and directories that cannot be read.
func files(ctx context.Context, m *Machine) ([]Line, error) {
	found, err := m.neutral.Diagnostics(ctx)
	if err != nil {
		return nil, err
	}
	var lines []Line
	for _, d := range found {
		if d.Code == diag.FileUnreadable {
			lines = append(lines, line(Error, "", d))
		}
	}
	return lines, nil
}

// writing reports directories that Vade writes to but the user cannot write to.
func writing(_ context.Context, m *Machine) ([]Line, error) {
	var dirs []string
	if p := m.neutral.Quick.Project; p != nil {
		dirs = append(dirs, p.Dir(), filepath.Join(p.Dir(), ".vade"))
	}
	if state, err := m.neutral.StateDir("trust"); err == nil {
		dirs = append(dirs, state)
	}
	var lines []Line
	for _, dir := range dirs {
		if at := unwritable(dir); at != "" {
			lines = append(lines, Line{State: Error, What: at + " is not a writable directory", Fix: "check its type, owner and permissions"})
		}
	}
	return lines, nil
}

// unwritable checks dir or, if that does not exist, its nearest existing parent. It returns that
// path if it is not a directory or if its permissions do not let the owner write, and "" otherwise.
// It does not try to write.
func unwritable(dir string) string {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir() && info.Mode().Perm()&0o200 != 0:
			return ""
		case err == nil:
			return dir
		case filepath.Dir(dir) == dir:
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// clock reports a system clock that is more than a day behind the project directory's modification
// time. Lock files and approvals contain times, so they depend on a correct clock.
func clock(_ context.Context, m *Machine) ([]Line, error) {
	tree := m.neutral.Quick.Project
	if tree == nil {
		return nil, nil
	}
	info, err := os.Stat(tree.Dir())
	if err != nil || !info.ModTime().After(m.Now.Add(24*time.Hour)) {
		return nil, nil
	}
	return []Line{{State: Warning, What: fmt.Sprintf("%s has a modification time in the future, %s", tree.Dir(), info.ModTime().UTC().Format(time.RFC3339)),
		Fix: "check the system clock"}}, nil
}

// isolation reports what the sandbox cannot do.
func isolation(_ context.Context, m *Machine) ([]Line, error) {
	i := m.Isolation
	if i.Files && i.Network && i.Exec {
		return []Line{{State: OK, What: "available"}}, nil
	}
	var missing []string
	for _, p := range []struct {
		has  bool
		what string
	}{{i.Files, "files"}, {i.Network, "the network"}, {i.Exec, "programs"}} {
		if !p.has {
			missing = append(missing, p.what)
		}
	}
	return []Line{{State: Warning, What: "commands cannot be isolated from " + catalog.JoinOr(missing) + ": " + cmp.Or(i.Reason, "not supported on this system"),
		Fix: "no action is needed unless a definition runs commands that need the sandbox; these are refused"}}, nil
}

// git reports a missing git, because vade add and isolated runs need it.
func git(_ context.Context, m *Machine) ([]Line, error) {
	file := m.find("git")
	if file == "" {
		return []Line{{State: Warning, What: "git was not found in PATH, so vade add cannot fetch repositories", Fix: "install git"}}, nil
	}
	return []Line{{State: OK, What: file}}, nil
}
