package coreutils

// textCommands are the commands that read text.
func textCommands() []Command {
	return []Command{
		commCommand(), cutCommand(), dateCommand(), echoCommand(), egrepCommand(), fgrepCommand(), foldCommand(),
		grepCommand(), jqCommand(), nlCommand(), pasteCommand(), printfCommand(), revCommand(), sedCommand(), seqCommand(),
		sleepCommand(), sortCommand(), tacCommand(), trCommand(), unameCommand(), uniqCommand(), xargsCommand(),
	}
}
