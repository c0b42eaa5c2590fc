package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// KnownBad is the blocklist from the user's policy. Vade has no built-in blocklist.
type KnownBad struct {
	// Digests holds SHA-256 file digests in hexadecimal. Hosts holds host names, each of which
	// includes its subdomains. Publishers holds package owners, such as OWNER in github.com/OWNER.
	Digests, Hosts, Publishers []string
}

// find adds a signal for each file, host and publisher in the package that is on the blocklist.
func (k *KnownBad) find(set *signal.Set) {
	if k == nil {
		return
	}
	add := func(place signal.Place, subject, what string) {
		tags := []signal.Tag{"known-bad"}
		set.AddAt(signal.Signal{Kind: signal.Name, Place: place, Tags: tags, Subject: subject, Object: what})
	}
	publisher := func(place signal.Place, name string) {
		isIt := func(p string) bool { return name != "" && strings.EqualFold(p, name) }
		if slices.ContainsFunc(k.Publishers, isIt) {
			add(place, name, "publishers")
		}
	}
	for i, f := range set.Package.Files {
		if len(k.Digests) == 0 || int64(len(f.Raw)) < f.Size {
			continue
		}
		sum := sha256.Sum256(f.Raw)
		digest := hex.EncodeToString(sum[:])
		isIt := func(d string) bool { return strings.EqualFold(strings.TrimPrefix(d, "sha256:"), digest) }
		if slices.ContainsFunc(k.Digests, isIt) {
			add(signal.Place{File: i}, f.Path, "files")
		}
	}
	for i := range set.Signals {
		switch s := set.Signals[i]; s.Kind {
		case signal.Address:
			if slices.ContainsFunc(k.Hosts, func(h string) bool { return within(s.Object, h) }) {
				add(s.Place, s.Object, "hosts")
			}
			publisher(s.Place, s.Owner)
		case signal.Name:
			if s.Has("publisher") {
				publisher(s.Place, strings.TrimPrefix(s.Subject, "@"))
			}
		}
	}
}

// within reports whether host equals domain or is one of its subdomains.
func within(host, domain string) bool {
	domain = strings.ToLower(strings.Trim(domain, "."))
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}
