package transcript

import (
	"path"
	"slices"
	"strings"
)

// The reasons to ask a person first.
const (
	riskDeletes  = "it deletes or throws away"
	riskRoot     = "it runs with the rights of another user"
	riskSends    = "it sends something away or changes something elsewhere"
	riskPublish  = "it publishes"
	riskSystem   = "it changes the machine"
	riskData     = "it works on a database"
	riskHistory  = "it changes what is committed"
	riskUnknown  = "it runs what is fetched from elsewhere"
	riskDeploys  = "its name says that it deploys, releases, deletes or resets"
	riskOverride = "it may write over files"
)

// risk says why a command is a step that a person confirms, or "". It is our own list,
// by programs that many sessions have; what it does not know is never allowed without a
// rule for it either.
func risk(words []string) string { return riskOf(words, true) }

// riskOf is [risk]; started: also of a program that this one starts.
func riskOf(words []string, started bool) string {
	name := strings.TrimSuffix(path.Base(words[0]), ".exe")
	second, third := at(words, 1), at(words, 2)
	has := func(flags ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return slices.ContainsFunc(flags, func(f string) bool {
				if w == f || strings.HasPrefix(w, f+"=") {
					return true
				}
				// Options of one letter stand together.
				return len(f) == 2 && f[0] == '-' && len(w) > 2 && w[0] == '-' && w[1] != '-' && strings.Contains(w, f[1:]) && strings.Trim(w, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
			})
		})
	}
	switch name {
	case "sudo", "doas", "su", "pkexec", "runuser":
		return riskRoot
	case "busybox", "toybox":
		if started && second != "" {
			return riskOf(words[1:], false)
		}
	case "rm", "rmdir", "shred", "unlink", "truncate", "srm", "trash", "del", "erase":
		return riskDeletes
	case "dd", "mkfs", "fdisk", "parted", "mount", "umount", "chmod", "chown", "chgrp", "kill", "pkill", "killall", "shutdown", "reboot", "halt", "systemctl", "service", "launchctl", "crontab", "at", "iptables", "ufw", "useradd", "userdel", "usermod", "sysctl", "modprobe":
		return riskSystem
	case "apt", "apt-get", "dnf", "yum", "pacman", "brew", "zypper", "apk", "snap", "choco", "winget", "scoop", "port":
		return riskSystem
	case "mv", "cp", "ln", "install", "rsync", "tar", "unzip", "patch", "tee":
		if name == "rsync" && (has("--delete") || mention(words, ":")) {
			return riskSends
		}
		return riskOverride
	case "ssh", "scp", "sftp", "ftp", "nc", "ncat", "socat", "telnet", "mail", "sendmail", "rclone", "http", "https":
		return riskSends
	case "curl", "wget":
		if name == "curl" && uploads(words) || has("-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "-F", "--form", "-T", "--upload-file", "--json", "--post-data", "--post-file", "--method") || has("-X", "--request") && !mention(words, "-x get", "--request get") {
			return riskSends
		}
	case "git":
		if why := gitRisk(words, has); why != "" {
			return why
		}
	case "make", "gmake", "just", "task", "ninja", "rake":
		if slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "install") }) {
			return riskSystem
		}
	case "go":
		switch {
		case second == "clean":
			return riskDeletes
		case second == "env" && has("-w", "-u"):
			return riskSystem
		}
	case "kubectl", "oc":
		if !slices.Contains([]string{"get", "describe", "logs", "version", "explain", "top", "api-resources", "diff", "cluster-info"}, second) {
			return riskSends
		}
	case "helm", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook", "cdk", "serverless", "sls":
		if !slices.Contains([]string{"list", "status", "template", "lint", "plan", "validate", "fmt", "show", "output", "version", "diff", "synth", "preview", "get", "history"}, second) {
			return riskSends
		}
	case "docker", "podman":
		if mention(words, " rm", "rmi", "prune", " kill", " stop", " push", " down", " exec", " run", " system", " volume") {
			return riskSends
		}
	case "aws", "gcloud", "az", "heroku", "fly", "flyctl", "vercel", "netlify", "wrangler", "firebase", "supabase", "doctl", "eb":
		if slices.ContainsFunc(words[1:], func(w string) bool { return hasWord("rm mv cp sync delete remove put create update", w) }) || !mention(words, " describe", " list", " get-", " ls", " logs", " status", " show", " version", " whoami") {
			return riskSends
		}
		return ""
	case "npm", "pnpm", "yarn", "bun", "cargo", "gem", "twine", "poetry", "hatch", "flit", "mvn", "gradle", "dotnet", "pod", "helmfile", "goreleaser", "semantic-release", "lerna", "changeset":
		named := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "--release" })
		if mention(named, "publish", "unpublish", "deprecate", "yank", " owner", "release", "deploy", " upload", "nuget push") || name == "gem" && second == "push" || name == "goreleaser" {
			return riskPublish
		}
		if has("-g", "--global") {
			return riskSystem
		}
	case "pip", "pip3", "pipx", "gopls":
		if second == "install" || second == "uninstall" {
			return riskSystem
		}
	case "gh", "glab", "hub":
		if second == "api" || !slices.Contains([]string{"view", "list", "diff", "checks", "status", "watch", "ls", "search"}, third) && second != "search" && second != "status" && second != "--version" {
			return riskSends
		}
	case "psql", "mysql", "mariadb", "mongosh", "mongo", "redis-cli", "sqlite3", "sqlcmd", "dropdb", "createdb", "pg_restore", "mysqladmin", "alembic", "flyway", "liquibase", "prisma":
		return riskData
	case "find":
		if slices.Contains(words, "-delete") {
			return riskDeletes
		}
	case "xargs", "parallel", "env", "nohup", "nice", "watch", "exec", "eval", "source", ".", "time", "timeout", "command", "builtin", "setsid", "stdbuf", "npx", "uvx", "bunx", "pnpx", "flock", "ionice", "uv", "pipenv", "bundle", "strace", "script", "trap", "chroot":
		for i := 1; started && i < len(words) && i < 20; i++ {
			if strings.HasPrefix(words[i], "-") || assignment(words[i]) > 0 {
				continue
			}
			if why := riskOf(words[i:], false); why != "" {
				return why
			}
		}
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "python", "python3", "node", "perl", "ruby", "php":
		if script := after(words, isScriptFlag); script != "" {
			if why := scriptRisk(script); why != "" {
				return why
			}
		}
	}
	if strings.HasPrefix(name, "mkfs") || strings.HasPrefix(name, "fsck") {
		return riskSystem
	}
	if acts(words) {
		return riskDeploys
	}
	return optionRisk(words)
}

