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

// Digest returns "sha256:" and the hash of data in hexadecimal digits.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// verify asserts that data is what the listing said of it.
func verify(r *Resource, data []byte) error {
	if int64(len(data)) != r.Size {
		return failed(diag.RemoteDigest, "tell whoever runs the server; nothing of it was used", "%s has %d bytes, and its server listed %d", r.URI, len(data), r.Size)
	}
	if Digest(data) != r.Digest {
		return failed(diag.RemoteDigest, "tell whoever runs the server; nothing of it was used", "%s has not the digest that its server listed", r.URI)
	}
	return nil
}

// compareFields asserts that the fields in the text of a SKILL.md are just those
// that the server listed: what a user consented to and a model was shown is what
// is loaded.
func compareFields(e *Entry, data []byte) error {
	const fix = "tell whoever runs the server; nothing of it was used"
	doc, _ := frontmatter.Parse(diag.NewFile(e.URI, data), false, registry.Neutral().Dialect)
	if !doc.Found || !doc.Valid {
		return failed(diag.RemoteFrontmatter, fix, "%s has no frontmatter that can be read", e.URI)
	}
	seen := map[string]bool{}
	for _, f := range doc.Entries {
		listed, ok := e.Frontmatter[f.Key]
		if !ok {
			return failed(diag.RemoteFrontmatter, fix, "%s has a field %q that its server did not list", e.URI, short(f.Key))
		}
		if !same(&f.Value, listed) {
			return failed(diag.RemoteFrontmatter, fix, "the field %q of %s is another than its server listed", short(f.Key), e.URI)
		}
		seen[f.Key] = true
	}
	for key := range e.Frontmatter {
		if !seen[key] {
			return failed(diag.RemoteFrontmatter, fix, "%s has no field %q, which its server listed", e.URI, short(key))
		}
	}
	return nil
}

// same reports whether a value of a file and one of JSON are equal. A plain scalar
// may be listed by its type or as the text that it is: readers of YAML differ in
// what they take for a number or a date, and the text says the same.
func same(v *definition.Value, listed any) bool {
	switch x := listed.(type) {
	case nil:
		return v.Kind == definition.Null
	case bool:
		return v.Kind == definition.Bool && strings.EqualFold(v.Text, fmt.Sprint(x))
	case json.Number:
		// The digits that short leaves fit into that many bits.
		const bits = 512
		a, ok1 := new(big.Float).SetPrec(bits).SetString(short(v.Text))
		b, ok2 := new(big.Float).SetPrec(bits).SetString(short(x.String()))
		return v.Kind == definition.Number && ok1 && ok2 && a.Cmp(b) == 0
	case string:
		return v.Kind != definition.List && v.Kind != definition.Map && v.Kind != definition.Null && v.Text == x
	case []any:
		if v.Kind != definition.List || len(v.Items) != len(x) {
			return false
		}
		for i := range x {
			if !same(&v.Items[i], x[i]) {
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
			if !ok || seen[key] || !same(&v.Pairs[i].Value, it) {
				return false
			}
			seen[key] = true
		}
		return true
	}
	return false
}
