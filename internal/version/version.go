// Package version provides Vade's version. A release sets all of it when it is linked; see
// packaging/release.
package version

var (
	// Number is the version, in semantic-version form without "v".
	Number = "0.1.0"
	// Commit is the full hash of the commit that a release was built from, with "-dirty" if its
	// checkout had changes, and Date is the commit's time in RFC 3339 form. They are empty in other
	// builds.
	Commit, Date string
)
