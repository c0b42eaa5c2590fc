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

// Find's errors. ErrNotFound is also returned when the name is found only
// where it cannot be trusted, together with the reason.
var (
	ErrNotFound  = errors.New("no trusted binary of that name")
	errUntrusted = errors.New("not trusted")
)

// Search says where binaries are looked for.
type Search struct {
	// Path is a list of directories, as in the variable PATH.
	Path string
	// System looks only in the directories of the operating system.
	System bool
	// Forbid are directories in which no binary is trusted: the project.
	Forbid []string
}

// Find returns the absolute path of a binary, free of links, that only the
// user and the system's administrator can have put there: neither it nor its
// directory can be changed by others, and the way to it neither.
func Find(name string, s Search) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
		return "", fmt.Errorf("%w: %q is not the name of a command", ErrNotFound, name)
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
	return "", errors.Join(append([]error{fmt.Errorf("%w: %q", ErrNotFound, name)}, why...)...)
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

// realDirs adds to each directory where its links lead.
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

// within reports whether a path is a directory or stands below it.
func within(path, dir string) bool {
	dir = strings.TrimSuffix(dir, string(filepath.Separator))
	if len(path) < len(dir) || !sameName(path[:len(dir)], dir) {
		return false
	}
	rest := path[len(dir):]
	return rest == "" || rest[0] == filepath.Separator
}

// owner is what decides who can change a file. Trusted says that it belongs to
// the user or to the administrator.
type owner struct {
	mode    fs.FileMode
	trusted bool
}

// checkDirs checks a directory and all above it. Names in the directory itself
// cannot be made by others; above it, a sticky directory passes, since what
// stands in it cannot be replaced by others.
func checkDirs(dir string, stat func(string) (owner, error)) error {
	for top := true; ; top = false {
		o, err := stat(dir)
		switch {
		case err != nil:
			return err
		case !o.mode.IsDir():
			return fmt.Errorf("%w: %s is not a directory", errUntrusted, dir)
		case !o.trusted:
			return fmt.Errorf("%w: %s belongs to someone else", errUntrusted, dir)
		case o.mode.Perm()&0o022 != 0 && (top || o.mode&fs.ModeSticky == 0):
			return fmt.Errorf("%w: %s can be written by others", errUntrusted, dir)
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
		return fmt.Errorf("%w: %s belongs to someone else", errUntrusted, path)
	case o.mode.Perm()&0o022 != 0:
		return fmt.Errorf("%w: %s can be written by others", errUntrusted, path)
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
