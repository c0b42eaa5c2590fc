#!/bin/sh
# Installs Vade {{.Version}} into $VADE_INSTALL_DIR, or ~/.local/bin. On Windows use Git Bash.
# The archive comes from $VADE_DOWNLOADS (a URL or a directory), or the release page.
set -eu

fail() { echo "install.sh: $*" >&2; exit 1; }

downloads=${VADE_DOWNLOADS:-{{.Downloads}}}
dir=${VADE_INSTALL_DIR:-$HOME/.local/bin}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
MINGW* | MSYS*) os=windows ;;
*) fail "Vade does not support $(uname -s)" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "Vade does not support the processor architecture $(uname -m)" ;;
esac

case $os/$arch in
{{- range $t := targets}}
{{$t}}) archive={{archive $t}} want={{sum $t}} ;;
{{- end}}
*) fail "this release does not include a program for $os/$arch" ;;
esac

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case $downloads in
http://* | https://*)
	if command -v curl >/dev/null; then
		curl -fsSL -o "$tmp/$archive" "$downloads/$archive" || fail "cannot download $downloads/$archive"
	elif command -v wget >/dev/null; then
		wget -qO "$tmp/$archive" "$downloads/$archive" || fail "cannot download $downloads/$archive"
	else
		fail "curl or wget is required; install one of them"
	fi
	;;
*) cp "$downloads/$archive" "$tmp/$archive" || fail "cannot copy $downloads/$archive" ;;
esac

if command -v sha256sum >/dev/null; then
	sum=$(sha256sum "$tmp/$archive")
else
	sum=$(shasum -a 256 "$tmp/$archive")
fi
[ "${sum%% *}" = "$want" ] || fail "the checksum of $archive is ${sum%% *}, but should be $want; nothing was installed"

program=vade
case $archive in
*.zip) program=vade.exe && unzip -q "$tmp/$archive" -d "$tmp" ;;
*) tar -xzf "$tmp/$archive" -C "$tmp" ;;
esac
name=${archive%.zip}
mkdir -p "$dir"
# Replace the program in one step, even if it is running.
cp "$tmp/${name%.tar.gz}/$program" "$dir/.$program.new"
chmod 755 "$dir/.$program.new"
mv -f "$dir/.$program.new" "$dir/$program"
echo "installed $dir/$program"
case :$PATH: in
*":$dir:"*) ;;
*) echo "add $dir to PATH to run it as vade" ;;
esac
