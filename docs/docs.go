// Package docs embeds the documentation pages that commands print.
package docs

import "embed"

// Rules contains a page for each check rule. The page for the rule CODE is rules/code.md, with the
// code in lowercase.
//
//go:embed rules/*.md
var Rules embed.FS

// Codes lists the diagnostic codes that have no page in Rules. Each line contains a code and its
// meaning.
//
//go:embed codes.txt
var Codes string

// Topics contains the pages that "vade help TOPIC" prints. The file TOPIC.md is the page for a
// topic, connect/HOST.md is the page for a host that vade connect supports, and connect/README.md
// covers all of these hosts.
//
//go:embed diagnostics.md doctor.md list.md
//go:embed add.md audit.md check.md claude-sdk.md clean.md copilot-sdk.md environment.md exit-codes.md
//go:embed enable.md explain.md export.md formatting.md github-action.md go.md hooks.md load.md loop.md mcp.md new.md
//go:embed policy.md pre-commit.md preview.md prompt.md python.md remote.md rpc.md run.md schemas.md security.md serve.md
//go:embed search.md skillify.md skills.md skills-over-mcp.md stats.md sync.md typescript.md vade-yaml.md connect/*.md
var Topics embed.FS
