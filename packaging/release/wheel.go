package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pythonClient is the directory that contains the Python client and its README.
const pythonClient = "clients/python"

// wheels writes a Python wheel for each target. The wheel contains the client and the executable,
// which pip copies into the scripts directory.
func (r *release) wheels() error {
	version := pythonVersion(r.Version)
	client, err := pythonPackage()
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(pythonClient + "/README.md")
	if err != nil {
		return err
	}
	for _, b := range r.Builds {
		text, err := license("vade-" + version + ".dist-info/licenses/LICENSE")
		if err != nil {
			return err
		}
		metadata := "Metadata-Version: 2.4\nName: vade\nVersion: " + version + "\nSummary: " + summary +
			"\nHome-page: " + homepage + "\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: >=3.9\n" +
			"Classifier: Framework :: AsyncIO\nClassifier: Typing :: Typed\nDescription-Content-Type: text/markdown\n\n" + string(readme)
		tag := "py3-none-" + b.wheel
		about := "Wheel-Version: 1.0\nGenerator: vade\nRoot-Is-Purelib: false\n"
		for platform := range strings.SplitSeq(b.wheel, ".") {
			about += "Tag: py3-none-" + platform + "\n"
		}
		info := "vade-" + version + ".dist-info/"
		members := append(slices.Clone(client), []member{
			{"vade-" + version + ".data/scripts/" + b.program(), 0o755, b.data},
			text,
			{info + "METADATA", 0o644, []byte(metadata)},
			{info + "WHEEL", 0o644, []byte(about)},
		}...)
		record := ""
		for _, m := range members {
			sum := sha256.Sum256(m.data)
			record += fmt.Sprintf("%s,sha256=%s,%d\n", m.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(m.data))
		}
		members = append(members, member{info + "RECORD", 0o644, []byte(record + info + "RECORD,,\n")})
		data, err := zipped(members, r.Time)
		if err != nil {
			return err
		}
		if err := r.put(data, "pypi", "vade-"+version+"-"+tag+".whl"); err != nil {
			return err
		}
	}
	return nil
}

// pythonPackage returns the Python package's files.
func pythonPackage() (members []member, err error) {
	for _, pattern := range []string{"*.py", "py.typed"} {
		names, err := filepath.Glob(filepath.Join(pythonClient, "vade", pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			members = append(members, member{"vade/" + filepath.Base(name), 0o644, data})
		}
	}
	return members, nil
}

// pythonVersion converts a semantic version to the PEP 440 format: "1.2.3-rc.1" becomes "1.2.3rc1".
func pythonVersion(version string) string {
	number, pre, ok := strings.Cut(version, "-")
	if !ok {
		return number
	}
	name, count, _ := strings.Cut(pre, ".")
	short, ok := map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[name]
	if !ok {
		return number + ".dev0"
	}
	if count == "" {
		count = "0"
	}
	return number + short + count
}
