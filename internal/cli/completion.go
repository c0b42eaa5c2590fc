package cli

import "github.com/spf13/cobra"

func (a *app) completion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "Print a shell completion script",
		Long: "Print a script that completes commands, flags and definition names in bash, zsh,\nfish or powershell.",
		Example: `  vade completion bash > /etc/bash_completion.d/vade
  vade completion zsh > "${fpath[1]}/_vade"
  vade completion fish > ~/.config/fish/completions/vade.fish
  vade completion powershell >> $PROFILE`,
		ValidArgs: shells,
		Args:      checkArgs("use one of: bash, zsh, fish, powershell"),
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), a.world.Stdout
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			case "bash":
				return root.GenBashCompletionV2(out, true)
			}
			return unknownWord("completion", "shell", args[0], shells)
		},
	}
}
