package diag

// Code is a stable name for a kind of diagnostic. Codes are never renamed or reused.
type Code string

// Codes for the frontmatter block and its delimiters.
const (
	FMNotAtByte0    Code = "FM_NOT_AT_BYTE0"
	FMBOM           Code = "FM_BOM"
	FMUnclosed      Code = "FM_UNCLOSED"
	FMIndented      Code = "FM_INDENTED"
	FMTrailingSpace Code = "FM_TRAILING_SPACE"
	FMDashesInValue Code = "FM_DASHES_IN_VALUE"
	FMTooLarge      Code = "FM_TOO_LARGE"
	FMEmpty         Code = "FM_EMPTY"
	FMMissing       Code = "FM_MISSING"
)

// Codes for YAML, TOML and JSON syntax.
const (
	YAMLRepairedValue Code = "YAML_REPAIRED_VALUE"
	YAMLRepairedLines Code = "YAML_REPAIRED_LINES"
	YAMLInvalid       Code = "YAML_INVALID"
	YAMLForbidden     Code = "YAML_FORBIDDEN"
	YAMLDuplicateKey  Code = "YAML_DUP_KEY"
	YAMLTab           Code = "YAML_TAB"
	YAMLComment       Code = "YAML_COMMENT_CUTS_VALUE"
	TOMLInvalid       Code = "TOML_INVALID"
	JSONInvalid       Code = "JSON_INVALID"
)

// Codes for file encoding.
const (
	EncodingUTF16   Code = "ENCODING_UTF16"
	EncodingInvalid Code = "ENCODING_INVALID"
	EncodingControl Code = "ENCODING_CONTROL"
	FileBinary      Code = "FILE_BINARY"
)

// Codes for frontmatter fields.
const (
	FieldType     Code = "FIELD_TYPE"
	FieldValue    Code = "FIELD_VALUE"
	FieldSpelling Code = "FIELD_SPELLING"
	FieldMissing  Code = "FIELD_MISSING"
	VersionForm   Code = "VERSION_FORM"
	VersionNeeded Code = "VERSION_NEEDED"
)

// Codes for host versions.
const (
	HostVersion Code = "HOST_VERSION"
)

// Codes for files and directories.
const (
	FileUnreadable  Code = "FILE_UNREADABLE"
	FileTooLarge    Code = "FILE_TOO_LARGE"
	FileEmpty       Code = "FILE_EMPTY"
	FileNotRegular  Code = "FILE_NOT_REGULAR"
	FileHardLink    Code = "FILE_HARD_LINK"
	FileNotFound    Code = "FILE_NOT_FOUND"
	FileDirectory   Code = "FILE_IS_DIRECTORY"
	FileOutsideRoot Code = "FILE_OUTSIDE_ROOT"
	FileProtected   Code = "FILE_PROTECTED"
	FileName        Code = "FILE_NAME"
	ManagedOwner    Code = "MANAGED_OWNER"
	FilenameCase    Code = "FILENAME_CASE"
	LinkOutside     Code = "SYMLINK_OUTSIDE"
	LinkBroken      Code = "SYMLINK_BROKEN"
	LinkLoop        Code = "SYMLINK_LOOP"
	SameFile        Code = "SAME_FILE"
	NotRead         Code = "NOT_READ"
	DepthLimit      Code = "LIMIT_DEPTH"
	DirLimit        Code = "LIMIT_DIRECTORIES"
	FileLimit       Code = "LIMIT_FILES"
	DirSkipped      Code = "DIRECTORY_SKIPPED"
	RootSkill       Code = "ROOT_SKILL"
)

// Codes for name resolution, plugins, hooks and settings.
const (
	ShadowedBy Code = "SHADOWED_BY"
	Tie        Code = "NAME_TIE"
	AliasTaken Code = "ALIAS_TAKEN"
	// DuplicateName means that two definitions with the same name are active. DuplicateRandom means
	// that only one of them is active, and which one it is varies from run to run. NameRenamed
	// means that the host renames both.
	DuplicateName   Code = "DUPLICATE_NAME"
	DuplicateRandom Code = "DUPLICATE_NONDETERMINISTIC"
	NameRenamed     Code = "NAME_RENAMED"
	PluginInvalid   Code = "PLUGIN_INVALID"
	PluginSource    Code = "PLUGIN_SOURCE"
	HooksInvalid    Code = "HOOKS_INVALID"
	SwitchedOff     Code = "SWITCHED_OFF"
	NotListed       Code = "NOT_LISTED"
	SettingNotRead  Code = "SETTING_NOT_READ"
)

