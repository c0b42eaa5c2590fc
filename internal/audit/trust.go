package audit

import (
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/fact"
	agents "github.com/vadehq/vade/internal/host"
)

// trusted says how far one can know what an address gives.
type trusted uint8

const (
	// own is one's own machine or network; installer is a project's own, widely used
	// place for its installer.
	own trusted = iota
	installer
	// stranger is any other place over TLS, open one that does not show in the text.
	open
	stranger
	// exposed is without TLS, dropped a place where anyone leaves texts and files
	// without a name, numbered a public address in numbers.
	exposed
	dropped
	numbered
)

// String says it for a message.
func (t trusted) String() string {
	return [...]string{"this machine", "a known installer", "an address that does not show", "a host that is no known installer", "an address without TLS", "a place where anyone can leave texts or files", "a bare IP address"}[t]
}

// trust judges an address.
func trust(url string) trusted {
	scheme, host, path := splitURL(url)
	switch {
	case scheme == "dns":
		return dropped
	case host == "" || strings.ContainsAny(host, "{}<>$%()…") || strings.Contains(host, "..."):
		return open
	case fact.PlaceholderHost(host):
		// A name that stands for others is no reason to stop, and none to trust.
		return stranger
	case fact.PublicIP(host):
		return numbered
	case fact.PrivateHost(host):
		return own
	case fact.KindOf(host, path) != "":
		return dropped
	case installerHost(host, path):
		return installer
	case scheme == "http" || scheme == "ftp" || scheme == "tftp":
		return exposed
	}
	return stranger
}

// splitURL takes an address apart. What has no scheme has the one that "" stands for.
func splitURL(url string) (scheme, host, path string) {
	url = strings.Trim(url, `"'<>`)
	rest := url
	if i := strings.Index(url, "://"); i >= 0 {
		scheme, rest = strings.ToLower(url[:i]), url[i+3:]
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, path = rest[:end], rest[end:]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if strings.HasPrefix(host, "[") {
		if i := strings.IndexByte(host, ']'); i > 0 {
			return scheme, host[:i+1], path
		}
	}
	host, _, _ = strings.Cut(host, ":")
	return scheme, strings.TrimSuffix(strings.ToLower(host), "."), path
}

// installerHosts are the places from which projects that are known give their
// installers: a host, or a host with the head of a path.
var installerHosts = [...]string{
	"aka.ms/", "antigravity.google/", "app.factory.ai/cli", "apt.llvm.org/", "apt.releases.hashicorp.com/", "aspire.dev/", "astral.sh/",
	"atuin.sh/", "awscli.amazonaws.com/", "bootstrap.pypa.io/", "bun.com/", "bun.sh/", "chocolatey.org/",
	"cli-assets.heroku.com/", "cli.doppler.com/", "cli.github.com/", "cli.nexttrace.org/", "cli.run.nu/", "cli.sentry.dev/",
	"code-server.dev/", "community.chocolatey.org/", "deb.nodesource.com/", "deno.land/", "developers.cloudflare.com/",
	"devenv.sh/", "direnv.net/", "dist.apache.org/", "dl.google.com/", "dl.k8s.io/", "dl.min.io/", "docs.astral.sh/", "dot.net/",
	"download.docker.com/", "downloads.vercel.com/", "encore.dev/", "fluxcd.io/", "fly.io/", "flyctl.io/",
	"foundry.paradigm.xyz", "get-ghcup.haskell.org", "get.armbian.com/", "get.datree.io", "get.docker.com", "get.gitpod.io", "get.helm.sh/",
	"get.jetify.com/", "get.k3s.io", "get.nexte.st/", "get.nushell.sh/", "get.opentofu.org/", "get.please.build", "get.pnpm.io/",
	"get.pulumi.com", "get.rvm.io", "get.scoop.sh", "get.sdkman.io", "get.tur.so/", "get.volta.sh", "get.zed.dev/", "getcomposer.org/",
	"github.com/block/goose/", "go.dev/", "go.microsoft.com/", "infisical.com/", "install.determinate.systems/", "install.duckdb.org/",
	"install.meteor.com/", "install.python-poetry.org", "istio.io/downloadIstio", "k3d.io/", "micro.mamba.pm/", "mise.jdx.dev/", "mise.run",
	"moonrepo.dev/", "nixos.org/nix/install", "nodejs.org/", "npmjs.com/install.sh", "ohmyposh.dev/", "ollama.ai/install.sh",
	"ollama.com/install", "openclaw.ai/install", "packages.microsoft.com/", "pixi.sh/", "pkgs.k8s.io/",
	"proto.moonrepo.dev", "pyenv.run", "railway.app/", "railway.com/", "raw.githubusercontent.com/Homebrew/install/",
	"raw.githubusercontent.com/Microsoft/", "raw.githubusercontent.com/anchore/", "raw.githubusercontent.com/anthropics/",
	"raw.githubusercontent.com/aquasecurity/", "raw.githubusercontent.com/argoproj/", "raw.githubusercontent.com/asdf-vm/",
	"raw.githubusercontent.com/aws/", "raw.githubusercontent.com/block/goose/", "raw.githubusercontent.com/cargo-bins/", "raw.githubusercontent.com/cloudflare/",
	"raw.githubusercontent.com/creationix/nvm/", "raw.githubusercontent.com/dapr/", "raw.githubusercontent.com/docker/",
	"raw.githubusercontent.com/dotnet/", "raw.githubusercontent.com/github/", "raw.githubusercontent.com/golangci/golangci-lint/",
	"raw.githubusercontent.com/google/", "raw.githubusercontent.com/hashicorp/",
	"raw.githubusercontent.com/helm/helm/", "raw.githubusercontent.com/jesseduffield/", "raw.githubusercontent.com/junegunn/",
	"raw.githubusercontent.com/k3d-io/k3d/", "raw.githubusercontent.com/kubernetes-sigs/", "raw.githubusercontent.com/kubernetes/",
	"raw.githubusercontent.com/microsoft/", "raw.githubusercontent.com/mitchellh/", "raw.githubusercontent.com/nvm-sh/nvm/",
	"raw.githubusercontent.com/ohmyzsh/ohmyzsh/", "raw.githubusercontent.com/openai/", "raw.githubusercontent.com/pyenv/",
	"raw.githubusercontent.com/pypa/", "raw.githubusercontent.com/rancher/k3d/", "raw.githubusercontent.com/semgrep/",
	"raw.githubusercontent.com/trufflesecurity/", "raw.githubusercontent.com/vercel/", "raw.githubusercontent.com/zsh-users/",
	"release.anza.xyz/", "release.solana.com/", "releases.hashicorp.com/", "repo.anaconda.com/", "rpm.nodesource.com/", "run.linkerd.io/",
	"rustup.rs", "rustwasm.github.io/", "scoop.sh", "sdk.cloud.google.com", "sentry.io/get-cli/", "setup.atuin.sh", "sh.rustup.rs",
	"starship.rs/", "static.rust-lang.org/", "storage.googleapis.com/kubernetes", "tailscale.com/", "tilt.dev/", "toolbelt.heroku.com/",
	"turso.tech/", "warp.dev/", "win.rustup.rs", "yarnpkg.com/", "zed.dev/",
}

// installerHost reports whether an address is one of them.
func installerHost(host, path string) bool {
	host = strings.TrimPrefix(host, "www.")
	address := host + path
	return agents.Installer(address) || slices.ContainsFunc(installerHosts[:], func(known string) bool {
		if strings.Contains(known, "/") {
			return strings.HasPrefix(address, known)
		}
		return host == known
	})
}
