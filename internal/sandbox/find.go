package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Errors returned by Find. If Find rejects the programs that it found because they cannot be
// trusted, it returns ErrNotFound together with the reasons.
var (
	ErrNotFound  = errors.New("trusted program not found")
	errUntrusted = errors.New("not trusted")
)

// Search configures where Find looks.
type Search struct {
	// Path is a list of directories in PATH format.
	Path string
	// System limits the search to the operating system's own directories.
	System bool
	// Forbid lists directories whose binaries are never trusted, such as the project.
	Forbid []string
}

// Find returns the absolute path of a binary, with symlinks resolved. Only the user and the
// administrator may be able to write to the binary, its directory, and the directories above it;
// Find ignores other binaries.
func Find(name string, s Search) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return "", fmt.Errorf("%w: %q is not a valid command name", ErrNotFound, name)
	}
	forbid := realDirs(s.Forbid)
	var why []error
	for _, dir := range s.dirs() {
		for _, file := range fileNames(name) {
			path, err := trusted(dir, file, forbid)
			if err == nil {
				return path, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				why = append(why, err)
			}
		}
	}
	err := fmt.Errorf("%w: %q", ErrNotFound, name)
	for _, reason := range why {
		err = fmt.Errorf("%w; %w", err, reason)
	}
	return "", err
}

func (s Search) dirs() []string {
	if s.System {
		return systemDirs()
	}
	var list []string
	for _, dir := range filepath.SplitList(s.Path) {
		if filepath.IsAbs(dir) && filepath.Clean(dir) == strings.TrimSuffix(dir, "/") && !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// realDirs returns dirs and, for each, the path with symlinks resolved.
func realDirs(dirs []string) []string {
	var list []string
	for _, dir := range dirs {
		list = append(list, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			list = append(list, real)
		}
	}
	return list
}

func trusted(dir, file string, forbid []string) (string, error) {
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(realDir, file))
	if err != nil {
		return "", err
	}
	for _, p := range []string{dir, realDir, path} {
		for _, f := range forbid {
			if within(p, f) {
				return "", fmt.Errorf("%w: %s is in %s", errUntrusted, p, f)
			}
		}
	}
	if err := checkDirs(realDir, ownerOf); err != nil {
		return "", err
	}
	if err := checkDirs(filepath.Dir(path), ownerOf); err != nil {
		return "", err
	}
	o, err := ownerOf(path)
	if err != nil {
		return "", err
	}
	return path, checkFile(path, o)
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	dir = strings.TrimSuffix(dir, string(filepath.Separator))
	if len(path) < len(dir) || !sameName(path[:len(dir)], dir) {
		return false
	}
	rest := path[len(dir):]
	return rest == "" || rest[0] == filepath.Separator
}

// owner describes who can change a file. A file is trusted if it belongs to the
// user or an administrator.
type owner struct {
	mode    fs.FileMode
	trusted bool
}

// checkDirs returns an error if other users can create files in dir or replace dir itself. A
// directory above dir may be writable if it is sticky, because users cannot replace others' entries
// there.
func checkDirs(dir string, stat func(string) (owner, error)) error {
	for top := true; ; top = false {
		o, err := stat(dir)
		switch {
		case err != nil:
			return err
		case !o.mode.IsDir():
			return fmt.Errorf("%w: %s is not a directory", errUntrusted, dir)
		case !o.trusted:
			return fmt.Errorf("%w: %s belongs to another user", errUntrusted, dir)
		case o.mode.Perm()&0o022 != 0 && (top || o.mode&fs.ModeSticky == 0):
			return fmt.Errorf("%w: %s is writable by other users", errUntrusted, dir)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

func checkFile(path string, o owner) error {
	switch {
	case !o.mode.IsRegular():
		return fmt.Errorf("%w: %s is not a regular file", errUntrusted, path)
	case !executable(o.mode):
		return fmt.Errorf("%w: %s is not executable", errUntrusted, path)
	case !o.trusted:
		return fmt.Errorf("%w: %s belongs to another user", errUntrusted, path)
	case o.mode.Perm()&0o022 != 0:
		return fmt.Errorf("%w: %s is writable by other users", errUntrusted, path)
	}
	return nil
}

func ownerOf(path string) (owner, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return owner{}, err
	}
	return ownership(info), nil
}