// Codes for loading a definition: errors that prevent loading, and errors in the expansion of
// individual commands and templates.
const (
	CommandNotFound     Code = "COMMAND_NOT_FOUND"
	SkillNotFound       Code = "SKILL_NOT_FOUND"
	AgentNotFound       Code = "AGENT_NOT_FOUND"
	InstructionNotFound Code = "INSTRUCTION_NOT_FOUND"
	InstructionTag      Code = "INSTRUCTION_TAG"
	NotInvocable        Code = "NOT_INVOCABLE"
	NotForAgent         Code = "NOT_FOR_AGENT"
	InvocationDenied    Code = "INVOCATION_DENIED"
	BashNotAllowed      Code = "BASH_NOT_ALLOWED"
	BashTimeout         Code = "BASH_TIMEOUT"
	BashFailed          Code = "BASH_FAILED"
	BashTruncated       Code = "BASH_TRUNCATED"
	BashInCode          Code = "BASH_IN_CODE"
	TemplateInvalid     Code = "TEMPLATE_INVALID"
	SizeLimit           Code = "SIZE_LIMIT"
	SkillLimit          Code = "SKILL_LIMIT"
)

// Codes for the audit that runs before a definition is rendered.
const (
	AuditBlocked Code = "AUDIT_BLOCKED"
	AuditCache   Code = "AUDIT_CACHE"
)

// Codes for policy files.
const (
	PolicyInvalid    Code = "POLICY_INVALID"
	PolicyUnknownKey Code = "POLICY_UNKNOWN_KEY"
	PolicyWidens     Code = "POLICY_WIDENS"
	PolicyNoEffect   Code = "POLICY_NO_EFFECT"
)

// Codes for the project's vade.yaml and the copies that vade sync writes for hosts.
const (
	ConfigInvalid    Code = "CONFIG_INVALID"
	ConfigUnknownKey Code = "CONFIG_UNKNOWN_KEY"
	SyncEdited       Code = "SYNC_EDITED"
	SyncForeign      Code = "SYNC_FOREIGN"
	SyncOrphan       Code = "SYNC_ORPHAN"
	SyncBlocked      Code = "SYNC_BLOCKED"
	SyncClash        Code = "SYNC_CLASH"
	SyncWidens       Code = "SYNC_WIDENS"
	SyncState        Code = "SYNC_STATE"
	SyncTwice        Code = "SYNC_TWICE"
	SyncHost         Code = "SYNC_HOST"
	SyncSource       Code = "SYNC_SOURCE"
	SyncCopy         Code = "SYNC_COPY"
	SyncStale        Code = "SYNC_STALE"
	SyncOutside      Code = "SYNC_OUTSIDE"
	SyncLinks        Code = "SYNC_LINKS"
	ImportLeft       Code = "IMPORT_LEFT"
	ImportExists     Code = "IMPORT_EXISTS"
	ImportJoined     Code = "IMPORT_JOINED"
	NewNote          Code = "NEW_NOTE"
)

// Codes for MCP server entries.
const (
	MCPInvalid  Code = "MCP_INVALID"
	MCPSecret   Code = "MCP_SECRET"
	MCPHidden   Code = "MCP_HIDDEN"
	MCPShadowed Code = "MCP_SHADOWED"
	MCPHeld     Code = "MCP_HELD"
	MCPNote     Code = "MCP_NOTE"
)

// Codes for definitions from MCP servers: the user's servers.yaml, the servers, and their
// responses.
const (
	RemoteConfig      Code = "REMOTE_CONFIG"
	RemoteUnknown     Code = "REMOTE_UNKNOWN"
	RemoteDown        Code = "REMOTE_DOWN"
	RemoteRefused     Code = "REMOTE_REFUSED"
	RemoteSlow        Code = "REMOTE_SLOW"
	RemoteInvalid     Code = "REMOTE_INVALID"
	RemoteLimit       Code = "REMOTE_LIMIT"
	RemoteDigest      Code = "REMOTE_DIGEST"
	RemoteFrontmatter Code = "REMOTE_FRONTMATTER"
	RemoteUnlisted    Code = "REMOTE_UNLISTED"
	RemoteDynamic     Code = "REMOTE_DYNAMIC"
	RemoteUntrusted   Code = "REMOTE_UNTRUSTED"
	RemoteChanged     Code = "REMOTE_CHANGED"
	RemoteInert       Code = "REMOTE_INERT"
)

// Codes for approvals.
const (
	TrustNeeded  Code = "TRUST_NEEDED"
	TrustChanged Code = "TRUST_CHANGED"
	TrustInvalid Code = "TRUST_INVALID"
)

