package policy

import (
	"slices"
	"strings"
)

// judgeVersion checks a command line that prints a program's version, such as "node --version". If
// argv is a different command, the last result is false and the others are nil. Only programs that
// are known to print their version and do nothing else are allowed. They run outside the project,
// because many programs choose a version based on a project file, and some would download that
// version.
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
		return nil, notAllowed(argv[0] + " " + question), true
	}
	return nil, nil, false
}

// versionForms returns the arguments that print a program's version, separated by commas, or "". It
// omits programs that start a daemon or a program from the project (gradle, sbt, bazel), use the
// network (terraform, flutter, gcloud) or name a script (anything with a slash). Clients that
// normally contact a server are allowed only with a flag that prevents this.
func versionForms(tool string) string {
	for _, row := range []struct{ forms, tools string }{
		{"--version,-v", "node npm npx pnpm yarn bun tsc tsx ts-node corepack ruby gem bundle bundler rake irb lua " +
			"luajit php perl nim make gmake esbuild vite webpack rollup parcel lerna swc gulp grunt " +
			"eslint prettier stylelint jest vitest playwright biome standard oxlint docker podman buildah " +
			"skopeo nerdctl redis-cli redis-server pandoc"},
		{"--version,-V", "deno python python2 python3 pip pip3 pipx uv uvx poetry pdm hatch conda mamba micromamba " +
			"pipenv rustc cargo rustup rustfmt wasm-pack trunk psql pg_dump pg_config mysql mysqldump " +
			"mariadb jq curl wget yq rg fd fdfind bat batcat delta sd hyperfine tokei ast-grep difft"},
		{"--version,-V,-version", "composer kotlin kotlinc groovy"},
		{"--version,-version", "java javac sqlite3"},
		{"--version", "jshell julia R Rscript elixir mix ghc cabal swift swiftc dart crystal racket pwsh dotnet " +
			"raku gcc g++ cc c++ clang clang++ ld gfortran cmake ctest ninja meson autoconf automake " +
			"bison flex pkg-config ccache nvcc protoc buf nasm doxygen xmake scons conan just task mocha " +
			"ruff black isort mypy pyright flake8 pylint pytest tox nox pre-commit coverage bandit " +
			"shellcheck yamllint hadolint markdownlint codespell vale clang-format clang-tidy " +
			"ansible-lint phpunit phpstan swiftlint shfmt gofumpt typos taplo aws az gh ansible " +
			"ansible-playbook crane oras rclone restic borg mongod mongosh mongo clickhouse-client duckdb " +
			"fzf eza exa rsync bash zsh fish gpg vim nvim emacs nano less entr tar gawk patch gzip xz " +
			"zstd pdflatex xelatex lualatex tesseract gs gnuplot age apt apt-get dpkg nix"},
		{"-version", "xcodebuild ocaml actionlint staticcheck ffmpeg ffprobe convert magick"},
		{"version", "go zig kustomize kind k3d cosign syft hugo direnv"},
		{"-v,--version,-version", "mvn ant"},
		{"-v,-V,--version", "rubocop"},
		{"--version,version", "golangci-lint caddy"},
		{"--version,-v,version", "docker-compose podman-compose"},
		{"version --client,version --client=true,version --client -o json," +
			"version --client --output=json,version --client -o yaml,version --client --output=yaml",
			"kubectl oc"},
		{"version,version --short,version --client,version --client --short,version --short --client", "helm"},
		{"-v", "nginx haproxy pdftotext"},
		{"-V", "tmux ssh dot"},
		{"version,version -a,version -v", "openssl"},
	} {
		if slices.Contains(strings.Fields(row.tools), tool) {
			return row.forms
		}
	}
	return ""
}
