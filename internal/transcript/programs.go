package transcript

import (
	"path"
	"strings"
)

// plainWords are the words of a simple command, without the assignments before it and
// what is fed to it.
func plainWords(list []token) []string {
	var words []string
	fed := false
	for _, t := range list {
		switch {
		case !t.word:
			fed = fed || t.written == "<<<"
		case fed:
			fed = false
		case len(words) > 0 || assignment(t.text) == 0:
			words = append(words, t.text)
		}
	}
	return words
}

// secretProgram reports whether a command is given secrets, or prints them, by its
// nature, and how many of its words say no more than what it is.
func secretProgram(words []string) (int, bool) {
	if len(words) == 0 {
		return 0, false
	}
	name, second, third := path.Base(words[0]), at(words, 1), at(words, 2)
	switch name {
	case "sudo", "doas", "env", "time", "nohup", "timeout", "command", "exec":
		// What they start is judged.
		for i := 1; i < len(words); i++ {
			if strings.HasPrefix(words[i], "-") || assignment(words[i]) > 0 {
				continue
			}
			n, secret := secretProgram(words[i:])
			return n + i, secret
		}
	case "sshpass", "htpasswd", "chpasswd", "passwd", "security", "secret-tool", "pass", "op", "bw", "lpass", "gopass", "gpg", "ssh-keygen", "ansible-vault", "age", "sops", "vault", "keyctl", "expect", "export", "declare", "setx", "doppler", "infisical", "chamber":
		return 1, true
	case "openssl":
		return 2, second != "version" && second != ""
	case "docker", "podman", "helm", "npm", "yarn", "pnpm", "az", "gcloud", "heroku", "fly", "flyctl", "wrangler", "vercel", "netlify", "cargo", "twine", "oc", "firebase", "supabase", "databricks", "snowsql", "skopeo", "buildah":
		for i, w := range words[1:] {
			switch strings.ToLower(w) {
			case "login", "auth", "secret", "secrets", "config:set", "token", "adduser", "keyvault", "adduser-token", "env":
				return i + 2, true
			}
		}
		return 2, (name == "npm" || name == "yarn" || name == "pnpm") && second == "config"
	case "gh", "glab":
		return 2, second == "auth" || second == "secret" || second == "variable" || second == "ssh-key"
	case "aws":
		return 2, second == "configure" || second == "secretsmanager" || second == "ssm" || second == "sts" || second == "iam"
	case "kubectl":
		for i, w := range words[1:] {
			if strings.HasPrefix(w, "secret") || w == "token" || w == "set-credentials" {
				return i + 2, true
			}
		}
	case "git":
		return 2, second == "credential" || strings.HasPrefix(second, "credential-") || second == "config" && mention(words, "extraheader", "helper", "password", "token", "user.signingkey")
	case "pip", "poetry":
		return 2, second == "config" && third != "list"
	}
	return 0, false
}

func at(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

func mention(words []string, parts ...string) bool {
	all := strings.ToLower(strings.Join(words, " "))
	for _, p := range parts {
		if strings.Contains(all, p) {
			return true
		}
	}
	return false
}

// keepsSecrets reports whether a whole text hands a secret from one command to another,
// or to a file that holds some: then what is echoed in it is one.
func keepsSecrets(list []token) bool {
	start := 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) && !list[i].ends {
			continue
		}
		words := plainWords(list[start:i])
		start = i + 1
		if _, secret := secretProgram(words); secret {
			return true
		}
		if len(words) > 0 && path.Base(words[0]) == "sudo" && mention(words, " -s") {
			return true
		}
		for _, w := range words {
			if low := strings.ToLower(w); strings.HasSuffix(low, "-stdin") || low == "--with-token" || secretFile(low) {
				return true
			}
		}
	}
	return false
}