// uploads reports whether an option of one letter has what is sent right behind it.
func uploads(words []string) bool {
	return slices.ContainsFunc(words[1:], func(w string) bool {
		return strings.HasPrefix(w, "-T") || strings.HasPrefix(w, "-F") || strings.HasPrefix(w, "-d")
	})
}

// after is the word behind an option.
func after(words []string, is func(string) bool) string {
	for i := 1; i+1 < len(words); i++ {
		if is(words[i]) {
			return words[i+1]
		}
	}
	return ""
}

// scriptRisk judges a script in an argument by the commands in it that can be read.
func scriptRisk(script string) string {
	for _, word := range strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()'\"`,[]", r) }) {
		if word == "sudo" || word == "rm" || strings.Contains(word, "rmtree") || strings.Contains(word, "unlink") {
			return riskDeletes
		}
	}
	return ""
}

// acts reports whether the name of a target or a script, or an option of one, says that
// it does what can not be taken back.
func acts(words []string) bool {
	switch words[0] {
	case "git", "go", "grep", "rg", "cat", "ls", "head", "tail":
		return false
	}
	own := strings.Contains(words[0], "/") || runsScripts(words[0]) || hasWord("make just task mage npm pnpm yarn bun rake", words[0])
	for i, w := range words {
		option := strings.HasPrefix(w, "-")
		if i > 40 || option && !own {
			continue
		}
		if i > 0 && (w == "rm" || w == "flush" || w == "unlink") {
			return true
		}
		for _, part := range strings.FieldsFunc(strings.ToLower(path.Base(w)), func(r rune) bool { return r < 'a' || r > 'z' }) {
			switch part {
			case "drop", "reset", "clean", "prune", "nuke", "migrate", "prod", "production", "remove", "force":
				if i < 4 || own {
					return true
				}
			}
			for _, act := range []string{"deploy", "release", "publish", "delete", "destroy", "purge", "wipe", "rollback", "upload", "uninstall", "teardown", "dropdb", "droptable", "resetdb", "truncate"} {
				if strings.HasPrefix(part, act) || strings.HasSuffix(part, act) {
					return true
				}
			}
		}
	}
	return false
}

// gitRisk judges a command of git by its subcommand, also behind options.
func gitRisk(words []string, has func(...string) bool) string {
	sub := ""
	for i := 1; i < len(words); i++ {
		if w := words[i]; hasWord("-C -c --git-dir --work-tree --namespace --config-env --super-prefix", w) {
			i++
		} else if !strings.HasPrefix(w, "-") {
			sub = w
			break
		}
	}
	switch sub {
	case "push", "send-email", "svn", "request-pull":
		if has("--force", "-f", "--force-with-lease", "--delete", "-d", "--mirror") || slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "+") || strings.HasPrefix(w, ":") }) {
			return riskDeletes
		}
		return riskSends
	case "reset", "clean", "restore", "rm", "filter-branch", "filter-repo", "gc", "prune", "update-ref", "replace", "reflog", "worktree":
		return riskDeletes
	case "checkout", "switch":
		if has("-f", "--force", "--discard-changes", "--") || slices.Contains(words, ".") {
			return riskDeletes
		}
	case "branch", "tag", "remote", "stash", "notes", "submodule":
		if has("-d", "-D", "--delete", "-f", "--force", "-M", "-m") || mention(words, " drop", " clear", " remove", " deinit", " pop") {
			return riskDeletes
		}
	case "rebase", "merge", "cherry-pick", "revert", "am", "pull":
		return riskHistory
	case "commit":
		if has("--amend", "--no-verify", "-n") {
			return riskHistory
		}
	case "config":
		return riskSystem
	}
	return ""
}
