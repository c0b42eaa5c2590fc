package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vadehq/vade/internal/vfs"
)

// TestManifests checks that the files that define what a program runs are found, regardless of how
// the program is started.
func TestManifests(t *testing.T) {
	for programs, files := range map[string]string{
		"npm npx yarn pnpm bun node /usr/bin/npm": "package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml",
		"eslint":            "package.json eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts .eslintrc .eslintrc.json",
		"jest":              "package.json jest.config.js jest.config.ts babel.config.js .babelrc",
		"vitest":            "package.json vitest.config.ts vite.config.mts",
		"mocha":             "package.json .mocharc.yml .mocharc.cjs",
		"playwright":        "package.json playwright.config.ts",
		"tsc":               "package.json tsconfig.json tsconfig.build.json",
		"deno":              "deno.json deno.jsonc",
		"make gmake ./make": "GNUmakefile makefile Makefile",
		"just":              "justfile Justfile .justfile",
		"task":              "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml",
		"cmake ctest":       "CMakeLists.txt CMakePresets.json",
		"ninja":             "build.ninja",
		"cargo":             "Cargo.toml build.rs .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml",
		"go go1.26":         "go.mod go.work",
		"python python3.12 pytest tox nox poetry uv hatch pdm": "pyproject.toml setup.py setup.cfg tox.ini tox.toml noxfile.py conftest.py pytest.ini .pytest.ini pytest.toml uv.toml",
		"pre-commit":      ".pre-commit-config.yaml",
		"rake bundle":     "Rakefile rakefile Rakefile.rb rakefile.rb Gemfile gems.rb .bundle/config",
		"composer":        "composer.json",
		"mvn mvnw ./mvnw": "pom.xml .mvn/maven.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties",
		"gradle gradlew":  "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle/wrapper/gradle-wrapper.jar",
		"ant":             "build.xml",
		"mix":             "mix.exs config/config.exs",
		"dotnet":          "App.csproj App.fsproj App.sln global.json NuGet.Config Directory.Build.props Directory.Build.targets",
		"swift":           "Package.swift",
		"docker":          "Dockerfile compose.yaml compose.yml docker-compose.yml docker-compose.yaml compose.override.yaml docker-compose.override.yml",
	} {
		view := newView(t, files)
		for program := range strings.FieldsSeq(programs) {
			var found []string
			for _, pattern := range Manifests(program) {
				found = append(found, Expand(view, pattern)...)
			}
			for file := range strings.FieldsSeq(files) {
				if !slices.Contains(found, file) {
					t.Errorf("%s: %s is missing from its manifests", program, file)
				}
			}
		}
	}
	for _, word := range []string{"", "-n", "A=1", "remake", "make.md", "cat"} {
		if got := Manifests(word); len(got) > 0 {
			t.Errorf("Manifests(%q) = %q", word, got)
		}
	}
	for word, want := range map[string]string{"make": "make", "cd x && make test;npm t": "cd x make test npm t", "system(\"/bin/make\")": "system /bin/make", "pre-commit": "pre-commit"} {
		if got := strings.Join(Programs(word), " "); got != want {
			t.Errorf("Programs(%q) = %q, want %q", word, got, want)
		}
	}
}

// newView returns a view of a directory with the given files.
func newView(t *testing.T, files string) *vfs.View {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.FieldsSeq(files) {
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := vfs.Open(dir, vfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return vfs.NewView(vfs.ViewOptions{Trees: []*vfs.Tree{tree}, Dir: dir})
}
