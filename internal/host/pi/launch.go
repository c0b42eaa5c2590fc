package pi

import "github.com/vadehq/vade/internal/host"

// launch describes pi's print mode. pi has no permissions, so it never asks, according to pi's
// documentation.
func launch() *host.Launch {
	return &host.Launch{Print: []string{"pi", "-p"}, Install: "npm install -g @mariozechner/pi-coding-agent"}
}
