package cli

import "github.com/spf13/cobra"

func (a *app) completion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print the completion script of a shell",
		Long: "Print the script that completes vade's commands, flags and names in bash, zsh, fish or powershell.",
		Example: `  vade completion bash > /etc/bash_completion.d/vade
  vade completion zsh > "${fpath[1]}/_vade"
  vade completion fish > ~/.config/fish/completions/vade.fish
  vade completion powershell >> $PROFILE`,
		ValidArgs: shells,
		Args:      exactly(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs), "use one of: bash, zsh, fish, powershell"),
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), a.world.Stdout
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return root.GenBashCompletionV2(out, true)
		},
	}
}
