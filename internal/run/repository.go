package run

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// repository looks, before anything runs, whether git can be run where it is
// going to be as far as that is known.
func (e *execution) repository(d *policy.Decision) *policy.Refusal {
	for _, c := range d.Commands {
		if c.Verdict == nil || c.Verdict.Call == nil || c.Verdict.Call.Tool != "git" {
			continue
		}
		_, _, err := e.spec(shell.Call{Argv: c.Argv, Dir: e.o.View.Dir()}, c.Verdict)
		var refusal *policy.Refusal
		if errors.As(err, &refusal) && refusal.Reason == policy.ReasonRepository {
			return refusal
		}
	}
	return nil
}

// grantedGit keeps a granted git from running what the repository configures.
// One that may use the network keeps its transports.
func (e *execution) grantedGit(s *sandbox.Spec, g *policy.Grant) error {
	dirs, err := sandbox.CheckGit(sandbox.ReadGitFile, e.o.Project, s.Dir)
	if err != nil {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "git is not run in this repository: " + err.Error()}
	}
	if dirs.Aliases {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "a granted git is not run in this repository: it sets aliases, which may be programs"}
	}
	s.Read = append(s.Read, dirs.Read...)
	s.Env = append(s.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+dirs.Ceiling)
	if g.Network {
		safe := []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat"}
		s.Args = append(append(s.Args[:1:1], safe...), s.Args[1:]...)
		return nil
	}
	if s.Args, err = sandbox.GitArgs(s.Args, dirs.Config...); err != nil {
		return &policy.Refusal{Reason: policy.ReasonFlag, Message: err.Error()}
	}
	s.Exec = append(s.Exec, sandbox.GitExec(s.Path)...)
	return nil
}

// maxState bounds the entries of git's directory that are looked at.
const maxState = 20_000

// plainState refuses a repository whose own files are links, or have a second
// name: git would quote what they lead to in its complaints. Objects are no
// text and are left out.
func (e *execution) plainState(dirs sandbox.GitDirs) *policy.Refusal {
	left := maxState
	seen := map[string]bool{}
	for _, dir := range []string{dirs.Git, dirs.Common} {
		if dir == "" || seen[dir] {
			continue
		}
		seen[dir] = true
		tree, err := vfs.Open(dir, vfs.Options{})
		if err != nil {
			continue
		}
		wrong := oddEntry(tree, ".", &left)
		tree.Close()
		if wrong != "" {
			return &policy.Refusal{Reason: policy.ReasonRepository, Message: "git is not run in this repository: " + path.Join(dir, wrong) + " is a link, or has a second name"}
		}
	}
	return nil
}

func oddEntry(tree *vfs.Tree, dir string, left *int) string {
	infos, _, err := tree.ReadDirInfo(dir, maxState)
	if err != nil {
		return ""
	}
	for _, info := range infos {
		if *left--; *left < 0 {
			return ""
		}
		name := path.Join(dir, info.Name())
		switch {
		case info.Mode()&fs.ModeSymlink != 0, info.Mode().IsRegular() && linked(info):
			return name
		case info.IsDir() && !isStore(name):
			if wrong := oddEntry(tree, name, left); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// linked reports whether a file has several names.
func linked(info fs.FileInfo) bool {
	owned, ok := info.(interface {
		Owner() (user, group string, links uint64, blocks int64)
	})
	if !ok {
		return false
	}
	_, _, links, _ := owned.Owner()
	return links > 1
}

// isStore reports whether a directory of git's holds data that no command shows
// by its place.
func isStore(name string) bool {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "objects", "lfs", "annex", "modules", "hooks":
		return true
	}
	return false
}
