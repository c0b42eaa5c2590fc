package fact

// programs are names with which a command begins in code that does not say what it
// is, in order.
var programs = [...]string{
	"7z", "7za", "adb", "add-mppreference", "alembic", "alias", "ansible", "ansible-playbook", "apk", "apt", "apt-get", "aptitude", "arch",
	"at", "attrib", "awk", "aws", "az", "base32", "base64", "bash", "bcdedit", "bcedit", "bitsadmin", "black", "bore", "brew", "buildah",
	"bun", "bundle", "bunx", "bzip2", "cabal", "cargo", "cat", "cd", "certutil", "chattr", "chmod", "choco", "chown", "chroot", "cipher",
	"clojure", "cloudflared", "cmake", "cmd", "code", "composer", "conda", "convert", "cp", "crontab", "csh", "csrutil", "curl", "dart",
	"dash", "date", "dd", "defaults", "del", "deno", "dig", "diskpart", "diskutil", "dnf", "doas", "docker", "docker-compose", "docker.io",
	"dotnet", "dpkg", "dscl", "echo", "elixir", "env", "eslint", "eval", "exec", "export", "fastboot", "fdesetup", "fdisk", "ffmpeg", "find",
	"firebase", "fish", "flatpak", "flutter", "for", "format", "function", "gcloud", "gem", "gh", "ghc", "git", "gitleaks", "go", "gpg",
	"gradle", "grep", "groovy", "gs", "gsutil", "gunzip", "gzip", "hdiutil", "head", "helm", "heroku", "hf", "history", "huggingface-cli",
	"icacls", "iex", "if", "inkscape", "invoke-expression", "invoke-restmethod", "invoke-webrequest", "iptables", "irm", "iwr", "java",
	"javac", "jest", "jq", "julia", "kill", "killall", "kotlin", "kotlinc", "ksh", "kubectl", "latex", "launchctl", "lein", "libreoffice",
	"ln", "ls", "lsof", "lua", "magick", "make", "mix", "mkdir", "mkfifo", "mkfs", "mongo", "mount", "mshta", "msiexec", "mv", "mvn", "mypy",
	"mysql", "nc", "ncat", "nerdctl", "net", "netcat", "netlify", "netsh", "networksetup", "new-item", "new-object", "new-scheduledtask",
	"new-scheduledtaskaction", "next", "ng", "ngrok", "nix", "node", "nohup", "npm", "npx", "nslookup", "nuxt", "nvram", "octave", "ollama",
	"open", "openclaw", "openssl", "osascript", "pacman", "pandoc", "pbcopy", "pbpaste", "pdflatex", "pdftotext", "perl", "php", "ping",
	"pip", "pip3", "pipx", "pkexec", "pkill", "playwright", "pmset", "pnpm", "podman", "poetry", "port", "powershell", "prettier", "printenv",
	"printf", "psql", "pub", "pwsh", "pytest", "python", "python2", "python3", "qpdf", "r", "rails", "rake", "rar", "redis-cli", "reg",
	"register-scheduledtask", "regsvr32", "rev", "rm", "rmdir", "rscript", "rsync", "ruby", "ruff", "rundll32", "rustup", "say", "sbt",
	"scala", "schtasks", "scoop", "scp", "screen", "screencapture", "scutil", "security", "sed", "service", "set", "set-executionpolicy",
	"set-mppreference", "setenforce", "setsid", "setx", "sh", "shred", "skopeo", "snap", "socat", "soffice", "source", "spctl", "sqlite3",
	"ssh", "stack", "start-bitstransfer", "start-process", "stat", "su", "sudo", "supabase", "swift", "systemctl", "systemsetup", "tail",
	"takeown", "tar", "tccutil", "tee", "terraform", "timeout", "tmux", "tor", "touch", "tox", "tr", "tsc", "ufw", "umount", "uname", "unrar",
	"unset", "unzip", "uv", "uvx", "vagrant", "vercel", "virtualenv", "vite", "vitest", "vssadmin", "wbadmin", "wget", "while", "whoami",
	"winget", "wmic", "wrangler", "wsl", "xargs", "xattr", "xdg-open", "xelatex", "xmrig", "xxd", "yarn", "yum", "zip", "zsh",
}
