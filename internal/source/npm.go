package source

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/vadehq/vade/internal/ledger"
	"github.com/vadehq/vade/internal/vfs"
)

// npmPattern matches an npm package: name or @scope/name, optionally followed by @version or @tag.
const npmPattern = `^((?:@[\w~-][\w.~-]*/)?[\w~-][\w.~-]*)(?:@([\w.+-]+))?$`

// npmSource parses an npm package name and an optional version into s.
func npmSource(s Source, spec string) (Source, error) {
	m := regexp.MustCompile(npmPattern).FindStringSubmatch(spec)
	if m == nil {
		return s, &Error{s.Typed, "not a valid npm package name", "use npm:NAME or npm:NAME@VERSION; version ranges are not supported", ErrSource}
	}
	s.Type, s.Repo, s.Ref, s.URL = "npm", m[1], m[2], "npm://"+m[1]
	return s, nil
}

// npm fetches the tarball of an npm package. It does not install dependencies or run scripts.
func (f *Fetcher) npm(ctx context.Context, s Source) (*Fetched, error) {
	registry := strings.TrimSuffix(cmp.Or(s.registry, f.npmRegistry(s.Repo)), "/")
	data, err := get(ctx, registry+"/"+url.PathEscape(s.Repo)+"/"+cmp.Or(s.Ref, "latest"), maxIndex)
	if err != nil {
		return nil, &Error{s.Typed, "cannot read the package from " + registry + ": " + err.Error(), "check the name and the version", err}
	}
	var version struct {
		Version string
		Dist    struct{ Tarball, Integrity, Shasum string }
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, &Error{s.Typed, "the response from " + registry + " is not valid JSON", "check the configured npm registry", err}
	}
	at := version.Dist.Tarball
	if !strings.HasPrefix(at, "https://") && !strings.HasPrefix(registry, "http://") {
		return nil, &Error{s.Typed, fmt.Sprintf("the tarball's URL %q is not https", at), "check the configured npm registry", nil}
	}
	if data, err = get(ctx, at, maxBytes); err != nil {
		return nil, &Error{s.Typed, "cannot read " + at + ": " + err.Error(), "try again", err}
	}
	if !hasIntegrity(data, version.Dist.Integrity, version.Dist.Shasum) {
		return nil, &Error{s.Typed, "the tarball's digest differs from the one in the registry", "try again; if the problem persists, report it to the package's author", nil}
	}
	out := &Fetched{Digest: ledger.SHA256(data), Version: version.Version}
	if out.Files, err = unpack(data); err != nil {
		return nil, badArchive(s, "package", err)
	}
	out.Files = withoutTop(out.Files)
	return out, nil
}

// hasIntegrity reports whether a tarball matches its digest. integrity contains digests such as
// "sha512-BASE64"; the first SHA-512 digest counts. If there is none, hasIntegrity compares the
// tarball's SHA-1 hash with shasum.
func hasIntegrity(data []byte, integrity, shasum string) bool {
	for _, digest := range strings.Fields(integrity) {
		if want, ok := strings.CutPrefix(digest, "sha512-"); ok {
			sum := sha512.Sum512(data)
			return base64.StdEncoding.EncodeToString(sum[:]) == want
		}
	}
	sum := sha1.Sum(data)
	return hex.EncodeToString(sum[:]) == shasum
}

const defaultRegistry = "https://registry.npmjs.org"

// npmRegistry returns the registry that the user has configured for a package in an environment
// variable or in ~/.npmrc. It ignores the project's .npmrc, because other people may have written
// it.
func (f *Fetcher) npmRegistry(name string) string {
	env := map[string]string{}
	for _, v := range f.Env {
		key, value, _ := strings.Cut(v, "=")
		env[strings.ToLower(key)] = value
	}
	scope, _, scoped := strings.Cut(name, "/")
	registry := env["npm_config_registry"]
	data, err := vfs.ReadUserFile(cmp.Or(env["npm_config_userconfig"], path.Join(env["home"], ".npmrc")), 1<<20)
	if err != nil {
		data = nil
	}
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(string(line), "=")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key = strings.TrimSpace(key); {
		case scoped && key == scope+":registry":
			return value
		case key == "registry" && registry == "":
			registry = value
		}
	}
	return cmp.Or(registry, defaultRegistry)
}
