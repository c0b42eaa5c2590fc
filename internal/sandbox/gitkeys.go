package sandbox

import (
	"fmt"
	"strings"
)

// GitConfigError describes a repository setting that could affect what git executes or reads. If
// Key is empty, it describes a line that neither Vade nor git can parse.
type GitConfigError struct {
	Key  string
	File string
	Line int
	Why  string
}

func (e *GitConfigError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
	}
	return fmt.Sprintf("%s:%d: the repository sets %s, which %s", e.File, e.Line, e.Key, e.Why)
}

const (
	whyRuns     = "names a command to run"
	whyIncludes = "reads another file"
	whyFetches  = "makes git fetch objects from a server"
	whyMoves    = "points to another directory"
)

// judgeSetting decides whether a setting is safe. If not, it returns either the reason for refusing
// the setting, or other settings that disable it without changing git's output.
//
// Settings that gitSettings overrides are safe. So are settings that no read-only subcommand uses:
// aliases, merge drivers, editors, credential helpers, and diff and merge tools.
func judgeSetting(s gitSetting) (why string, config []string) {
	section, sub, hasSub := s.section()
	switch section {
	case "include", "includeif":
		return whyIncludes, nil
	case "core":
		return judgeCore(s), nil
	case "diff":
		if !hasSub && s.Name == "external" || hasSub && (s.Name == "command" || s.Name == "textconv") {
			return whyRuns, nil
		}
	case "filter":
		return judgeFilter(s, sub)
	case "remote":
		return judgeRemote(s), nil
	case "extensions":
		if s.Name == "partialclone" {
			return whyFetches, nil
		}
	case "submodule":
		if s.Name == "update" && strings.HasPrefix(strings.TrimSpace(s.Value), "!") {
			return whyRuns, nil
		}
	case "uploadpack":
		if s.Name == "packobjectshook" {
			return whyRuns, nil
		}
	case "trailer", "tar", "hook":
		if s.Name == "command" || s.Name == "cmd" {
			return whyRuns, nil
		}
	}
	return "", nil
}

func judgeCore(s gitSetting) string {
	switch s.Name {
	case "fsmonitor":
		if !s.NoValue && !isGitBool(s.Value) {
			return whyRuns
		}
	case "gitproxy", "alternaterefscommand", "virtualfilesystem":
		return whyRuns
	}
	return ""
}

func isGitBool(v string) bool {
	switch strings.ToLower(v) {
	case "", "true", "yes", "on", "1", "false", "no", "off", "0":
		return true
	}
	return false
}

// judgeFilter refuses the commands of all filters except git-lfs, whose commands it disables.
func judgeFilter(s gitSetting, sub string) (string, []string) {
	switch s.Name {
	case "clean", "smudge", "process":
	default:
		return "", nil
	}
	if sub != "lfs" || !isLFS(s.Value) {
		return whyRuns, nil
	}
	return "", []string{"filter.lfs.clean=", "filter.lfs.smudge=", "filter.lfs.process=", "filter.lfs.required=false"}
}

func isLFS(command string) bool {
	switch strings.Join(strings.Fields(command), " ") {
	case "git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process",
		"git-lfs smudge --skip -- %f", "git-lfs filter-process --skip":
		return true
	}
	return false
}

func judgeRemote(s gitSetting) string {
	switch s.Name {
	case "uploadpack", "receivepack", "vcs":
		return whyRuns
	case "promisor", "partialclonefilter":
		return whyFetches
	}
	return ""
}
