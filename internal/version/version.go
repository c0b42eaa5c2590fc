// Package version provides Vade's version. Release builds set all of its
// variables at link time; see packaging/release.
package version

var (
	// Number is the semantic version, without "v".
	Number = "0.1.0"
	// Commit is the full hash of the commit that a release was built from, with
	// "-dirty" appended if the checkout had changes. Date is the commit's time
	// in RFC 3339 format. Both are empty in other builds.
	Commit, Date string
)
