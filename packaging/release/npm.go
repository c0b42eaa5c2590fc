package main

import (
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
)

// sources are the files of packages and the templates.
//
//go:embed npm templates
var sources embed.FS

// npm writes @vadehq/vade and one package with a program for each target, as "npm pack" would
// name them. npm installs only the package whose os and cpu match, without scripts.
func (r *release) npm() error {
	optional := map[string]string{}
	for _, b := range r.Builds {
		name := "@vadehq/vade-" + b.nodeOS + "-" + b.nodeArch
		optional[name] = r.Version
		// A Linux program is static: it needs no libc field.
		manifest := map[string]any{
			"name": name, "description": "Vade for " + b.nodeOS + " on " + b.nodeArch,
			"os": []string{b.nodeOS}, "cpu": []string{b.nodeArch}, "preferUnplugged": true,
		}
		program := member{"package/bin/" + b.program(), 0o755, b.data}
		if err := r.npmPackage("vade-"+b.nodeOS+"-"+b.nodeArch, manifest, program); err != nil {
			return err
		}
	}
	var members []member
	err := fs.WalkDir(sources, "npm", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(path)
		m := member{"package" + path[len("npm"):], 0o644, data}
		if d.Name() == "vade.js" {
			m.mode = 0o755
		}
		members = append(members, m)
		return err
	})
	if err != nil {
		return err
	}
	return r.npmPackage("vade", map[string]any{
		"name": "@vadehq/vade", "description": summary, "bin": map[string]string{"vade": "bin/vade.js"},
		"engines": map[string]string{"node": ">=20"}, "optionalDependencies": optional,
	}, members...)
}

// npmPackage writes one package of the scope.
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
