package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/vadehq/vade/internal/cli"
)

// target is a platform on which Vade runs. Its fields name the platform as each package format
// does.
type target struct {
	os, arch string
	// nodeOS and nodeArch are the values of process.platform and process.arch in Node.js.
	nodeOS, nodeArch string
	// wheel is the Python wheel's platform tag. The Linux tags cover both glibc and musl, because
	// the program is statically linked.
	wheel string
}

func targets() []target {
	return []target{
		{"linux", "amd64", "linux", "x64", "manylinux2014_x86_64.musllinux_1_1_x86_64"},
		{"linux", "arm64", "linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64"},
		{"darwin", "amd64", "darwin", "x64", "macosx_12_0_x86_64"},
		{"darwin", "arm64", "darwin", "arm64", "macosx_12_0_arm64"},
		{"windows", "amd64", "win32", "x64", "win_amd64"},
		{"windows", "arm64", "win32", "arm64", "win_arm64"},
	}
}

func allTargets() (names []string) {
	for _, t := range targets() {
		names = append(names, t.os+"/"+t.arch)
	}
	return names
}

func targetOf(name string) (target, bool) {
	for _, t := range targets() {
		if t.os+"/"+t.arch == name {
			return t, true
		}
	}
	return target{}, false
}

// program returns the file name of the Vade executable on the target.
func (t target) program() string {
	if t.os == "windows" {
		return "vade.exe"
	}
	return "vade"
}

// build is the executable for one target.
type build struct {
	target
	// file is the executable's path, and data is its content.
	file string
	data []byte
}

// compile builds the executable in bin/OS-ARCH in the output directory.
func (b *build) compile(ctx context.Context, r *release) error {
	b.file = filepath.Join(r.Out, "bin", b.os+"-"+b.arch, b.program())
	const version = " -X github.com/vadehq/vade/internal/version."
	linked := "-s -w -buildid=" + version + "Number=" + r.Version + version + "Commit=" + r.Commit +
		version + "Date=" + r.Time.Format(time.RFC3339)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", b.file, "-ldflags", linked, "./cmd/vade")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+b.os, "GOARCH="+b.arch, "GOAMD64=v1", "GOARM64=v8.0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s/%s: %w\n%s", b.os, b.arch, err, out)
	}
	var err error
	b.data, err = os.ReadFile(b.file)
	return err
}

// documents returns the contents of the manual pages and of the shell completions, by file name.
func (r *release) documents() (pages, completions map[string][]byte, err error) {
	root := cli.Command()
	pages, completions = map[string][]byte{}, map[string][]byte{}
	var add func(c *cobra.Command) error
	add = func(c *cobra.Command) error {
		if c.Hidden {
			return nil
		}
		var page bytes.Buffer
		header := &doc.GenManHeader{Section: "1", Date: &r.Time, Source: "Vade " + r.Version, Manual: "Vade"}
		c.DisableAutoGenTag = true
		if err := doc.GenMan(c, header, &page); err != nil {
			return err
		}
		name := bytes.ReplaceAll([]byte(c.CommandPath()), []byte(" "), []byte("-"))
		pages[string(name)+".1"] = page.Bytes()
		for _, sub := range c.Commands() {
			if err := add(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(root); err != nil {
		return nil, nil, err
	}
	for name, generate := range map[string]func(*bytes.Buffer) error{
		"vade.bash": func(b *bytes.Buffer) error { return root.GenBashCompletionV2(b, true) },
		"_vade":     func(b *bytes.Buffer) error { return root.GenZshCompletion(b) },
		"vade.fish": func(b *bytes.Buffer) error { return root.GenFishCompletion(b, true) },
		"vade.ps1":  func(b *bytes.Buffer) error { return root.GenPowerShellCompletionWithDesc(b) },
	} {
		var b bytes.Buffer
		if err := generate(&b); err != nil {
			return nil, nil, err
		}
		completions[name] = b.Bytes()
	}
	return pages, completions, nil
}
