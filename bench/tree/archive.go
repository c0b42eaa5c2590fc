package tree

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
)

// maxFile is the maximum number of bytes read from one file in an archive.
const maxFile = 16 << 20

// Archive calls each for every regular file in a tar.gz archive, in order.
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
