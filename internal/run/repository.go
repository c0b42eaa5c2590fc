package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/policy"
	"github.com/vadehq/vade/internal/sandbox"
	"github.com/vadehq/vade/internal/shell"
	"github.com/vadehq/vade/internal/vfs"
)

// repository checks whether git may run in the repository at the initial working directory. It is
// called before the script starts.
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

// grantedGit keeps a granted git command from running programs that the repository configures. If
// the grant allows network access, git can still use all its transports.
func (e *execution) grantedGit(s *sandbox.Spec, g *policy.Grant) error {
	dirs, err := sandbox.CheckGit(sandbox.ReadGitFile, e.o.Project, s.Dir)
	if err != nil {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "Vade does not run git in this repository: " + err.Error()}
	}
	if dirs.Aliases {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "Vade does not run git in this repository, even with a grant, because the repository defines aliases, which can run programs"}
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

// maxTracked is the maximum total length of tracked file names, in bytes.
const maxTracked = 32 << 20

// hardLinked refuses a git command that prints files from the working tree if one of them has more
// than one hard link. Another link could be to a protected file or to a file outside the project.
// Built-in commands also refuse such files. Only git can list the tracked files, so hardLinked runs
// git ls-files. Untracked files, such as package managers' hard links, do not matter.
func (e *execution) hardLinked(ctx context.Context, c shell.Call, call *policy.Call) error {
	if call == nil || call.Tool != "git" {
		return nil
	}
	switch call.Argv[1] {
	case "diff", "diff-files", "diff-index", "grep", "blame":
	default:
		return nil
	}
	names := newCapture(maxTracked, func() {})
	list := &policy.Verdict{Argv: []string{"git", "ls-files", "-z", ":/"}, Call: &policy.Call{Tool: "git", Dir: call.Dir}}
	s, _, err := e.spec(shell.Call{Argv: c.Argv, Dir: c.Dir}, list)
	if err != nil {
		return err
	}
	// The redactor is needed only for output that is shown.
	s.Stdout, s.Stderr = names, io.Discard
	if dirs, err := sandbox.CheckGit(sandbox.ReadGitFile, e.o.Project, s.Dir); err != nil || dirs.Top == "" {
		// If there is no repository, git reports that and does not read any files.
		return err
	}
	result, err := sandbox.Run(ctx, s)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sandbox.ErrSandbox), errors.Is(err, sandbox.ErrNoHelper):
		// Ignore the error, because the command itself then also fails and reports the reason.
		return nil
	case err != nil, result.Exit != 0:
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: "Vade does not run git in this repository because git cannot list its tracked files"}
	}
	// Also check the arguments: if a file is in a commit but not in the index, blame reads it from
	// the working tree.
	tracked := append(strings.Split(names.all.String(), "\x00"), call.Argv[2:]...)
	if name := sandbox.HardLinked(s.Dir, tracked); name != "" {
		return &policy.Refusal{Reason: policy.ReasonRepository, Message: fmt.Sprintf(
			"git %s does not run in this repository: %s has more than one hard link; replace it with a copy", call.Argv[1], name)}
	}
	return nil
}

// maxState is the maximum number of entries to check in git's directory.
const maxState = 20_000

// checkGitFiles refuses a repository if one of git's own files is a symlink or has more than one
// hard link, because git quotes their contents in error messages. It skips directories whose files
// git never quotes, such as objects.
func (e *execution) checkGitFiles(dirs sandbox.GitDirs) *policy.Refusal {
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
		wrong := linkedEntry(tree, ".", &left)
		tree.Close()
		if wrong != "" {
			return &policy.Refusal{Reason: policy.ReasonRepository, Message: "Vade does not run git in this repository: " + path.Join(dir, wrong) + " is a symlink or has more than one hard link"}
		}
	}
	return nil
}

func linkedEntry(tree *vfs.Tree, dir string, left *int) string {
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
			if wrong := linkedEntry(tree, name, left); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// linked reports whether a file has more than one hard link.
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

// isStore reports whether a path in git's directory is in a subdirectory whose files git never
// quotes.
func isStore(name string) bool {
	switch first, _, _ := strings.Cut(name, "/"); first {
	case "objects", "lfs", "annex", "modules", "hooks":
		return true
	}
	return false
}
