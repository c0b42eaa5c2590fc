// Package docs embeds the documentation pages that commands print.
package docs

import "embed"

// Rules has the pages of the check rules: rules/CODE.md, with the code in lowercase.
//
//go:embed rules/*.md
var Rules embed.FS

// Diagnostics is the page that lists every diagnostic code with its severity and meaning.
//
//go:embed diagnostics.md
var Diagnostics string

// Topics has the pages that "vade help TOPIC" prints: TOPIC.md, and connect/HOST.md for the hosts
// that vade connect supports. connect/README.md covers all of these hosts.
//
//go:embed doctor.md list.md
//go:embed add.md audit.md check.md claude-sdk.md clean.md commands.md copilot-sdk.md environment.md exit-codes.md
//go:embed enable.md explain.md export.md formatting.md github-action.md go.md hooks.md load.md loop.md mcp.md new.md
//go:embed policy.md pre-commit.md preview.md prompt.md python.md remote.md rpc.md run.md schemas.md security.md serve.md
//go:embed search.md skillify.md skills.md skills-over-mcp.md stats.md sync.md typescript.md vade-yaml.md connect/*.md
var Topics embed.FS
