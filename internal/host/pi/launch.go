package pi

import "github.com/vadehq/vade/internal/host"

// launch describes pi's print mode. It asks nothing: it has no permissions (documented).
func launch() *host.Launch { return &host.Launch{Print: []string{"pi", "-p"}} }
