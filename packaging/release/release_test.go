package main

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// written returns a release for three targets, which takes minutes to build.
func written(t *testing.T, dir string) *release {
	t.Helper()
	if os.Getenv("VADE_SLOW") == "" {
		t.Skip("builds Vade for three systems; set VADE_SLOW=1")
	}
	t.Chdir(filepath.Join("..", ".."))
	r := &release{Version: "0.2.0-rc.1", Out: dir}
	for _, name := range []string{"linux/" + runtime.GOARCH, "windows/amd64", "darwin/arm64"} {
		b, _ := targetOf(name)
		r.Builds = append(r.Builds, build{target: b})
	}
	if err := r.readCommit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRelease(t *testing.T) {
	dir := t.TempDir()
	r := written(t, filepath.Join(dir, "first"))
	again := &release{Version: r.Version, Commit: r.Commit, Time: r.Time, Out: filepath.Join(dir, "second")}
	for _, b := range r.Builds {
		again.Builds = append(again.Builds, build{target: b.target})
	}
	if err := again.write(t.Context()); err != nil {
		t.Fatal(err)
	}
	command(t, "", nil, "diff", "-r", r.Out, again.Out)
	command(t, r.Out, nil, "sha256sum", "--check", "--quiet", "SHA256SUMS")
	for _, b := range r.Builds {
		if err := format(&b); err != nil {
			t.Errorf("%s/%s: %v", b.os, b.arch, err)
		}
	}
	home := []string{"HOME=" + t.TempDir()}
	t.Run("install.sh", func(t *testing.T) {
		bin := t.TempDir()
		env := append(home, "VADE_DOWNLOADS="+r.Out, "VADE_INSTALL_DIR="+bin)
		command(t, "", env, "sh", filepath.Join(r.Out, "install.sh"))
		checkVersion(t, r, command(t, "", nil, filepath.Join(bin, "vade"), "version", "--json"))
		// An archive with different content is not installed.
		fake := t.TempDir()
		archive := "vade_" + r.Version + "_linux_" + runtime.GOARCH + ".tar.gz"
		if err := os.WriteFile(filepath.Join(fake, archive), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", filepath.Join(r.Out, "install.sh"))
		cmd.Env = append(os.Environ(), append(home, "VADE_DOWNLOADS="+fake, "VADE_INSTALL_DIR="+fake)...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "nothing was installed") {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("action", func(t *testing.T) {
		need(t, "curl")
		server := httptest.NewServer(http.FileServer(http.Dir(r.Out)))
		defer server.Close()
		data, err := os.ReadFile("action.yml")
		if err != nil {
			t.Fatal(err)
		}
		_, step, _ := strings.Cut(string(data), "    - name: install vade\n")
		_, script, _ := strings.Cut(step, "      run: |\n")
		script, _, _ = strings.Cut(script, "\n    #")
		temp := t.TempDir()
		env := append(home, "VADE_DOWNLOADS="+server.URL, "VADE_VERSION="+r.Version, "RUNNER_TEMP="+temp, "GITHUB_PATH="+filepath.Join(temp, "path"))
		command(t, "", env, "bash", "-eo", "pipefail", "-c", script)
		checkVersion(t, r, command(t, "", nil, filepath.Join(temp, "vade-bin", "vade"), "version", "--json"))
	})
	t.Run("npm", func(t *testing.T) {
		need(t, "npm")
		project := t.TempDir()
		packages, _ := filepath.Glob(filepath.Join(r.Out, "npm", "*.tgz"))
		install := []string{"install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", project}
		for _, p := range packages {
			// npm rejects packages for other platforms, as it does for packages from a registry.
			if !strings.Contains(p, "darwin") && !strings.Contains(p, "win32") {
				install = append(install, p)
			}
		}
		command(t, project, home, "npm", install...)
		checkVersion(t, r, command(t, project, home, "npx", "--no-install", "vade", "version", "--json"))
	})
	t.Run("wheel", func(t *testing.T) {
		need(t, "python3")
		target := t.TempDir()
		wheels, _ := filepath.Glob(filepath.Join(r.Out, "pypi", "*manylinux*.whl"))
		if len(wheels) != 1 {
			t.Fatal(wheels)
		}
		if err := exec.Command("python3", "-m", "pip", "--version").Run(); err != nil {
			t.Skip("pip is missing")
		}
		command(t, "", home, "python3", "-m", "pip", "install", "--quiet", "--no-index", "--target", target, wheels[0])
		checkVersion(t, r, command(t, "", nil, filepath.Join(target, "bin", "vade"), "version", "--json"))
		const program = "import asyncio, vade\n" +
			"async def main():\n" +
			"    async with vade.open() as client:\n" +
			"        print(client.version, len((await client.list('skill'))['definitions']) > 0)\n" +
			"asyncio.run(main())\n"
		env := append(home, "PYTHONPATH="+target, "PYTHONDONTWRITEBYTECODE=1", "VADE_BINARY=")
		if out := command(t, t.TempDir(), env, "python3", "-c", program); string(out) != r.Version+" True\n" {
			t.Errorf("unexpected client output: %q", out)
		}
	})
	t.Run("deb", func(t *testing.T) {
		need(t, "dpkg-deb")
		root := t.TempDir()
		packages, _ := filepath.Glob(filepath.Join(r.Out, "*.deb"))
		command(t, "", nil, "dpkg-deb", "-x", packages[0], root)
		checkVersion(t, r, command(t, "", nil, filepath.Join(root, "usr", "bin", "vade"), "version", "--json"))
		if _, err := os.Stat(filepath.Join(root, "usr", "share", "man", "man1", "vade-list.1.gz")); err != nil {
			t.Error(err)
		}
	})
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(err)
	}
}

// command runs a program that must succeed, and returns its output.
func command(t *testing.T, dir string, env []string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, out.Bytes(), failed.Bytes())
	}
	return out.Bytes()
}

// checkVersion checks the output of "vade version --json".
func checkVersion(t *testing.T, r *release, out []byte) {
	t.Helper()
	var got struct{ Version, Commit, Date string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Version != r.Version || got.Commit != r.Commit || got.Date != r.Time.Format("2006-01-02T15:04:05Z") {
		t.Errorf("unexpected version: %+v", got)
	}
}

// format checks that a program is an executable for its target, and on Linux a static one.
func format(b *build) error {
	switch data := bytes.NewReader(b.data); b.os {
	case "linux":
		f, err := elf.NewFile(data)
		if err != nil {
			return err
		}
		if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
			return fmt.Errorf("not statically linked: %v (%v)", libraries, err)
		}
	case "windows":
		f, err := pe.NewFile(data)
		if err != nil || f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
			return fmt.Errorf("not an amd64 executable (%v)", err)
		}
	case "darwin":
		f, err := macho.NewFile(data)
		if err != nil || f.Cpu != macho.CpuArm64 {
			return fmt.Errorf("not an arm64 executable (%v)", err)
		}
	}
	return nil
}

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3rc1", "1.2.3-beta": "1.2.3b0", "1.2.3-alpha.4": "1.2.3a4", "1.2.3-next.7": "1.2.3.dev0",
	} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s is %s instead of %s", version, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "kept"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--out is required":         nil,
		"is not a semantic version": {"--out", "x", "--version", "v1"},
		"is not empty":              {"--out", full},
		"unknown target \"linux\"":  {"--out", filepath.Join(full, "new"), "--targets", "linux"},
	} {
		if err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
