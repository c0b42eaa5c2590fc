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

// ErrDiffers is returned by [Export.Write] if a different file exists at the path.
var ErrDiffers = errors.New("a different file exists")

// WrittenFile describes how writing an export would change one file.
type WrittenFile struct {
	Path string `json:"path"`
	// Change is "create", "replace", or "same" for an identical file.
	Change string `json:"change"`
	// Problem says why the file cannot be written. It is "" if the file can be written.
	Problem string `json:"problem,omitempty"`

	// before is the existing content; known reports whether it is known. Data is the new content.
	// ours reports whether an earlier export wrote the existing file, or whether the file can be
	// replaced without losing anything.
	before, Data []byte `json:"-"`
	known, ours  bool
}

// Plan returns the changes that Write would make in a directory, which need not exist.
func (e *Export) Plan(dir string) ([]WrittenFile, error) {
	if err := rejectGit(dir); err != nil {
		return nil, err
	}
	steps := make([]WrittenFile, len(e.Files))
	for i := range e.Files {
		steps[i] = WrittenFile{Path: e.Files[i].Path, Change: "create", Data: e.Files[i].Data}
		// Check all names before writing the first file.
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
		s.compare(tree)
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

// exportRecord records what an export wrote, so the next export can tell its
// own files from modified ones.
type exportRecord struct {
	Host string `json:"host"`
	// Files maps paths to digests.
	Files map[string]string `json:"files"`
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// recorded adds to the export a file with the given name that contains the digests of the other
// files.
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

// made returns the digests of the files that an earlier export wrote, or nil if they are unknown.
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

// maxRecord is the size limit for a record, in bytes.
const maxRecord = 64 << 10

// rejectGit returns an error if dir is in a git directory, even through a symlink, because git
// executes files there.
func rejectGit(dir string) error {
	abs, err := vfs.Absolute(dir)
	if err != nil {
		return fmt.Errorf("vade: %w", err)
	}
	for at := abs; ; at = filepath.Dir(at) {
		real, err := vfs.RealPath(at)
		if vfs.IsGit(at) || err == nil && vfs.IsGit(real) {
			return fmt.Errorf("vade: %s is inside a .git directory; choose another directory", dir)
		}
		if err == nil || at == filepath.Dir(at) {
			return nil
		}
	}
}

// OpenTree opens a directory specified on the command line.
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

// compare compares the planned file against the existing one.
func (s *WrittenFile) compare(tree *vfs.Tree) {
	for at := path.Dir(s.Path); at != "."; at = path.Dir(at) {
		if typ, err := tree.Lstat(at); err == nil && typ != vfs.Dir {
			s.Change, s.Problem = "", at+" is not a directory"
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

// Write writes the exported files to a directory, which it creates if needed. If a different file
// exists, Write writes nothing and returns [ErrDiffers], unless force is set. A file that is
// unchanged since an earlier export is always replaced, provided that the export's record exists.
// An existing marketplace keeps its other plugins. Each file is replaced atomically, and never
// through a symlink.
func (e *Export) Write(dir string, force bool) ([]WrittenFile, error) {
	steps, err := e.Plan(dir)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if steps[i].Problem != "" {
			return steps, fmt.Errorf("vade: cannot write %s: %s", path.Join(dir, steps[i].Path), steps[i].Problem)
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
		if err := steps[i].apply(w, &e.Files[i]); err != nil {
			steps[i].Problem = catalog.Cause(err).Error()
			return steps, fmt.Errorf("vade: cannot write %s: %w", path.Join(dir, steps[i].Path), catalog.Cause(err))
		}
	}
	return steps, nil
}

func (s *WrittenFile) apply(w *vfs.Writer, f *ExportedFile) error {
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
