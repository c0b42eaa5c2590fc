package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
)

// judgeMissing lets a command through that names a program which is not
// installed at all: like in a shell, "X: command not found" and status 127 are
// all that comes of it, which is what "X --version || echo none" waits for.
// Nothing is looked up, let alone run, when such a command's turn comes. What a
// shell does itself, and programs that are known, are refused in any case, so
// that it depends on no machine what becomes of them.
func (s *DecisionContext) judgeMissing(argv []string) (*Verdict, bool) {
	name := argv[0]
	if s.Missing == nil || strings.ContainsAny(name, "/\\=") || isShellWord(name) || isKnownProgram(name) || !s.Missing(name) {
		return nil, false
	}
	message := fmt.Sprintf("%s: command not found\n", name)
	return &Verdict{Argv: argv, Prepared: coreutils.Missing(message), Missing: true}, true
}

// isShellWord reports whether a shell has a command or a keyword of the name.
func isShellWord(name string) bool {
	return slices.Contains(strings.Fields(`. : [ [[ ]] { } ! alias bg bind break builtin caller case cd command compgen complete compopt
		continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function
		getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return
		select set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until wait
		while noglob print autoload zmodload emulate setopt vared whence where zle`), name)
}

// isKnownProgram reports whether a program is one that definitions commonly
// run, and that does more than read.
func isKnownProgram(name string) bool {
	if versionForms(name) != "" {
		return true
	}
	return slices.Contains(strings.Fields(`sh bash dash zsh ksh fish busybox sudo su doas env xargs nohup setsid timeout nice ionice stdbuf
		rm mv cp ln mkdir rmdir touch chmod chown dd tee install truncate shred mkfifo mknod mktemp sync mount umount
		ssh scp sftp rsync nc ncat netcat socat telnet ftp ping dig nslookup host traceroute ifconfig ip
		kill killall pkill ps top crontab at batch systemctl service launchctl shutdown reboot
		awk gawk mawk nawk perl ed ex vi vim nano emacs less more man view
		tar zip unzip gzip gunzip bzip2 xz 7z cpio ar base64 xxd od hexdump strings openssl gpg
		find fd locate watch parallel script expect screen tmux open osascript xdg-open pbcopy pbpaste clip
		svn hg bzr fossil cvs patch diff3 apt apt-get dpkg yum dnf apk brew port pacman snap flatpak nix choco scoop winget
		deploy printenv id w who last users passwd chsh useradd iptables nft kubectl helm docker podman vercel netlify heroku aws az gcloud`), name)
}