// secretFile reports whether a file is one that secrets are kept in.
func secretFile(name string) bool {
	base := name[strings.LastIndexAny(name, `/\=`)+1:]
	switch {
	case strings.HasPrefix(base, ".env"), base == ".netrc", base == ".pgpass", base == ".npmrc", base == ".pypirc", base == ".git-credentials", strings.HasPrefix(base, "id_rsa"), strings.HasPrefix(base, "id_ed25519"):
		return true
	case strings.HasSuffix(base, ".pem"), strings.HasSuffix(base, ".key"), strings.HasSuffix(base, ".p12"), strings.HasSuffix(base, ".pfx"):
		return true
	}
	return strings.Contains(base, "credential") || strings.Contains(base, "passwd") || strings.Contains(base, "password") || strings.Contains(base, "secret")
}

// expects reports whether the word behind an option is a secret.
func expects(words []string, word string) bool {
	if !strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
		return strings.HasSuffix(word, ":") && secretName(strings.Trim(word, ":"))
	}
	if secretName(strings.TrimLeft(word, "-")) {
		return true
	}
	name := ""
	if len(words) > 0 {
		name = path.Base(words[0])
	}
	if name == "curl" && len(word) > 2 && word[1] != '-' && strings.HasSuffix(word, "u") && strings.Trim(word[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#0123456789") == "" {
		// Behind other letters.
		return true
	}
	switch word {
	case "-F", "--form":
		return name == "curl"
	case "-P":
		return name == "zip" || name == "unzip" || name == "sqlcmd" || name == "7z"
	case "-u", "--user", "--proxy-user", "-U":
		return name == "curl" || name == "http" || name == "https" || name == "wget" || name == "lftp" || name == "smbclient" || name == "ncftpput"
	case "-p":
		return name == "7z" || name == "7za" || name == "ncftpput" || name == "lftp" || name == "mysql" || name == "mysqldump" || name == "mariadb" || name == "mongo" || name == "mongosh" || name == "cqlsh"
	case "-a", "--pass":
		return name == "redis-cli" || name == "http" || name == "https"
	case "-w":
		return strings.HasPrefix(name, "ldap")
	case "-passin", "-passout", "-k", "-b", "--cookie":
		return name == "openssl" || name == "curl" && word != "-k"
	}
	return false
}

// attached reports whether a word is an option of one letter with a secret behind it.
func attached(words []string, word string) bool {
	return len(word) > 2 && word[0] == '-' && word[1] != '-' && expects(words, word[:2])
}

// interpreter reports whether a program runs what stands in an argument of it.
func interpreter(words []string) bool {
	if len(words) == 0 {
		return false
	}
	for _, w := range words {
		if runsScripts(path.Base(w)) {
			return true
		}
		if w != words[0] && !strings.HasPrefix(w, "-") && !isStarter(path.Base(words[0])) {
			break
		}
	}
	return false
}

// runsScripts reports whether a program takes a program as an argument.
func runsScripts(name string) bool {
	name = strings.TrimRight(name, "0123456789.")
	switch name {
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "python", "pypy", "node", "deno", "bun", "ruby", "perl", "php", "lua", "osascript", "pwsh", "powershell", "cmd", "psql", "mysql", "mariadb", "sqlite", "mongosh", "mongo", "Rscript", "R", "julia", "eval", "tsx", "ts-node":
		return true
	}
	return false
}

func isScriptFlag(word string) bool {
	switch word {
	case "-c", "-e", "-lc", "-ic", "-lic", "-ec", "-pe", "-ne", "-p", "-r", "--eval", "--command", "-Command", "--execute", "/c", "eval", "-E", "-i":
		return true
	}
	return false
}

// isStarter reports whether a program starts the one that stands behind it.
func isStarter(name string) bool {
	switch name {
	case "sudo", "doas", "su", "env", "time", "nohup", "timeout", "xargs", "nice", "ionice", "watch", "exec", "command", "stdbuf", "setsid", "ssh", "docker", "podman", "kubectl", "npx", "uvx", "uv", "bunx", "poetry", "pipenv", "direnv", "mise", "nix", "nix-shell", "devbox", "parallel", "find", "flock", "script", "strace", "builtin", "noglob", "chroot", "runuser", "pkexec", "bundle", "pnpx", "pipx", "eval", "source", ".":
		return true
	}
	return false
}
