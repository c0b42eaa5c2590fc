package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// npm writes the package @vadehq/vade and, for each target, a package that contains the executable.
// The files have the names that "npm pack" would use. npm installs only the package whose os and
// cpu match the machine, without running scripts.
func (r *release) npm() error {
	optional := map[string]string{}
	for _, b := range r.Builds {
		name := "@vadehq/vade-" + b.nodeOS + "-" + b.nodeArch
		optional[name] = r.Version
		// The Linux executables are statically linked, so no libc field is needed.
		manifest := map[string]any{
			"name": name, "description": "Vade for " + b.nodeOS + " on " + b.nodeArch,
			"os": []string{b.nodeOS}, "cpu": []string{b.nodeArch}, "preferUnplugged": true,
		}
		program := member{"package/bin/" + b.program(), 0o755, b.data}
		if err := r.npmPackage("vade-"+b.nodeOS+"-"+b.nodeArch, manifest, program); err != nil {
			return err
		}
	}
	manifest, members, err := typescript()
	if err != nil {
		return err
	}
	manifest["optionalDependencies"] = optional
	return r.npmPackage("vade", manifest, members...)
}

// typescript returns the manifest and the files of the TypeScript client.
func typescript() (manifest map[string]any, members []member, err error) {
	const dir = "clients/typescript"
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"README.md", "bin/vade.cjs", "index.d.ts", "index.js", "program.cjs", "results.d.ts"} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, nil, err
		}
		m := member{"package/" + name, 0o644, data}
		if strings.HasPrefix(name, "bin/") {
			m.mode = 0o755
		}
		members = append(members, m)
		// Programs that load the client with require need the same files in CommonJS format.
		switch {
		case strings.HasSuffix(name, ".d.ts"):
			data = bytes.ReplaceAll(data, []byte("'./results.js'"), []byte("'./results.cjs'"))
			members = append(members, member{strings.TrimSuffix(m.name, "ts") + "cts", 0o644, data})
		case strings.HasSuffix(name, ".js"):
			result := api.Transform(string(data), api.TransformOptions{
				Format: api.FormatCommonJS, Platform: api.PlatformNode, Sourcefile: name,
				Engines: []api.Engine{{Name: api.EngineNode, Version: "20"}},
			})
			if len(result.Errors) > 0 {
				return nil, nil, fmt.Errorf("%s: %s", name, result.Errors[0].Text)
			}
			members = append(members, member{strings.TrimSuffix(m.name, "js") + "cjs", 0o644, result.Code})
		}
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return manifest, members, nil
}

// npmPackage writes one package in the @vadehq scope.
func (r *release) npmPackage(name string, manifest map[string]any, members ...member) error {
	maps.Copy(manifest, map[string]any{
		"version": r.Version, "license": "Apache-2.0", "homepage": homepage,
		"repository": map[string]string{"type": "git", "url": "git+" + homepage + ".git"},
	})
	data, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	text, err := license("package/LICENSE")
	if err != nil {
		return err
	}
	members = append([]member{{"package/package.json", 0o644, append(data, '\n')}, text}, members...)
	packed, err := tarGzip(members, r.Time)
	if err != nil {
		return err
	}
	return r.put(packed, "npm", "vadehq-"+name+"-"+r.Version+".tgz")
}
