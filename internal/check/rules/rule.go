package rules

import "github.com/vadehq/vade/diag"

// Rule is one rule on the text of definitions. What hosts and the reading itself
// report has no row here: its code is enough.
type Rule struct {
	Code diag.Code
	// Title says in a few words what the rule asks for.
	Title string
	check func(*pass)
}

// Rules returns the rules on texts, in the order in which they are applied.
func Rules() []Rule {
	return []Rule{
		{diag.NameDirMismatch, "a skill's name is that of its directory", nameDirectory},
		{diag.NameChars, "a name has small letters, digits and single hyphens", nameCharacters},
		{diag.NameLength, "a name has at most 64 characters", nameLength},
		{diag.DescLength, "a description has at most 1,024 characters", descriptionLength},
		{diag.DescLines, "a description is one line", descriptionLines},
		{diag.DescMarkup, "a description has no angle brackets", descriptionMarkup},
		{diag.FieldUnknown, "a field is one that a host knows", unknownFields},
		{diag.FieldBool, "a truth value is true or false", truthValues},
		{diag.FieldList, "a field that not all hosts take as a list is text", listValues},
		{diag.MetadataForm, "metadata is a map of texts", metadata},
		{diag.FMLineEnds, "lines end in a line feed alone", lineEnds},
		{diag.ToolsUnmatchable, "a rule for tools can match something", toolRules},
		{diag.GlobsIgnored, "a rule file says its paths in the field that the host reads", globsIgnored},
		{diag.ArgIndexBase, "arguments are not taken by number where hosts count differently", argumentNumbers},
		{diag.ArgInCode, "code has nothing that a host takes for an argument", argumentsInCode},
		{diag.ArgNotFilled, "arguments are filled in by every host that reads the definition", argumentsUnequal},
		{diag.ShellNotRun, "commands are run by every host that reads the definition", shellUnequal},
		{diag.ShellInFence, "code has nothing that a host runs", shellInCode},
		{diag.ShellArgInjection, "no argument stands in a shell command", argumentsInShell},
		{diag.LinkMissing, "what a link leads to is there", links},
		{diag.LinkLeaves, "a link of a skill stays in the skill", nil},
		{diag.NestedSkill, "no skill stands in another", nil},
		{diag.RootUnread, "every checked host reads the directory of a definition", nil},
		{diag.ListingBudget, "all descriptions fit into what a host lists", nil},
	}
}

// Judged are the codes that checking reports besides those of [Rules]: what the
// reading of definitions says in one view or another. The list is of those that
// have a page.
func Judged() []diag.Code {
	return []diag.Code{
		diag.FMNotAtByte0, diag.FMBOM, diag.FMUnclosed, diag.FMIndented, diag.FMTrailingSpace, diag.FMDashesInValue, diag.FMTooLarge,
		diag.FMEmpty, diag.FMMissing,
		diag.YAMLRepairedValue, diag.YAMLRepairedLines, diag.YAMLInvalid, diag.YAMLForbidden, diag.YAMLDuplicateKey, diag.YAMLTab,
		diag.YAMLComment, diag.TOMLInvalid, diag.JSONInvalid,
		diag.EncodingUTF16, diag.EncodingInvalid, diag.EncodingControl, diag.FileBinary,
		diag.FieldType, diag.FieldValue, diag.FieldSpelling, diag.FieldMissing, diag.VersionForm, diag.VersionNeeded, diag.HooksInvalid,
		diag.FileUnreadable, diag.FileTooLarge, diag.FileEmpty, diag.FileNotRegular, diag.FileHardLink, diag.FileProtected, diag.FilenameCase,
		diag.LinkOutside, diag.LinkBroken, diag.LinkLoop, diag.NotRead, diag.RootSkill,
		diag.DepthLimit, diag.DirLimit, diag.FileLimit,
		diag.ShadowedBy, diag.Tie, diag.DuplicateName, diag.DuplicateRandom, diag.NameRenamed, diag.AliasTaken, diag.PluginInvalid, diag.PluginSource,
		diag.CheckInvalid, diag.CheckNoEffect, diag.ConfigInvalid, diag.ConfigUnknownKey, diag.SkillNotFound,
	}
}

// portable are the codes of what only some hosts stumble on: where a single host
// is checked, and its view says nothing of it, they are for information.
func portable(c diag.Code) bool {
	switch c {
	case diag.NameDirMismatch, diag.NameChars, diag.NameLength, diag.DescLength, diag.DescLines, diag.DescMarkup,
		diag.FieldBool, diag.FieldList, diag.MetadataForm, diag.FMLineEnds, diag.ArgIndexBase,
		diag.FMNotAtByte0, diag.FMBOM, diag.FMIndented, diag.FMTrailingSpace, diag.FMDashesInValue, diag.FMUnclosed,
		diag.YAMLRepairedValue, diag.YAMLRepairedLines, diag.YAMLTab, diag.YAMLDuplicateKey,
		diag.FieldSpelling, diag.FieldMissing, diag.FilenameCase, diag.RootSkill, diag.NestedSkill:
		return true
	}
	return false
}
