package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/coreutils"
)

// judgeMissing allows a command whose program is not installed. As in a shell, the command prints
// "X: command not found" and exits with code 127, and some definitions rely on that. Vade does not
// look up the program again when the command runs. judgeMissing never allows shell builtins or
// known programs, so the decision about them does not depend on the machine.
func (s *DecisionContext) judgeMissing(argv []string) (*Verdict, bool) {
	name := argv[0]
	if s.Missing == nil || strings.ContainsAny(name, "/\\=") || isShellWord(name) || isKnownProgram(name) || !s.Missing(name) {
		return nil, false
	}
	message := fmt.Sprintf("%s: command not found\n", name)
	return &Verdict{Argv: argv, Prepared: coreutils.Missing(message), Missing: true}, true
}

// isShellWord reports whether name is a shell builtin or keyword.
func isShellWord(name string) bool {
	return slices.Contains(strings.Fields(`. : [ [[ ]] { } ! alias bg bind break builtin caller case cd command compgen complete compopt
		continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export false fc fg fi for function
		getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return
		select set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until wait
		while noglob print autoload zmodload emulate setopt vared whence where zle`), name)
}

// isKnownProgram reports whether name is a program that definitions commonly run.
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
