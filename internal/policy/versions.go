package policy

import (
	"slices"
	"strings"
)

// judgeVersion checks a command line that prints a program's version, such as "node --version".
// If argv is a different command, the last result is false and the other results are nil. Only
// programs that are known to print their version and do nothing else are allowed. They run in an
// empty directory, because many choose a version according to a project file, and some would
// download that version.
func judgeVersion(argv []string) (*Call, *Refusal, bool) {
	if len(argv) < 2 {
		return nil, nil, false
	}
	for form := range strings.SplitSeq(versionForms(argv[0]), ",") {
		if slices.Equal(strings.Fields(form), argv[1:]) {
			return &Call{Argv: slices.Clone(argv), Tool: argv[0], NeutralDir: true}, nil, true
		}
	}
	question := argv[1]
	if len(argv) == 2 && slices.Contains([]string{"--version", "-version", "-v", "-V", "version"}, question) {
		return nil, refuse(ReasonCommand, 0, argv[0]+" "+question+" is not a known version query"), true
	}
	return nil, nil, false
}

// versionForms returns the arguments that print a program's version, separated by commas, or "".
// It omits programs that start a daemon or a program of the project (gradle, sbt, bazel), use the
// network (terraform, flutter, gcloud) or name a script (anything with a slash).
func versionForms(tool string) string {
	for _, table := range []func(string) string{versionOfRuntime, versionOfBuilder, versionOfChecker, versionOfService, versionOfTool} {
		if forms := table(tool); forms != "" {
			return forms
		}
	}
	return ""
}

// versionOfRuntime covers languages and their package managers.
func versionOfRuntime(tool string) string {
	switch tool {
	case "node", "npm", "npx", "pnpm", "yarn", "bun", "tsc", "tsx", "ts-node", "corepack":
		return "--version,-v"
	case "deno":
		return "--version,-V"
	case "python", "python2", "python3", "pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "hatch", "conda", "mamba", "micromamba", "pipenv":
		return "--version,-V"
	case "ruby", "gem", "bundle", "bundler", "rake", "irb", "lua", "luajit", "php", "perl":
		return "--version,-v"
	case "composer", "kotlin", "kotlinc", "groovy":
		return "--version,-V,-version"
	case "java", "javac":
		return "--version,-version"
	case "jshell", "julia", "R", "Rscript", "elixir", "mix", "ghc", "cabal", "swift", "swiftc", "dart", "crystal", "racket", "pwsh", "dotnet", "raku":
		return "--version"
	case "xcodebuild", "ocaml":
		return "-version"
	case "go", "zig":
		return "version"
	case "rustc", "cargo", "rustup", "rustfmt":
		return "--version,-V"
	case "nim":
		return "--version,-v"
	}
	return ""
}

// versionOfBuilder covers compilers and build tools.
func versionOfBuilder(tool string) string {
	switch tool {
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "gfortran", "cmake", "ctest", "ninja", "meson", "autoconf", "automake",
		"bison", "flex", "pkg-config", "ccache", "nvcc", "protoc", "buf", "nasm", "doxygen", "xmake", "scons", "conan":
		return "--version"
	case "make", "gmake":
		return "--version,-v"
	case "mvn", "ant":
		return "-v,--version,-version"
	case "just", "task":
		return "--version"
	case "esbuild", "vite", "webpack", "rollup", "parcel", "lerna", "swc", "gulp", "grunt":
		return "--version,-v"
	case "wasm-pack", "trunk":
		return "--version,-V"
	}
	return ""
}

// versionOfChecker covers linters, formatters and test runners.
func versionOfChecker(tool string) string {
	switch tool {
	case "eslint", "prettier", "stylelint", "jest", "vitest", "playwright", "biome", "standard", "oxlint":
		return "--version,-v"
	case "mocha", "ruff", "black", "isort", "mypy", "pyright", "flake8", "pylint", "pytest", "tox", "nox", "pre-commit", "coverage", "bandit":
		return "--version"
	case "rubocop":
		return "-v,-V,--version"
	case "shellcheck", "yamllint", "hadolint", "markdownlint", "codespell", "vale", "clang-format", "clang-tidy", "ansible-lint", "phpunit", "phpstan", "swiftlint":
		return "--version"
	case "shfmt", "gofumpt", "typos", "taplo":
		return "--version"
	case "actionlint", "staticcheck":
		return "-version"
	case "golangci-lint":
		return "--version,version"
	}
	return ""
}

// versionOfService covers clients and servers. Clients that contact a server are allowed only with
// the flag that prevents that.
func versionOfService(tool string) string {
	switch tool {
	case "docker", "podman", "buildah", "skopeo", "nerdctl":
		return "--version,-v"
	case "docker-compose", "podman-compose":
		return "--version,-v,version"
	case "kubectl", "oc":
		return "version --client,version --client=true,version --client -o json,version --client --output=json,version --client -o yaml,version --client --output=yaml"
	case "helm":
		return "version,version --short,version --client,version --client --short,version --short --client"
	case "kustomize", "kind", "k3d", "cosign", "syft":
		return "version"
	case "aws", "az", "gh", "ansible", "ansible-playbook", "crane", "oras", "rclone", "restic", "borg":
		return "--version"
	case "psql", "pg_dump", "pg_config", "mysql", "mysqldump", "mariadb":
		return "--version,-V"
	case "redis-cli", "redis-server":
		return "--version,-v"
	case "sqlite3":
		return "--version,-version"
	case "mongod", "mongosh", "mongo", "clickhouse-client", "duckdb":
		return "--version"
	case "nginx", "haproxy":
		return "-v"
	case "caddy":
		return "version,--version"
	}
	return ""
}

// versionOfTool covers common tools.
func versionOfTool(tool string) string {
	switch tool {
	case "jq", "curl", "wget":
		return "--version,-V"
	case "yq", "rg", "fd", "fdfind", "bat", "batcat", "delta", "sd", "hyperfine", "tokei", "ast-grep", "difft":
		return "--version,-V"
	case "fzf", "eza", "exa", "rsync", "bash", "zsh", "fish", "gpg", "vim", "nvim", "emacs", "nano", "less", "entr":
		return "--version"
	case "tar", "gawk", "patch", "gzip", "xz", "zstd":
		return "--version"
	case "tmux", "ssh":
		return "-V"
	case "openssl":
		return "version,version -a,version -v"
	case "ffmpeg", "ffprobe", "convert", "magick":
		return "-version"
	case "pandoc":
		return "--version,-v"
	case "pdflatex", "xelatex", "lualatex", "tesseract", "gs", "gnuplot", "age":
		return "--version"
	case "pdftotext":
		return "-v"
	case "dot":
		return "-V"
	case "hugo", "direnv":
		return "version"
	case "apt", "apt-get", "dpkg", "nix":
		return "--version"
	}
	return ""
}
