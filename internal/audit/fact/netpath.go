package fact

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/host"
)

// paths takes the files that stand for something from a region.
func (f *Facts) paths(r *Region, text string) {
	var line *lineCommands
	for at := 0; at < len(text); {
		if len(f.Paths) >= maxFacts {
			f.miss(r.File, MissedTooMany, "more paths than are judged")
			return
		}
		start, end := pathToken(text, at)
		if start < 0 {
			return
		}
		at = end
		token := strings.TrimRight(text[start:end], ".,:;")
		class, own := ClassOf(token)
		if class == "" {
			continue
		}
		p := Path{Place: r.At(start, start+len(token)), Standing: r.StandingAt(start), Text: token, Class: class, Own: own}
		switch r.Medium {
		case Prose, Comment, Frontmatter:
			p.Access = told(text, start)
		case CodeSpan:
			// A span with nothing but the path is part of its sentence.
			if strings.TrimSpace(text) == token {
				p.Access = toldAround(r.Intro, token)
				break
			}
			fallthrough
		default:
			if line == nil {
				line = f.commandsOf(r)
			}
			p.Access = line.access(p.Place, token)
			if p.Access == Named && line.none {
				if r.Medium == Fence && (r.Lang == "" || r.Lang == "txt" || r.Lang == "md") {
					p.Access = told(text, start)
				} else {
					p.Access = codeAccess(text, start)
				}
			}
			if r.Medium == Code && remark(text, start) {
				p.Medium, p.Access = CodeComment, Named
			}
		}
		f.Paths = append(f.Paths, p)
	}
}

// pathToken finds the next word that may be a path, from a place on.
func pathToken(text string, at int) (int, int) {
	for i := at; i < len(text); i++ {
		if !pathByte(text[i]) {
			continue
		}
		start := i
		sign := false
		for i < len(text) {
			c := text[i]
			switch {
			case pathByte(c), c == '\\' && i+1 < len(text) && (pathByte(text[i+1]) || text[i+1] == '\\' || text[i+1] == ' '):
				sign = sign || c == '/' || c == '\\' || c == '.'
			case c == ' ' && i > start && (text[i-1] == '\\' || spaced(text[start:i], text[i+1:])):
			case c == ':' && i+1 < len(text) && (text[i+1] == '\\' || text[i+1] == '/') && i-start == 1, c == ':' && strings.HasSuffix(text[start:i], "$env"):
			case c == '{' || c == '}' || c == '(' || c == ')':
				if c != '{' && c != '}' || i == start {
					goto done
				}
			default:
				goto done
			}
			i++
		}
	done:
		if strings.HasPrefix(text[start:i], "-") && start > 0 && text[start-1] == ':' && strings.HasSuffix(text[start:i], "}") {
			// The value of a variable that has none: ${NAME:-path}.
			return start + 1, i - 1
		}
		if sign && i-start > 3 && i-start < 512 && !strings.HasPrefix(text[i:], "://") && !strings.Contains(text[start:i], "://") {
			return start, i
		}
	}
	return -1, -1
}

func pathByte(c byte) bool {
	return letter(c) || netDigit(c) || strings.IndexByte("_./~$%-+*@", c) >= 0 || c >= 0x80
}

