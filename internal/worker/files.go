package worker

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/run"
	"github.com/vadehq/vade/internal/vfs"
)

// path returns the reason that a file must not be used, such as being protected or outside the
// directory. It returns "" if the file may be used.
func (g *Guard) path(name string) string {
	name = filepath.ToSlash(name)
	tree, rel, err := g.view.Locate(name)
	if err == nil {
		err = g.hidden(rel)
	}
	if slices.ContainsFunc(strings.Split(rel, "/"), vfs.IsGit) {
		err = errors.New("git metadata is protected")
	}
	if err == nil {
		// The file or its nearest existing parent directory must be inside the root after all
		// symlinks are resolved.
		for dir := rel; err == nil; dir = path.Dir(dir) {
			if _, at, problem := tree.Resolve(dir); problem == nil {
				err = g.hidden(at)
				break
			} else if errors.Is(problem, vfs.ErrOutside) || dir == "." {
				err = problem
			}
		}
	}
	switch {
	case errors.Is(err, vfs.ErrOutside):
		return name + " is outside the working directory"
	case err != nil:
		return name + ": " + err.Error()
	}
	return ""
}

func (g *Guard) hidden(rel string) error {
	p, _ := g.o.Catalog.EffectivePolicy()
	return run.Hidden(p)(nil, rel)
}

// maxRead is the maximum size in bytes of a file that an agent can read.
const maxRead = 8 << 20

// read answers a request for all or some of a file's lines.
func (g *Guard) read(p *fileParams) (any, error) {
	if why := g.excluded(&action{kind: "read"}); why != "" {
		return nil, errors.New(why)
	}
	h, err := g.view.Open(filepath.ToSlash(p.Path))
	if errors.Is(err, fs.ErrNotExist) {
		// A missing file is presented as an empty editor buffer, because Gemini CLI 0.61.0 creates
		// a file only if it can read it first.
		return map[string]string{"content": ""}, nil
	}
	if err != nil {
		return nil, err
	}
	defer h.Close()
	data, err := io.ReadAll(io.LimitReader(h, maxRead+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxRead {
		return nil, errors.New("the file is larger than 8 MiB")
	}
	text := string(data)
	if p.Line > 0 || p.Limit > 0 {
		lines := slices.Collect(strings.Lines(text))
		from := min(max(p.Line-1, 0), len(lines))
		to := len(lines)
		if p.Limit > 0 && p.Limit < to-from {
			to = from + p.Limit
		}
		text = strings.Join(lines[from:to], "")
	}
	return map[string]string{"content": text}, nil
}

// write answers a request to write a file.
func (g *Guard) write(ctx context.Context, p *fileParams) (any, error) {
	edit := action{kind: "edit", title: "write " + p.Path, paths: []string{p.Path}}
	if allowed, why := g.decide(ctx, edit); !allowed {
		return nil, errors.New(why)
	}
	_, rel, err := g.view.Locate(filepath.ToSlash(p.Path))
	if err != nil {
		return nil, err
	}
	return nil, g.tree.Put(rel, []byte(p.Content))
}
