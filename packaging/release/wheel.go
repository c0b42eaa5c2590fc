package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// wheels writes a Python wheel for each target. pip copies the program into the directory for
// scripts.
func (r *release) wheels() error {
	version := pythonVersion(r.Version)
	for _, b := range r.Builds {
		text, err := license("vade-" + version + ".dist-info/licenses/LICENSE")
		if err != nil {
			return err
		}
		metadata := "Metadata-Version: 2.4\nName: vade\nVersion: " + version + "\nSummary: " + summary +
			"\nHome-page: " + homepage + "\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: >=3.10\n"
		tag := "py3-none-" + b.wheel
		about := "Wheel-Version: 1.0\nGenerator: vade\nRoot-Is-Purelib: false\n"
		for platform := range strings.SplitSeq(b.wheel, ".") {
			about += "Tag: py3-none-" + platform + "\n"
		}
		info := "vade-" + version + ".dist-info/"
		members := []member{
			{"vade-" + version + ".data/scripts/" + b.program(), 0o755, b.data},
			text,
			{info + "METADATA", 0o644, []byte(metadata)},
			{info + "WHEEL", 0o644, []byte(about)},
		}
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

// pythonVersion returns a semantic version in the form of PEP 440: "1.2.3-rc.1" is "1.2.3rc1".
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
