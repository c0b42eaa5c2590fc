// Package version provides Vade's version.
package version

// Number is Vade's version, in semantic-version form.
const Number = "0.1.0"
