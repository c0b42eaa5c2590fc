//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveFilesCommand serves a directory both as a site and as an npm registry, and sets a variable
// to its URL: "serve SITE dir". The directory NAME is the package at /NAME/latest.
func serveFilesCommand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: serve VARIABLE DIR")
	}
	root := os.DirFS(ts.MkAbs(args[1]))
	files := http.FileServerFS(root)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, version := strings.CutSuffix(r.URL.Path, "/latest")
		name, tarball := strings.CutSuffix(name, ".tgz")
		data := pack(root, strings.TrimPrefix(name, "/"))
		switch {
		case data != nil && version:
			sum := sha512.Sum512(data)
			fmt.Fprintf(w, `{"version": "1.0.0", "dist": {"tarball": "http://%s%s.tgz", "integrity": "sha512-%s"}}`,
				r.Host, name, base64.StdEncoding.EncodeToString(sum[:]))
		case data != nil && tarball:
			_, _ = w.Write(data)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// pack returns a directory as an npm package tarball, or nil if the directory is not a package.
func pack(root fs.FS, dir string) []byte {
	if _, err := fs.Stat(root, dir+"/package.json"); err != nil {
		return nil
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	t := tar.NewWriter(z)
	_ = fs.WalkDir(root, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err == nil {
			err = t.WriteHeader(&tar.Header{Name: "package" + strings.TrimPrefix(name, dir), Mode: 0o644, Size: int64(len(data))})
		}
		if err == nil {
			_, err = t.Write(data)
		}
		return err
	})
	t.Close()
	z.Close()
	return out.Bytes()
}
