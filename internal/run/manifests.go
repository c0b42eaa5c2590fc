package run

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/vfs"
)

// Manifests returns patterns for the project files that define what a program runs, such as a
// makefile. The patterns use [path.Match] syntax and are relative to the working directory. The
// program may be a path and may end in a version. Call Manifests for each word of a command. This
// way, wrappers do not need special handling: "timeout 5 make" contains make.
func Manifests(program string) []string {
	program = strings.TrimRight(path.Base(program), "0123456789.")
	var patterns []string
	for line := range strings.Lines(manifestFiles) {
		if names, files, _ := strings.Cut(line, ": "); slices.Contains(strings.Fields(names), program) {
			patterns = append(patterns, strings.Fields(files)...)
		}
	}
	return patterns
}

// manifestFiles lists programs and the patterns for their files.
const manifestFiles = `
npm npx yarn yarnpkg pnpm pnpx bun bunx corepack node turbo nx eslint jest mocha playwright tsc vitest: package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml turbo.json nx.json
eslint: eslint.config.* .eslintrc*
jest: jest.config.* babel.config.* .babelrc*
mocha: .mocharc.*
playwright: playwright.config.*
tsc: tsconfig*.json
vitest: vitest.config.* vitest.workspace.* vite.config.*
deno: deno.json deno.jsonc package.json
make gmake: GNUmakefile makefile Makefile
just: justfile Justfile JUSTFILE .justfile .Justfile
task go-task: [Tt]askfile.y*ml [Tt]askfile.dist.y*ml
cmake ctest: CMakeLists.txt CMakePresets.json CMakeUserPresets.json
ninja: build.ninja
cargo: Cargo.toml build.rs .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml
go: go.mod go.work
python pytest tox nox poetry uv uvx hatch pdm: pyproject.toml setup.py setup.cfg tox.ini tox.toml noxfile.py conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml uv.toml poetry.toml hatch.toml
pre-commit: .pre-commit-config.y*ml
rake bundle bundler: [Rr]akefile [Rr]akefile.rb Gemfile gems.rb .bundle/config
composer: composer.json
mvn mvnw: pom.xml .mvn/* .mvn/wrapper/*
gradle gradlew: build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle/*.toml gradle/wrapper/*
ant: build.xml
mix: mix.exs .formatter.exs config/*.exs
dotnet: *.*proj *.sln *.slnx global.json [Nn]u[Gg]et.[Cc]onfig Directory.*.props Directory.*.targets Directory.Build.rsp .config/dotnet-tools.json
swift: Package*.swift
docker docker-compose: Dockerfile compose.y*ml compose.override.y*ml docker-compose.y*ml docker-compose.override.y*ml docker-bake.hcl
`

// Programs returns the possible program names in a word: the word itself, or
// each word of a quoted script.
func Programs(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-", r)
	})
}

// Expand returns the names in a view that match a pattern from [Manifests]. Only the last element
// can contain special characters. Without any, the pattern is returned unchanged.
func Expand(view *vfs.View, pattern string) []string {
	dir, base := path.Split(pattern)
	if !strings.ContainsAny(base, "*[") {
		return []string{pattern}
	}
	infos, err := view.ReadDir(path.Clean(dir))
	if err != nil {
		return nil
	}
	var names []string
	for _, info := range infos {
		if ok, _ := path.Match(base, info.Name()); ok {
			names = append(names, dir+info.Name())
		}
	}
	return names
}
