package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vadehq/vade/internal/version"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Long: `--json prints {"version", "commit", "date", "go", "platform"}. commit and date are
empty unless this is a release build.`,
		Example: "  vade version\n  vade version --json",
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]string{
					"version": version.Number, "commit": version.Commit, "date": version.Date,
					"go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(a.world.Stdout, "vade %s (%s, %s/%s)\n", version.Number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
