package sandbox

import (
	_ "embed" // for the profiles
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// sandboxExec is an absolute path, so PATH cannot select another program.
const sandboxExec = "/usr/bin/sandbox-exec"

var (
	//go:embed seatbelt.sb
	seatbeltBase string
	//go:embed seatbelt_network.sb
	seatbeltNetwork string
)

// seatbeltArgs returns the sandbox-exec command line for s. Paths are passed as
// parameters, not as part of the profile's text. Seatbelt compares paths after
// resolving symlinks (/private/tmp, not /tmp).
func seatbeltArgs(s *Spec) ([]string, error) {
	needs, runs := s.needs()
	exec, err := realPaths(s.Exec, runs)
	if err != nil {
		return nil, err
	}
	read, err := realPaths(s.Read, needs)
	if err != nil {
		return nil, err
	}
	write, err := realPaths(s.Write, nil)
	if err != nil {
		return nil, err
	}
	var params []string
	filters := func(name string, paths []string) (list string) {
		for i, path := range paths {
			params = append(params, fmt.Sprintf("-D%s%d=%s", name, i, path))
			list += fmt.Sprintf("\n  (subpath (param \"%s%d\"))", name, i)
		}
		return list
	}
	mayExec, mayRead, mayWrite := filters("EXEC", exec), filters("READ", read), filters("WRITE", write)
	var profile strings.Builder
	profile.WriteString(seatbeltBase)
	rule := func(operations, filters string) {
		if filters != "" {
			profile.WriteString("\n(allow " + operations + filters + ")\n")
		}
	}
	rule("process-exec*", mayExec)
	rule("file-read* file-map-executable", mayExec+mayRead+mayWrite)
	rule("file-write*", mayWrite)
	profile.WriteString("(deny file-write-setugid)\n")
	if s.Network {
		profile.WriteString(seatbeltNetwork)
	}
	args := append([]string{sandboxExec, "-p", profile.String()}, params...)
	args = append(args, "--", s.Path)
	return append(args, s.Args[1:]...), nil
}

// realPaths resolves symlinks and removes duplicates. Optional paths may be missing.
func realPaths(required, optional []string) ([]string, error) {
	var list []string
	for i, path := range slices.Concat(required, optional) {
		real, err := filepath.EvalSymlinks(path)
		switch {
		case err != nil && i < len(required):
			return nil, &Error{"allow", path, err}
		case err == nil && !slices.Contains(list, real):
			list = append(list, real)
		}
	}
	return list, nil
}
