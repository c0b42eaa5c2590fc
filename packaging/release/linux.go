package main

import (
	"bytes"
	"os"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	summary  = "See which skills, commands, agents and instructions each coding agent loads"
	homepage = "https://github.com/vadehq/vade"
)

// linuxPackages writes a .deb package and an .rpm package for each Linux target.
func (r *release) linuxPackages() error {
	// nfpm reads package contents from files.
	dir, err := os.MkdirTemp("", "vade-packages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	scratch := release{Out: dir}
	text, err := license("LICENSE")
	if err != nil {
		return err
	}
	type place struct {
		member
		to string
	}
	shared := []place{{text, "/usr/share/doc/vade/copyright"}}
	for _, m := range files("", r.Pages) {
		if m.data, err = gzipped(m.data); err != nil {
			return err
		}
		m.name += ".gz"
		shared = append(shared, place{m, "/usr/share/man/man1/" + m.name})
	}
	for name, to := range map[string]string{
		"vade.bash": "/usr/share/bash-completion/completions/vade",
		"_vade":     "/usr/share/zsh/vendor-completions/_vade",
		"vade.fish": "/usr/share/fish/vendor_completions.d/vade.fish",
	} {
		shared = append(shared, place{member{name, 0o644, r.Completions[name]}, to})
	}
	var contents nfpmfiles.Contents
	for _, p := range shared {
		if err := scratch.put(p.data, p.name); err != nil {
			return err
		}
		contents = append(contents, &nfpmfiles.Content{
			Source: dir + "/" + p.name, Destination: p.to, FileInfo: &nfpmfiles.ContentFileInfo{Mode: 0o644, MTime: r.Time},
		})
	}
	for _, b := range r.Builds {
		if b.os != "linux" {
			continue
		}
		program := &nfpmfiles.Content{
			Source: b.file, Destination: "/usr/bin/vade", FileInfo: &nfpmfiles.ContentFileInfo{Mode: 0o755, MTime: r.Time},
		}
		for _, format := range []string{"deb", "rpm"} {
			info := nfpm.WithDefaults(&nfpm.Info{
				Name: "vade", Arch: b.arch, Platform: "linux", Version: r.Version, Section: "devel", Priority: "optional",
				Maintainer: "The Vade authors <vade@users.noreply.github.com>", Description: summary,
				Homepage: homepage, License: "Apache-2.0", MTime: r.Time, DisableGlobbing: true,
			})
			info.Contents = append(nfpmfiles.Contents{program}, contents...)
			info.RPM.BuildHost, info.RPM.Compression = "vade", "gzip"
			info.Deb.Compression = "gzip"
			if err := nfpm.PrepareForPackager(info, format); err != nil {
				return err
			}
			packager, err := nfpm.Get(format)
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := packager.Package(info, &out); err != nil {
				return err
			}
			if err := r.put(out.Bytes(), packager.ConventionalFileName(info)); err != nil {
				return err
			}
		}
	}
	return nil
}