// spaced reports whether a blank is inside a name that has one.
func spaced(head, tail string) bool {
	for _, name := range [...][2]string{
		{"Application", "Support"}, {"User", "Data"}, {"Start", "Menu"}, {"Login", "Data"}, {"Web", "Data"}, {"Local", "State"}, {"Local", "Extension"}, {"Extension", "Settings"}, {"Local", "Storage"}, {"Program", "Files"}, {"Google", "Chrome"},
	} {
		if strings.HasSuffix(head, name[0]) && strings.HasPrefix(tail, name[1]) && strings.ContainsAny(head, `/\`) {
			return true
		}
	}
	return false
}

// ClassOf says what a path stands for, and whether it is the user's own or of the
// whole machine. It is as a text has it: with ~, variables, slashes of either kind.
func ClassOf(path string) (class PathClass, own bool) {
	if len(path) > 1024 || len(path) < 3 {
		return "", false
	}
	if path[0] != '.' && strings.IndexByte(path, '/') < 0 && strings.IndexByte(path, '\\') < 0 && !bareName(path) {
		return "", false
	}
	p := strings.ToLower(path)
	if strings.IndexByte(p, '\\') >= 0 {
		p = strings.ReplaceAll(strings.ReplaceAll(p, `\ `, " "), `\\`, "/")
		p = strings.ReplaceAll(p, `\`, "/")
	}
	p = strings.TrimRight(p, "/*")
	own = strings.HasPrefix(p, "~") || strings.HasPrefix(p, "$home") || strings.HasPrefix(p, "${home}") || strings.HasPrefix(p, "%") || strings.HasPrefix(p, "$env:") ||
		strings.HasPrefix(p, "/home/") || strings.HasPrefix(p, "/users/") || strings.HasPrefix(p, "/root/") || strings.HasPrefix(p, "c:/users/") || strings.HasPrefix(p, "/etc/")
	for _, example := range [...]string{".example", ".sample", ".template", ".dist", ".pub", ".tmpl", ".defaults", ".schema"} {
		if strings.HasSuffix(p, example) {
			return "", own
		}
	}
	if c := storeOf(p); c != "" {
		return c, own
	}
	switch kind, mine := host.ReadAgentFile(p); kind {
	case host.AgentSettings:
		return AgentConfig, mine
	case host.AgentMemory:
		return AgentMemory, mine
	case host.AgentHistory:
		return AgentHistory, mine
	case host.AgentLogin:
		return AgentSecret, mine
	case host.AgentDefinition:
		return AgentDefinition, mine
	}
	base := p[strings.LastIndexByte(p, '/')+1:]
	if base == ".env" || strings.HasPrefix(base, ".env.") && !strings.Contains(base, "{") && len(base) < 24 {
		return EnvFile, own
	}
	return "", own
}

// bareName reports whether a name without a directory may be one of those that stand
// for something by themselves. Most words of code with a dot are not.
func bareName(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "md", "MD", "dat", "db", "json", "jsonc", "sqlite", "kdbx", "ppk", "dit", "keychain", "keychain-db", "yml", "fish", "ps1", "local", "py", "seco", "binarycookies":
		return true
	}
	return strings.HasPrefix(name, "id_") || strings.HasPrefix(name, "UTC--") || strings.HasSuffix(name, "netrc")
}

// at reports whether a path is, or ends in, a name of one or more parts.
func at(path, name string) bool {
	return strings.HasSuffix(path, name) && (len(path) == len(name) || path[len(path)-len(name)-1] == '/')
}

// below reports whether a directory, of one or more parts, is in a path.
func below(path, dir string) bool {
	i := strings.Index(path, dir)
	if i < 0 || i > 0 && path[i-1] != '/' {
		return false
	}
	rest := path[i+len(dir):]
	return rest == "" || rest[0] == '/'
}

// keyFiles are files with keys and passwords, by the ends of their paths.
var keyFiles = [...]string{
	".aws/credentials", ".boto", ".cargo/credentials", ".cargo/credentials.toml", ".composer/auth.json", ".config/gh/hosts.yml", ".config/hub", ".config/rclone/rclone.conf", ".config/glab-cli/config.yml", ".docker/config.json",
	".gem/credentials", ".git-credentials", ".kube/config", ".netrc", "_netrc", ".my.cnf", ".pgpass", ".pypirc", ".rclone.conf", ".s3cfg", ".terraform.d/credentials.tfrc.json", ".terraformrc", ".vault-token", ".databrickscfg", ".snowsql/config",
	"application_default_credentials.json", "etc/shadow", "etc/gshadow", "etc/master.passwd", "login.keychain", "login.keychain-db", "system.keychain", "ntds.dit", "system32/config/sam", "proc/self/environ", "accesstokens.json", "msal_token_cache.json", "msal_token_cache.bin",
	".local/share/keyrings", ".fly/config.yml", ".config/doctl/config.yaml", ".heroku/credentials.json", ".config/stripe/config.toml", ".huggingface/token", ".cache/huggingface/token", ".kaggle/kaggle.json", ".npmrc",
}

// keyDirs are directories in which there is nothing else.
var keyDirs = [...]string{
	".aws/sso/cache", ".azure", ".config/gcloud", ".config/op", ".gnupg", ".password-store", "library/keychains", "var/run/secrets", "run/secrets", "microsoft/credentials", "microsoft/protect", "microsoft/vault", ".config/1password", ".bitwarden", ".config/bitwarden cli", ".local/share/kwalletd",
}

// walletParts are in the paths of keys of money.
var walletParts = [...]string{
	".bitcoin", ".electrum", "electrum/wallets", ".ethereum/keystore", "ethereum/keystore", "exodus.wallet", "exodus", ".config/solana", ".solana", ".monero", "atomic/local storage", "atomicwallet", "ledger live", "com.liberty.jaxx", "coinomi", "guarda", ".armory", ".multibit", "zcash", ".foundry/keystores", ".brownie/accounts", ".near-credentials", ".sui/sui_config", ".aptos",
	"nkbihfbeogaeaoehlefnkodbefgpgknn", "bfnaelmomeimhlpmgjnjophhpkkoljpa", "local extension settings",
}

// browserParts are in the paths of the stores of browsers.
var browserParts = [...]string{
	"google/chrome/user data", "google/chrome/default", "google/chrome", ".config/google-chrome", ".config/chromium", "chromium/user data", ".mozilla/firefox", "mozilla/firefox/profiles", "firefox/profiles", "bravesoftware", "microsoft/edge/user data", "microsoft edge", "opera software", "vivaldi/user data", "library/cookies", "library/safari", "arc/user data",
}

// storeOf says which store of secrets, or which file that runs by itself, a path is.
func storeOf(p string) PathClass {
	base := p[strings.LastIndexByte(p, '/')+1:]
	switch {
	case below(p, ".ssh"):
		if base == "authorized_keys" || base == "rc" || base == "environment" {
			return Startup
		}
		if base == "known_hosts" || base == "config" || strings.HasPrefix(base, "known_hosts") {
			return ""
		}
		return Credential
	case strings.HasPrefix(base, "id_rsa"), strings.HasPrefix(base, "id_ed25519"), strings.HasPrefix(base, "id_ecdsa"), strings.HasSuffix(base, ".kdbx"), strings.HasSuffix(base, ".ppk"), strings.HasPrefix(p, "/proc/") && base == "environ":
		return Credential
	case base == "wallet.dat", base == "seed.seco", strings.HasPrefix(base, "utc--"):
		return Wallet
	case base == "login data", base == "cookies.sqlite", base == "logins.json", base == "key4.db", base == "web data" && strings.Contains(p, "/"), base == "cookies.binarycookies":
		return Browser
	}
	for _, name := range keyFiles {
		if at(p, name) {
			// Without a home before it such a file is the project's.
			if name == ".npmrc" && !strings.HasPrefix(p, "~") && !strings.Contains(p, "home") && !strings.Contains(p, "user") && !strings.Contains(p, "/root") {
				return ""
			}
			return Credential
		}
	}
	if base == "" || strings.IndexByte(p, '/') < 0 && base[0] != '.' {
		return ""
	}
	for _, dir := range keyDirs {
		if below(p, dir) {
			return Credential
		}
	}
	if strings.Contains(p, "~") || strings.Contains(p, "home") || strings.Contains(p, "user") || strings.Contains(p, "library") || strings.Contains(p, "appdata") || strings.Contains(p, ".config") || base[0] == '.' || p[0] == '.' {
		for _, part := range walletParts {
			if below(p, part) {
				return Wallet
			}
		}
		for _, part := range browserParts {
			if below(p, part) && !strings.HasSuffix(p, ".app") && !strings.Contains(p, ".app/") {
				return Browser
			}
		}
	}
	return startOf(p, base)
}

// startFiles are what shells and systems run by themselves, in order.
var startFiles = [...]string{
	".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".cshrc", ".login", ".profile", ".tcshrc", ".xinitrc", ".xprofile", ".xsession", ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc", "bash.bashrc", "config.fish", "crontab", "microsoft.powershell_profile.ps1", "rc.local", "sitecustomize.py", "usercustomize.py",
}

func startOf(p, base string) PathClass {
	if _, ok := slices.BinarySearch(startFiles[:], base); ok {
		return Startup
	}
	for _, dir := range [...]string{
		"library/launchagents", "library/launchdaemons", "etc/cron.d", "etc/cron.daily", "etc/cron.hourly", "etc/cron.weekly", "var/spool/cron", "etc/systemd", "systemd/user", "lib/systemd", "etc/init.d", "etc/profile.d", ".config/autostart", "start menu/programs/startup", "currentversion/run", "currentversion/runonce", ".git/hooks", "etc/profile", "etc/zshrc", "etc/launchd.conf",
	} {
		if below(p, dir) {
			return Startup
		}
	}
	for _, file := range [...]string{"etc/passwd", "etc/hosts", "etc/sudoers", "etc/resolv.conf", "etc/ld.so.preload", "etc/fstab", "etc/ssh/sshd_config"} {
		if at(p, file) && (p[0] == '/' || strings.Contains(p, "../")) {
			return System
		}
	}
	for _, dir := range [...]string{"/etc/sudoers.d", "/etc/pam.d", "c:/windows/system32", "/boot"} {
		if strings.HasPrefix(p, dir) && below(p[1:], strings.TrimPrefix(dir, "/")) {
			return System
		}
	}
	return ""
}
