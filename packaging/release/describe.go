package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"embed"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// templates contains templates for the package managers' manifests and the install script.
//
//go:embed templates
var templates embed.FS

// sbom writes a CycloneDX document that lists the Go modules used in the executables for all
// targets.
func (r *release) sbom() error {
	modules := map[string]cdx.Component{}
	var names []string
	for _, b := range r.Builds {
		info, err := buildinfo.Read(bytes.NewReader(b.data))
		if err != nil {
			return err
		}
		for _, m := range info.Deps {
			id := "pkg:golang/" + m.Path + "@" + m.Version
			if _, ok := modules[id]; !ok {
				names = append(names, id)
			}
			modules[id] = cdx.Component{
				BOMRef: id, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: id, Scope: cdx.ScopeRequired,
			}
		}
	}
	self := "pkg:golang/github.com/vadehq/vade@v" + r.Version
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.Time.Format("2006-01-02T15:04:05Z"),
		Component: &cdx.Component{
			BOMRef: self, Type: cdx.ComponentTypeApplication, Name: "vade", Version: r.Version, PackageURL: self,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		},
	}
	slices.Sort(names)
	var list []cdx.Component
	for _, id := range names {
		list = append(list, modules[id])
	}
	bom.Components = &list
	bom.Dependencies = &[]cdx.Dependency{{Ref: self, Dependencies: &names}}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return r.put(out.Bytes(), "vade_"+r.Version+".cdx.json")
}

// templates writes the Homebrew formula, the Scoop manifest, the Dockerfile and the install
// script.
func (r *release) templates() error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	archives := map[string]string{}
	for _, b := range r.Builds {
		ending := ".tar.gz"
		if b.os == "windows" {
			ending = ".zip"
		}
		archives[b.os+"/"+b.arch] = "vade_" + r.Version + "_" + b.os + "_" + b.arch + ending
	}
	all, err := template.New("").Funcs(template.FuncMap{
		"archive": func(target string) string { return archives[target] },
		"sum":     func(target string) string { return sums[archives[target]] },
		"targets": func() []string { return slices.Sorted(maps.Keys(archives)) },
	}).ParseFS(templates, "templates/*")
	if err != nil {
		return err
	}
	for _, t := range all.Templates() {
		if t.Name() == "" {
			continue
		}
		var out bytes.Buffer
		err := t.Execute(&out, map[string]string{
			"Version": r.Version, "Summary": summary, "Homepage": homepage, "Downloads": homepage + "/releases/download/v" + r.Version,
		})
		if err != nil {
			return err
		}
		if err := r.put(out.Bytes(), t.Name()); err != nil {
			return err
		}
	}
	return os.Chmod(filepath.Join(r.Out, "install.sh"), 0o755)
}

// checksums writes the SHA-256 sums of all files, in the format of sha256sum.
func (r *release) checksums() error {
	sums, err := r.sums()
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		out.WriteString(sums[name] + "  " + name + "\n")
	}
	return r.put([]byte(out.String()), "SHA256SUMS")
}

// sums returns the SHA-256 checksums of the files written so far. The keys are the files' paths.
func (r *release) sums() (map[string]string, error) {
	sums := map[string]string{}
	err := filepath.WalkDir(r.Out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(r.Out, path)
		sum := sha256.Sum256(data)
		sums[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
		return err
	})
	return sums, err
}

func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
