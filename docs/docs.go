// Package docs holds the pages of the documentation that commands print.
package docs

import "embed"

// Rules are the pages of the check rules: rules/CODE.md, with the code in lowercase.
//
//go:embed rules/*.md
var Rules embed.FS

// Diagnostics is the page that lists every diagnostic code with its severity and meaning.
//
//go:embed diagnostics.md
var Diagnostics string
