package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
	"github.com/vadehq/vade/internal/host/registry"
)

// Digest returns "sha256:" followed by data's hash in hex.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// verify returns an error unless data has the listed size and digest.
func verify(r *Resource, data []byte) error {
	if int64(len(data)) != r.Size {
		return newError(diag.RemoteDigest, "report it to the server's operator; the file was not used", "%s is %d bytes long, but its server listed %d bytes", r.URI, len(data), r.Size)
	}
	if Digest(data) != r.Digest {
		return newError(diag.RemoteDigest, "report it to the server's operator; the file was not used", "%s does not match the digest that its server listed", r.URI)
	}
	return nil
}

// verifyFields returns an error unless the frontmatter of a SKILL.md is exactly what the server
// listed, because users approve, and models see, the listed fields.
func verifyFields(e *Entry, data []byte) error {
	const fix = "report it to the server's operator; the skill was not used"
	doc, _ := frontmatter.Parse(diag.NewFile(e.URI, data), false, registry.Neutral().Dialect)
	if !doc.Found || !doc.Valid {
		return newError(diag.RemoteFrontmatter, fix, "%s does not have valid frontmatter", e.URI)
	}
	seen := map[string]bool{}
	for _, f := range doc.Entries {
		listed, ok := e.Frontmatter[f.Key]
		if !ok {
			return newError(diag.RemoteFrontmatter, fix, "%s has a field %q that its server did not list", e.URI, truncate(f.Key))
		}
		if !equal(&f.Value, listed) {
			return newError(diag.RemoteFrontmatter, fix, "the field %q of %s differs from what its server listed", truncate(f.Key), e.URI)
		}
		seen[f.Key] = true
	}
	for key := range e.Frontmatter {
		if !seen[key] {
			return newError(diag.RemoteFrontmatter, fix, "%s does not have the field %q that its server listed", e.URI, truncate(key))
		}
	}
	return nil
}

// equal reports whether a YAML value equals a JSON value. A plain scalar may be listed either with
// its own type or as a string, because YAML parsers differ on numbers and dates.
func equal(v *definition.Value, listed any) bool {
	switch x := listed.(type) {
	case nil:
		return v.Kind == definition.Null
	case bool:
		return v.Kind == definition.Bool && strings.EqualFold(v.Text, fmt.Sprint(x))
	case json.Number:
		// With this precision, all digits that truncate keeps are compared.
		const bits = 512
		a, ok1 := new(big.Float).SetPrec(bits).SetString(truncate(v.Text))
		b, ok2 := new(big.Float).SetPrec(bits).SetString(truncate(x.String()))
		return v.Kind == definition.Number && ok1 && ok2 && a.Cmp(b) == 0
	case string:
		return v.Kind != definition.List && v.Kind != definition.Map && v.Kind != definition.Null && v.Text == x
	case []any:
		if v.Kind != definition.List || len(v.Items) != len(x) {
			return false
		}
		for i := range x {
			if !equal(&v.Items[i], x[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		if v.Kind != definition.Map || len(v.Pairs) != len(x) {
			return false
		}
		seen := map[string]bool{}
		for i := range v.Pairs {
			key := v.Pairs[i].Key
			it, ok := x[key]
			if !ok || seen[key] || !equal(&v.Pairs[i].Value, it) {
				return false
			}
			seen[key] = true
		}
		return true
	}
	return false
}
