package run

import (
	"path"
	"strings"
	"unicode"

	"github.com/vadehq/vade/internal/vfs"
)

// Manifests returns patterns for the project files that define what a program runs, such as a
// makefile. The patterns use [path.Match] syntax and are relative to the working directory. The
// program may be a path and may end in a version. Call Manifests for each word of a command. This
// way, wrappers do not need special handling: "timeout 5 make" contains make.
func Manifests(program string) []string {
	return strings.Fields(manifests(strings.TrimRight(path.Base(program), "0123456789.")))
}

func manifests(program string) string {
	const (
		node   = "package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml turbo.json nx.json "
		python = "pyproject.toml setup.py setup.cfg tox.ini tox.toml noxfile.py conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml uv.toml poetry.toml hatch.toml "
	)
	switch program {
	case "npm", "npx", "yarn", "yarnpkg", "pnpm", "pnpx", "bun", "bunx", "corepack", "node", "turbo", "nx":
		return node
	case "eslint":
		return node + "eslint.config.* .eslintrc*"
	case "jest":
		return node + "jest.config.* babel.config.* .babelrc*"
	case "mocha":
		return node + ".mocharc.*"
	case "playwright":
		return node + "playwright.config.*"
	case "tsc":
		return node + "tsconfig*.json"
	case "vitest":
		return node + "vitest.config.* vitest.workspace.* vite.config.*"
	case "deno":
		return "deno.json deno.jsonc package.json"
	case "make", "gmake":
		return "GNUmakefile makefile Makefile"
	case "just":
		return "justfile Justfile JUSTFILE .justfile .Justfile"
	case "task", "go-task":
		return "[Tt]askfile.y*ml [Tt]askfile.dist.y*ml"
	case "cmake", "ctest":
		return "CMakeLists.txt CMakePresets.json CMakeUserPresets.json"
	case "ninja":
		return "build.ninja"
	case "cargo":
		return "Cargo.toml build.rs .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml"
	case "go":
		return "go.mod go.work"
	case "python", "pytest", "tox", "nox", "poetry", "uv", "uvx", "hatch", "pdm":
		return python
	case "pre-commit":
		return ".pre-commit-config.y*ml"
	case "rake", "bundle", "bundler":
		return "[Rr]akefile [Rr]akefile.rb Gemfile gems.rb .bundle/config"
	case "composer":
		return "composer.json"
	case "mvn", "mvnw":
		return "pom.xml .mvn/* .mvn/wrapper/*"
	case "gradle", "gradlew":
		return "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle/*.toml gradle/wrapper/*"
	case "ant":
		return "build.xml"
	case "mix":
		return "mix.exs .formatter.exs config/*.exs"
	case "dotnet":
		return "*.*proj *.sln *.slnx global.json [Nn]u[Gg]et.[Cc]onfig Directory.*.props Directory.*.targets Directory.Build.rsp .config/dotnet-tools.json"
	case "swift":
		return "Package*.swift"
	case "docker", "docker-compose":
		return "Dockerfile compose.y*ml compose.override.y*ml docker-compose.y*ml docker-compose.override.y*ml docker-bake.hcl"
	}
	return ""
}

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
