package cli

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/version"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  vade version\n  vade version --json",
		Args: exactly(cobra.NoArgs, "see: vade version --help"),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return json.NewEncoder(a.world.Stdout).Encode(map[string]string{
					"version": version.Number, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.world.Stdout, "vade %s (%s, %s/%s)\n", version.Number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
