package fact

import "strings"

// Asset is what an address on a forge of code leads to.
type Asset struct {
	// Forge is the service, Owner and Repo say whose it is.
	Forge, Owner, Repo string
	// What is "release" for an asset of a release, "raw" for a file as it is,
	// "archive" for the whole repository, "releases" for the list of releases, "" for
	// a page.
	What string
	// Tag is the name of the release or of the branch, Name that of the file.
	Tag, Name string
}

// Forge splits an address on a forge of code; ok is false for others.
func Forge(u *URL) (Asset, bool) {
	a := Asset{Forge: u.Host}
	part := strings.Split(strings.Trim(cutQuery(u.Route), "/"), "/")
	if len(part) > 32 {
		part = part[:32]
	}
	switch u.Host {
	case "github.com", "www.github.com", "gitlab.com", "gitee.com", "codeberg.org", "bitbucket.org", "gitea.com", "git.sr.ht", "sourceforge.net":
	case "raw.githubusercontent.com", "raw.github.com", "raw.gitmirror.com", "cdn.jsdelivr.net", "raw.githack.com", "rawcdn.githack.com":
		if part[0] == "gh" {
			part = part[1:]
		} else if u.Host == "cdn.jsdelivr.net" {
			return Asset{}, false
		}
		if len(part) < 3 {
			return Asset{}, false
		}
		repo, tag, pinned := strings.Cut(part[1], "@")
		if !pinned {
			tag = part[2]
		}
		return Asset{u.Host, strings.ToLower(part[0]), strings.ToLower(repo), "raw", tag, part[len(part)-1]}, true
	case "objects.githubusercontent.com", "codeload.github.com":
		if len(part) < 2 {
			return Asset{}, false
		}
		return Asset{u.Host, strings.ToLower(part[0]), strings.ToLower(part[1]), "archive", "", part[len(part)-1]}, true
	default:
		// Proxies of forges carry the whole address in their route.
		if i := strings.Index(u.Route, "github.com/"); i >= 0 && i < 64 {
			inner := URL{Host: "github.com", Route: u.Route[i+len("github.com"):]}
			return Forge(&inner)
		}
		return Asset{}, false
	}
	if len(part) < 2 || part[0] == "" || reservedOwner(part[0]) {
		return Asset{}, false
	}
	a.Owner, a.Repo = strings.ToLower(part[0]), strings.ToLower(strings.TrimSuffix(part[1], ".git"))
	rest := part[2:]
	for len(rest) > 0 && rest[0] == "-" {
		rest = rest[1:]
	}
	switch {
	case len(rest) >= 4 && rest[0] == "releases" && rest[1] == "download":
		a.What, a.Tag, a.Name = "release", rest[2], rest[len(rest)-1]
	case len(rest) >= 4 && rest[0] == "releases" && rest[1] == "latest" && rest[2] == "download":
		a.What, a.Tag, a.Name = "release", "", rest[len(rest)-1]
	case len(rest) >= 1 && rest[0] == "releases", len(rest) >= 1 && rest[0] == "files":
		a.What = "releases"
	case len(rest) >= 2 && (rest[0] == "raw" || rest[0] == "blob") && u.Host != "codeberg.org", len(rest) >= 3 && rest[0] == "raw":
		a.Tag, a.Name = rest[1], rest[len(rest)-1]
		if rest[0] == "raw" || strings.Contains(u.Route, "raw=true") {
			a.What = "raw"
		}
	case len(rest) >= 1 && (rest[0] == "archive" || rest[0] == "zipball" || rest[0] == "tarball" || rest[0] == "downloads"):
		a.What, a.Name = "archive", rest[len(rest)-1]
	}
	return a, true
}

// reservedOwner are first parts of the routes of forges that are no accounts.
func reservedOwner(s string) bool {
	switch s {
	case "about", "apps", "collections", "contact", "customer-stories", "enterprise", "explore", "features", "help", "login", "marketplace", "new", "notifications", "orgs", "pricing", "search", "security",
		"settings", "sponsors", "stars", "topics", "trending", "user-attachments", "dashboard", "groups":
		return true
	}
	return false
}

