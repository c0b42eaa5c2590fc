package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrGitOption is returned if an option before the subcommand could undo the hardening.
var ErrGitOption = errors.New("git option not allowed")

// GitArgs hardens a git command line so that git cannot execute programs or change files. It
// inserts settings before the subcommand and, for some subcommands, flags after it. config holds
// additional settings in the form "name=value"; see GitDirs.Config. GitArgs refuses options before
// the subcommand unless they are known to be harmless, because they could select another repository
// or undo the settings.
//
// Later flags in argv can undo the inserted flags. The policy must therefore refuse --ext-diff,
// --textconv and similar flags.
func GitArgs(argv []string, config ...string) ([]string, error) {
	if len(argv) == 0 {
		return nil, fmt.Errorf("%w: no command", ErrGitOption)
	}
	at := 1
	for at < len(argv) && strings.HasPrefix(argv[at], "-") {
		if !isPlainOption(argv[at]) {
			return nil, fmt.Errorf("%w: %s", ErrGitOption, argv[at])
		}
		at++
	}
	args := []string{argv[0], "--no-pager", "--no-optional-locks"}
	for _, list := range [][]string{gitSettings(), config} {
		for _, setting := range list {
			args = append(args, "-c", setting)
		}
	}
	args = append(args, argv[1:at]...)
	if at == len(argv) {
		return args, nil
	}
	args = append(args, argv[at])
	args = append(args, gitFlags(argv[at])...)
	return append(args, argv[at+1:]...), nil
}

func isPlainOption(o string) bool {
	switch o {
	case "--version", "-v", "--no-pager", "-P", "--no-optional-locks", "--no-replace-objects",
		"--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs", "--icase-pathspecs", "--no-advice":
		return true
	}
	return false
}

// gitSettings returns settings that override what a repository may set. Settings for arbitrary
// names, such as diff.NAME.command, cannot be overridden, so CheckGit checks those.
func gitSettings() []string {
	return []string{
		"core.fsmonitor=false",
		"core.hooksPath=/dev/null",
		"core.pager=cat",
		"core.editor=false",
		"sequence.editor=false",
		"core.askPass=false",
		"core.sshCommand=false",
		"core.gitProxy=",
		"core.alternateRefsCommand=false",
		"core.attributesFile=/dev/null",
		"credential.helper=",
		"interactive.diffFilter=",
		"diff.submodule=short",
		"diff.ignoreSubmodules=dirty",
		"status.submoduleSummary=false",
		"submodule.recurse=false",
		"fetch.recurseSubmodules=false",
		"log.showSignature=false",
		"gpg.program=false",
		"gpg.openpgp.program=false",
		"gpg.x509.program=false",
		"gpg.ssh.program=false",
		"gpg.ssh.defaultKeyCommand=",
		"protocol.allow=never",
		"protocol.ext.allow=never",
		"protocol.file.allow=never",
		"protocol.git.allow=never",
		"protocol.http.allow=never",
		"protocol.https.allow=never",
		"protocol.ssh.allow=never",
		"uploadpack.packObjectsHook=",
		"safe.bareRepository=explicit",
		"maintenance.auto=false",
		"gc.auto=0",
		"color.ui=false",
		"color.status=false",
		"color.diff=false",
		"color.branch=false",
		"color.grep=false",
		"color.show=false",
		// The repository could set these to any file, and git includes that file's text in error
		// messages.
		"core.excludesFile=/dev/null",
		"mailmap.file=/dev/null",
		"diff.orderFile=/dev/null",
		"column.ui=never",
	}
}

// gitFlags returns the flags that a subcommand needs in addition to the settings.
func gitFlags(sub string) []string {
	switch sub {
	case "diff":
		return []string{"--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}
	case "log", "show", "whatchanged":
		return []string{"--no-ext-diff", "--no-textconv", "--no-show-signature"}
	case "diff-tree", "diff-index", "diff-files":
		return []string{"--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}
	case "format-patch":
		return []string{"--no-ext-diff", "--no-textconv"}
	case "status":
		return []string{"--ignore-submodules=dirty"}
	case "blame", "annotate", "grep":
		return []string{"--no-textconv"}
	}
	return nil
}

// GitExec returns the paths of any git-core/git binaries installed alongside the git binary at
// path. Git runs git-core/git for some subcommands, so add the paths to Spec.Exec. Reading a
// repository requires nothing else from git-core.
func GitExec(path string) []string {
	prefix := filepath.Dir(filepath.Dir(path))
	var list []string
	for _, dir := range []string{"lib", "libexec"} {
		git := filepath.Join(prefix, dir, "git-core", "git")
		if info, err := os.Stat(git); err == nil && info.Mode().IsRegular() {
			list = append(list, git)
		}
	}
	return list
}

// GitEnv returns the complete environment for git. With it, git reads only the repository's
// configuration, does not start helper programs, and does not access the network or take locks.
// ceiling is GitDirs.Ceiling; git does not search for a repository in this directory or above it.
// tz is the time zone for local dates, in the format of the TZ variable. If it is empty, git uses
// the system's time zone.
func GitEnv(ceiling, tz string) []string {
	env := []string{
		"PATH=/nonexistent",
		"HOME=/nonexistent",
		"XDG_CONFIG_HOME=/nonexistent",
		"LC_ALL=C.UTF-8",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=false",
		"SSH_ASKPASS=false",
		"GIT_SSH_COMMAND=false",
		"GIT_EDITOR=false",
		"GIT_PAGER=cat",
		"PAGER=cat",
		"TERM=dumb",
		"GIT_CEILING_DIRECTORIES=" + ceiling,
	}
	if tz != "" {
		env = append(env, "TZ="+tz)
	}
	return env
}
