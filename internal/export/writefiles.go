package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/vfs"
)

// ErrDiffers is the error of [Export.Write] where another file stands in a place.
var ErrDiffers = errors.New("another file stands there")

// WrittenFile is what writing one file of an export means.
type WrittenFile struct {
	Path string `json:"path"`
	// Change is "create", "replace", or "same" for a file that holds this already.
	Change string `json:"change"`
	// Problem says why it can not be written, or "".
	Problem string `json:"problem,omitempty"`

	// before is what stands there, where known; data is what will. ours: it is as an
	// export before this one made it, or loses nothing.
	before, Data []byte `json:"-"`
	known, ours  bool
}

// Plan says what writing the export below a directory would change. A directory that
// is not there is an empty one.
func (e *Export) Plan(dir string) ([]WrittenFile, error) {
	if err := NoGit(dir); err != nil {
		return nil, err
	}
	steps := make([]WrittenFile, len(e.Files))
	for i := range e.Files {
		steps[i] = WrittenFile{Path: e.Files[i].Path, Change: "create", Data: e.Files[i].Data}
		// All names are looked at before the first file is written.
		if why := config.BadPath(e.Files[i].Path); why != "" {
			steps[i].Change, steps[i].Problem = "", "the path "+why
		}
	}
	tree, err := OpenTree(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return steps, nil
	case err != nil:
		return nil, err
	}
	defer tree.Close()
	made := e.made(tree)
	for i := range e.Files {
		s := &steps[i]
		if s.Problem != "" {
			continue
		}
		s.Look(tree)
		if !s.known {
			continue
		}
		if s.Path == e.joined {
			if data, ok := e.join(s.before); ok {
				s.Data, s.ours = data, true
			}
			if bytes.Equal(s.Data, s.before) {
				s.Change, s.known = "same", false
			}
		}
		s.ours = s.ours || made[s.Path] == digest(s.before) || s.Path == e.record && made != nil
	}
	return steps, nil
}

// exportRecord is a file that says what an export made: with it the next one tells
// its own files from those that somebody has changed.
type exportRecord struct {
	Host string `json:"host"`
	// Files are the digests of the files, by their paths.
	Files map[string]string `json:"files"`
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// recorded adds the file that says what is made.
func (e *Export) recorded(name string) error {
	r := exportRecord{Host: e.Host, Files: map[string]string{}}
	for _, f := range e.Files {
		r.Files[f.Path] = digest(f.Data)
	}
	data, err := jsonc.Marshal(r, "  ")
	if err != nil {
		return err
	}
	e.record = name
	e.Files = append(e.Files, ExportedFile{Path: name, Data: data})
	return nil
}

// made are the digests of the files that an export made before, nil where that is not
// known.
func (e *Export) made(tree *vfs.Tree) map[string]string {
	if e.record == "" {
		return nil
	}
	data, err := tree.ReadFile(e.record, maxRecord)
	var r exportRecord
	if err != nil || json.Unmarshal(data, &r) != nil || r.Host != e.Host {
		return nil
	}
	return r.Files
}

// maxRecord is the length of the longest record that is read, in bytes.
const maxRecord = 64 << 10

// NoGit refuses a directory of git, also one that a link leads to: git starts what it
// finds there.
func NoGit(dir string) error {
	abs, err := vfs.Absolute(dir)
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		real, err := vfs.RealPath(at)
		if vfs.IsGit(at) || err == nil && vfs.IsGit(real) {
			return fmt.Errorf("vade: %s is in a directory of git: nothing is written there", dir)
		}
		if err == nil || at == filepath.Dir(at) {
			return nil
		}
	}
}

// OpenTree opens a directory that is given on a command line.
func OpenTree(dir string) (*vfs.Tree, error) {
	abs, err := vfs.Absolute(dir)
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	tree, err := vfs.Open(abs, vfs.Options{})
	if err != nil {
		return nil, fmt.Errorf("vade: %w", err)
	}
	return tree, nil
}

// Look finds out what stands in the place of a file.
func (s *WrittenFile) Look(tree *vfs.Tree) {
	for at := path.Dir(s.Path); at != "."; at = path.Dir(at) {
		if typ, err := tree.Lstat(at); err == nil && typ != vfs.Dir {
			s.Change, s.Problem = "", at+" is no directory"
			return
		}
	}
	before, err := tree.ReadFile(s.Path, maxCompanionBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		s.Change, s.Problem = "", catalog.Cause(err).Error()
	case bytes.Equal(before, s.Data):
		s.Change = "same"
	default:
		s.Change, s.before, s.known = "replace", before, true
	}
}

// Write writes the files of the export below a directory, which is made where it is
// not there. Each file is put in place in one step, and none through a link. Where
// another file stands in a place nothing is written and the error is [ErrDiffers],
// unless force is set, which replaces it. What is as an export made it before is replaced
// in any case, where the export has a record of that, and a marketplace gets the plugin
// beside those that it has.
func (e *Export) Write(dir string, force bool) ([]WrittenFile, error) {
	steps, err := e.Plan(dir)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if steps[i].Problem != "" {
			return steps, fmt.Errorf("vade: %s is not written: %s", path.Join(dir, steps[i].Path), steps[i].Problem)
		}
		if steps[i].known && !steps[i].ours && !force {
			return steps, fmt.Errorf("vade: %s: %w", path.Join(dir, steps[i].Path), ErrDiffers)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return steps, fmt.Errorf("vade: %w", err)
	}
	tree, err := OpenTree(dir)
	if err != nil {
		return steps, err
	}
	defer tree.Close()
	w, err := tree.Writer(vfs.WriterOptions{})
	if err != nil {
		return steps, fmt.Errorf("vade: %w", err)
	}
	defer w.Close()
	for i := range steps {
		if err := steps[i].Write(w, &e.Files[i]); err != nil {
			steps[i].Problem = catalog.Cause(err).Error()
			return steps, fmt.Errorf("vade: %s is not written: %w", path.Join(dir, steps[i].Path), catalog.Cause(err))
		}
	}
	return steps, nil
}

// Write puts one file in its place.
func (s *WrittenFile) Write(w *vfs.Writer, f *ExportedFile) error {
	switch s.Change {
	case "same":
		return nil
	case "replace":
		return w.Replace(f.Path, s.before, s.Data, f.Executable)
	}
	if _, err := w.MkdirParents(f.Path); err != nil {
		return err
	}
	return w.Create(f.Path, s.Data, f.Executable)
}