// registries are where packages and installers come from whose names someone
// answers for.
var registries = [...]string{
	"anaconda.org", "apache.org", "apple.com", "apps.apple.com", "apt.llvm.org", "archive.ubuntu.com", "archlinux.org", "astral.sh", "bioconductor.org",
	"brew.sh", "bun.com", "bun.sh", "chocolatey.org", "cli.github.com", "cloud.google.com", "conda.io", "cran.r-project.org", "crates.io", "debian.org",
	"deno.com", "deno.land", "developer.apple.com", "dl.google.com", "dl.k8s.io", "docker.com", "docker.io", "dotnet.microsoft.com",
	"download.docker.com", "download.microsoft.com", "download.oracle.com", "fedoraproject.org", "ffmpeg.org", "files.pythonhosted.org", "flathub.org",
	"formulae.brew.sh", "get.docker.com", "get.helm.sh", "get.pnpm.io", "ghcr.io", "git-scm.com", "go.dev", "golang.org", "google.com", "gradle.org",
	"hashicorp.com", "hub.docker.com", "huggingface.co", "index.crates.io", "install.python-poetry.org", "jetbrains.com", "k8s.io", "kernel.org",
	"kubernetes.io", "libreoffice.org", "marketplace.visualstudio.com", "maven.org", "mcr.microsoft.com", "microsoft.com", "mozilla.org",
	"mvnrepository.com", "nixos.org", "nodejs.org", "npmjs.com", "npmjs.org", "nuget.org", "ollama.com", "openjdk.org", "oracle.com", "packagist.org",
	"pecl.php.net", "pip.pypa.io", "pkg.go.dev", "playwright.dev", "pnpm.io", "postgresql.org", "powershellgallery.com", "pub.dev", "pypi.org",
	"pypi.python.org", "python.org", "pythonhosted.org", "quay.io", "registry.npmjs.org", "releases.hashicorp.com", "repo.maven.apache.org",
	"repo1.maven.org", "ruby-lang.org", "rubygems.org", "rust-lang.org", "rustup.rs", "sdkman.io", "sh.rustup.rs", "snapcraft.io", "sqlite.org",
	"static.rust-lang.org", "swift.org", "terraform.io", "ubuntu.com", "unpkg.com", "visualstudio.com", "winget.run", "yarnpkg.com", "ziglang.org",
}

// RegistryHost reports whether a host is one of those from which programs and packages
// come by name: someone answers for who published what.
func RegistryHost(host string) bool { return inTable(registries[:], host) }

// personalPages are services that give a name below their own to everybody.
var personalPages = [...]string{
	"000webhostapp.com", "appspot.com", "azurewebsites.net", "bitbucket.io", "blob.core.windows.net", "blogspot.com", "cloudfront.net", "codeberg.page",
	"deno.dev", "firebaseapp.com", "fly.dev", "framer.app", "framer.website", "gitbook.io", "github.io", "gitlab.io", "glitch.me", "herokuapp.com",
	"neocities.org", "netlify.app", "notion.site", "onrender.com", "pages.dev", "r2.dev", "railway.app", "render.com", "repl.co", "replit.app",
	"replit.dev", "s3.amazonaws.com", "sites.google.com", "surge.sh", "vercel.app", "web.app", "weebly.com", "wixsite.com", "wordpress.com",
	"workers.dev",
}

// PersonalHost reports whether a host is a name that everybody gets on a service.
func PersonalHost(host string) bool { return inTable(personalPages[:], host) }

// Site is the part of a host that one owner has: files.example of dl.files.example,
// someone.github.io of that.
func Site(host string) string {
	if addr, _, ok := hostAddress(host); ok {
		return addr.String()
	}
	part := strings.Split(host, ".")
	keep := 2
	if n := len(part); n > 2 && len(part[n-1]) == 2 && shortSecond(part[n-2]) {
		keep = 3
	}
	if PersonalHost(host) {
		keep++
		if strings.HasSuffix(host, ".s3.amazonaws.com") || strings.HasSuffix(host, ".core.windows.net") {
			keep++
		}
	}
	if len(part) <= keep {
		return host
	}
	return strings.Join(part[len(part)-keep:], ".")
}

func shortSecond(s string) bool {
	switch s {
	case "ac", "co", "com", "edu", "gov", "ne", "net", "or", "org":
		return true
	}
	return false
}

func cutQuery(route string) string {
	if i := strings.IndexAny(route, "?#"); i >= 0 {
		return route[:i]
	}
	return route
}
