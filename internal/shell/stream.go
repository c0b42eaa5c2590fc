package shell

import (
	"io"
	"io/fs"
	"sync"
)

// failure holds the first error from multiple goroutines.
type failure struct {
	mu  sync.Mutex
	err error
}

func (f *failure) store(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *failure) load() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

type devNull struct{}

func (devNull) Read([]byte) (int, error)    { return 0, io.EOF }
func (devNull) Write(p []byte) (int, error) { return len(p), nil }
func (devNull) Close() error                { return nil }

// readOnly adds a Write method that always fails to a file that was opened for reading.
type readOnly struct{ io.ReadCloser }

func (readOnly) Write([]byte) (int, error) { return 0, fs.ErrPermission }

// directory is the fs.FileInfo that the interpreter needs for a directory.
type directory struct{ fs.FileInfo }

func (directory) Mode() fs.FileMode { return fs.ModeDir | 0o755 }
func (directory) IsDir() bool       { return true }
