package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// member is a file in an archive.
type member struct {
	name string
	mode int64
	data []byte
}

// tarGzip returns a compressed tar archive.
func tarGzip(members []member, t time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Mode: m.mode, Size: int64(len(m.data)), ModTime: t, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(m.data); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zipped returns a zip archive.
func zipped(members []member, t time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: t}
		header.SetMode(os.FileMode(m.mode))
		w, err := z.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(m.data)); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// put writes a file of the release, and creates its directory if necessary.
func (r *release) put(data []byte, path ...string) error {
	file := filepath.Join(append([]string{r.Out}, path...)...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// license returns the project's license as an archive member.
func license(name string) (member, error) {
	data, err := os.ReadFile("LICENSE")
	return member{name, 0o644, data}, err
}

// files converts a map from file names to contents into archive members, sorted by name. dir is the
// prefix of the members' names, including the final slash.
func files(dir string, all map[string][]byte) (members []member) {
	for name, data := range all {
		members = append(members, member{dir + name, 0o644, data})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return members
}

// archives writes an archive for each target: a .zip file for Windows, and a .tar.gz file for other
// systems.
func (r *release) archives() error {
	for _, b := range r.Builds {
		name := "vade_" + r.Version + "_" + b.os + "_" + b.arch
		text, err := license(name + "/LICENSE")
		if err != nil {
			return err
		}
		members := []member{text, {name + "/" + b.program(), 0o755, b.data}}
		members = append(members, files(name+"/completions/", r.Completions)...)
		pack, ending := zipped, ".zip"
		if b.os != "windows" {
			members = append(members, files(name+"/man/", r.Pages)...)
			pack, ending = tarGzip, ".tar.gz"
		}
		data, err := pack(members, r.Time)
		if err != nil {
			return err
		}
		if err := r.put(data, name+ending); err != nil {
			return err
		}
	}
	return nil
}
