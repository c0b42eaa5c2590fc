package coreutils

// fileCommands are the commands about files, directories and names.
func fileCommands() []Command {
	return []Command{
		{"[", "Test files, texts and numbers", testSyntax, prepareBracket},
		{":", "Succeed", noSyntax, prepareStatus(0)},
		{"basename", "Print the last element of names", basenameSyntax, prepareBasename},
		{"cat", "Print files", catSyntax, prepareCat},
		{"cmp", "Compare two files byte by byte", cmpSyntax, prepareCmp},
		{"command", "Say what a name runs, or run it", commandSyntax, prepareCommand},
		{"diff", "Compare files line by line", diffSyntax, prepareDiff},
		{"dirname", "Print the directory part of names", dirnameSyntax, prepareDirname},
		{"du", "Add up the size of files", duSyntax, prepareDu},
		{"false", "Fail", noSyntax, prepareStatus(1)},
		{"find", "Find files below directories", findSyntax, prepareFind},
		{"head", "Print the beginning of files", headSyntax, prepareHead},
		{"ls", "List directories", lsSyntax, prepareLs},
		{"md5sum", "Print MD5 digests of files", digestSyntax, prepareDigest("md5sum")},
		{"pwd", "Print the working directory", pwdSyntax, preparePwd},
		{"readlink", "Print where a link leads", readlinkSyntax, prepareReadlink},
		{"realpath", "Print names without links and dots", realpathSyntax, prepareRealpath},
		{"sha1sum", "Print SHA-1 digests of files", digestSyntax, prepareDigest("sha1sum")},
		{"sha256sum", "Print SHA-256 digests of files", digestSyntax, prepareDigest("sha256sum")},
		{"sha512sum", "Print SHA-512 digests of files", digestSyntax, prepareDigest("sha512sum")},
		{"stat", "Print facts of files in a format", statSyntax, prepareStat},
		{"tail", "Print the end of files", tailSyntax, prepareTail},
		{"test", "Test files, texts and numbers", testSyntax, prepareTest},
		{"tree", "List directories as a tree", treeSyntax, prepareTree},
		{"true", "Succeed", noSyntax, prepareStatus(0)},
		{"type", "Say what a name runs", typeSyntax, prepareType},
		{"wc", "Count lines, words and bytes", wcSyntax, prepareWc},
		{"which", "Print the path of programs", whichSyntax, prepareWhich},
	}
}