// Codes for frontmatter that some hosts reject or read differently.
const (
	NameDirMismatch Code = "NAME_DIR_MISMATCH"
	NameChars       Code = "NAME_CHARS"
	NameLength      Code = "NAME_LEN"
	DescLength      Code = "DESC_LEN"
	DescLines       Code = "DESC_LINES"
	DescMarkup      Code = "DESC_MARKUP"
	FieldUnknown    Code = "FIELD_UNKNOWN"
	FieldBool       Code = "FIELD_BOOL"
	FieldList       Code = "FIELD_LIST"
	MetadataForm    Code = "METADATA_FORM"
	FMLineEnds      Code = "FM_LINE_ENDS"
)

// Codes for differences in how hosts interpret a file.
const (
	ToolsUnmatchable  Code = "TOOLS_RULE_UNMATCHABLE"
	GlobsIgnored      Code = "RULES_GLOBS_IGNORED"
	ArgIndexBase      Code = "ARG_INDEX_BASE"
	ArgInCode         Code = "ARG_IN_CODE"
	ArgNotFilled      Code = "ARG_NOT_FILLED"
	ShellNotRun       Code = "SHELL_NOT_RUN"
	ShellInFence      Code = "SHELL_IN_FENCE"
	ShellArgInjection Code = "SHELL_ARG_INJECTION"
	LinkMissing       Code = "LINK_MISSING"
	LinkLeaves        Code = "LINK_LEAVES_SKILL"
	NestedSkill       Code = "NESTED_SKILL"
	RootUnread        Code = "ROOT_NOT_READ_BY_HOST"
	ListingBudget     Code = "LISTING_BUDGET"
	CheckInvalid      Code = "CHECK_INVALID"
	CheckNoEffect     Code = "CHECK_NO_EFFECT"
)

// Codes for problems that occur when skills are published.
const (
	PublishName        Code = "PUBLISH_NAME"
	PublishFrontmatter Code = "PUBLISH_FRONTMATTER"
	PublishFile        Code = "PUBLISH_FILE"
	PublishLimit       Code = "PUBLISH_LIMIT"
	PublishTwice       Code = "PUBLISH_TWICE"
	PublishForeign     Code = "PUBLISH_FOREIGN"
)

// Codes for parts of session transcripts that are unreadable or omitted.
const (
	TranscriptLine    Code = "TRANSCRIPT_LINE"
	TranscriptLimit   Code = "TRANSCRIPT_LIMIT"
	TranscriptUnknown Code = "TRANSCRIPT_UNKNOWN"
	TranscriptPart    Code = "TRANSCRIPT_PART"
	TranscriptSecret  Code = "TRANSCRIPT_SECRET"
)

// Codes for bundled definitions.
const (
	CompanionsMissing Code = "COMPANIONS_MISSING"
)

// Severity returns the code's default severity. A code that is not listed here is a warning.
func (c Code) Severity() Severity {
	switch c {
	case YAMLInvalid, YAMLForbidden, TOMLInvalid, JSONInvalid, FMTooLarge,
		EncodingUTF16, FileBinary, FileUnreadable, FileTooLarge, FileNotRegular, FileHardLink,
		FileNotFound, FileDirectory, FileOutsideRoot, FileProtected, FileName, ManagedOwner, LinkOutside, LinkBroken,
		VersionNeeded, PluginInvalid, PolicyInvalid, PolicyUnknownKey, DepthLimit, DirLimit, FileLimit,
		CommandNotFound, SkillNotFound, AgentNotFound, InstructionNotFound, NotInvocable, NotForAgent, InvocationDenied, TemplateInvalid, BashNotAllowed, BashTimeout, BashFailed, SizeLimit, SkillLimit, AuditBlocked,
		TrustNeeded, TrustChanged, CheckInvalid,
		RemoteConfig, RemoteDigest, RemoteFrontmatter, RemoteUnlisted,
		ConfigInvalid, ConfigUnknownKey, SyncEdited, SyncForeign, SyncOrphan, SyncBlocked, SyncClash, SyncWidens, SyncSource, SyncState, PublishForeign:
		return Error
	case FMTrailingSpace, YAMLTab, YAMLComment, FieldSpelling, VersionForm,
		FileEmpty, SameFile, NotRead, DirSkipped, LinkLoop, ShadowedBy, PluginSource, SwitchedOff, NotListed,
		DescLines, DescMarkup, FieldUnknown, FieldList, FMLineEnds, RootUnread, LinkLeaves, MCPHidden, MCPShadowed, MCPHeld, MCPNote, SyncTwice, SyncHost, SyncCopy, SyncOutside, SyncLinks,
		NewNote, AuditCache, RemoteUnknown, RemoteInert, RemoteDynamic, TranscriptUnknown, TranscriptPart, TranscriptSecret:
		return Info
	}
	return Warning
}
