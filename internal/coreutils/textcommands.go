package coreutils

// textCommands are the commands that read text.
func textCommands() []Command {
	return []Command{
		archCommand(), columnCommand(), commCommand(), cutCommand(), dateCommand(), echoCommand(), egrepCommand(), fgrepCommand(),
		foldCommand(), grepCommand(), hostnameCommand(), idCommand(), jqCommand(), nlCommand(), nprocCommand(), pasteCommand(),
		printfCommand(), revCommand(), sedCommand(), seqCommand(), sleepCommand(), sortCommand(), tacCommand(), trCommand(),
		unameCommand(), uniqCommand(), whoamiCommand(), xargsCommand(),
	}
}
