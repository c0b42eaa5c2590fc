package tree

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
)

// maxFile is how many bytes of a file of an archive are read.
const maxFile = 16 << 20

// Archive calls each for the regular files of a tar.gz, in its order.
func Archive(name string, each func(name string, data []byte, mode int64)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(io.LimitReader(t, maxFile))
		if err != nil {
			return err
		}
		each(path.Clean(h.Name), data, h.Mode)
	}
}
