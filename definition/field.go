package definition

// Field is a known frontmatter field.
type Field uint8

const (
	FieldName Field = iota + 1
	FieldTitle
	FieldDescription
	FieldWhenToUse
	FieldArgumentHint
	FieldArguments
	FieldAllowedTools
	FieldDisallowedTools
	FieldTools
	FieldModel
	FieldEffort
	FieldContext
	FieldAgent
	FieldShell
	FieldPaths
	FieldGlobs
	FieldApplyTo
	FieldAlwaysApply
	FieldUserInvocable
	FieldDisableModelInvocation
	FieldHooks
	FieldMCPServers
	FieldVersion
	FieldRequires
	FieldLicense
	FieldCompatibility
	FieldMetadata
	FieldKeywords
	FieldAliases
	FieldAgents
	FieldSkills
	FieldHasArchitectureAccess
	FieldExcludeAgent
	FieldTarget
	FieldHandoffs
	FieldPrompt
	FieldColor
	FieldMode
	FieldPermissionMode
	FieldMaxTurns
	FieldMemory
	FieldBackground
	FieldIsolation
	FieldInitialPrompt
	FieldTemperature
	FieldSubtask
	fieldEnd
)

// Shape is the value type of a field.
type Shape uint8

// The shapes. Words is a YAML list, or a string in which commas or whitespace separate the items.
// Globs is like Words, except that commas inside braces do not separate items. Hint is text in
// which brackets have no special meaning, unlike in YAML. A value of shape Any is not converted.
const (
	Text Shape = iota
	Words
	Globs
	Hint
	Flag
	Mapping
	Any
)

// spelling holds each field's canonical key and shape.
var spelling = [fieldEnd]struct {
	key   string
	shape Shape
}{
	FieldName:                   {"name", Text},
	FieldTitle:                  {"title", Text},
	FieldDescription:            {"description", Text},
	FieldWhenToUse:              {"when_to_use", Text},
	FieldArgumentHint:           {"argument-hint", Hint},
	FieldArguments:              {"arguments", Words},
	FieldAllowedTools:           {"allowed-tools", Words},
	FieldDisallowedTools:        {"disallowed-tools", Words},
	FieldTools:                  {"tools", Words},
	FieldModel:                  {"model", Any},
	FieldEffort:                 {"effort", Text},
	FieldContext:                {"context", Text},
	FieldAgent:                  {"agent", Text},
	FieldShell:                  {"shell", Text},
	FieldPaths:                  {"paths", Globs},
	FieldGlobs:                  {"globs", Globs},
	FieldApplyTo:                {"applyTo", Globs},
	FieldAlwaysApply:            {"alwaysApply", Flag},
	FieldUserInvocable:          {"user-invocable", Flag},
	FieldDisableModelInvocation: {"disable-model-invocation", Flag},
	FieldHooks:                  {"hooks", Mapping},
	FieldMCPServers:             {"mcp-servers", Any},
	FieldVersion:                {"version", Text},
	FieldRequires:               {"requires", Any},
	FieldLicense:                {"license", Text},
	FieldCompatibility:          {"compatibility", Any},
	FieldMetadata:               {"metadata", Any},
	FieldKeywords:               {"keywords", Words},
	FieldAliases:                {"aliases", Words},
	FieldAgents:                 {"agents", Words},
	FieldSkills:                 {"skills", Words},
	FieldHasArchitectureAccess:  {"hasArchitectureAccess", Flag},
	FieldExcludeAgent:           {"excludeAgent", Words},
	FieldTarget:                 {"target", Text},
	FieldHandoffs:               {"handoffs", Any},
	FieldPrompt:                 {"prompt", Text},
	FieldColor:                  {"color", Text},
	FieldMode:                   {"mode", Text},
	FieldPermissionMode:         {"permissionMode", Text},
	FieldMaxTurns:               {"maxTurns", Text},
	FieldMemory:                 {"memory", Text},
	FieldBackground:             {"background", Flag},
	FieldIsolation:              {"isolation", Text},
	FieldInitialPrompt:          {"initialPrompt", Text},
	FieldTemperature:            {"temperature", Text},
	FieldSubtask:                {"subtask", Flag},
}

// Key returns the field's canonical key.
func (f Field) Key() string { return spelling[f].key }

// Shape returns the field's value type.
func (f Field) Shape() Shape { return spelling[f].shape }

// LookupField returns the field for a key, ignoring case, hyphens and underscores. It also accepts
// alternative keys such as displayName. It returns 0 if the key is unknown.
func LookupField(key string) Field {
	var folded [32]byte
	n := 0
	for i := range len(key) {
		c := key[i]
		if c == '-' || c == '_' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if n == len(folded) {
			return 0
		}
		folded[n] = c
		n++
	}
	switch string(folded[:n]) {
	case "name":
		return FieldName
	case "title", "displayname":
		return FieldTitle
	case "description":
		return FieldDescription
	case "whentouse":
		return FieldWhenToUse
	case "argumenthint":
		return FieldArgumentHint
	case "arguments":
		return FieldArguments
	case "allowedtools":
		return FieldAllowedTools
	case "disallowedtools":
		return FieldDisallowedTools
	case "tools":
		return FieldTools
	case "model":
		return FieldModel
	case "effort":
		return FieldEffort
	case "context":
		return FieldContext
	case "agent":
		return FieldAgent
	case "shell":
		return FieldShell
	case "paths":
		return FieldPaths
	case "globs", "glob":
		return FieldGlobs
	case "applyto":
		return FieldApplyTo
	case "alwaysapply":
		return FieldAlwaysApply
	case "userinvocable", "userinvokable":
		return FieldUserInvocable
	case "disablemodelinvocation":
		return FieldDisableModelInvocation
	case "hooks":
		return FieldHooks
	case "mcpservers":
		return FieldMCPServers
	case "version":
		return FieldVersion
	case "requires":
		return FieldRequires
	case "license", "licence":
		return FieldLicense
	case "compatibility":
		return FieldCompatibility
	case "metadata":
		return FieldMetadata
	case "keywords":
		return FieldKeywords
	case "aliases":
		return FieldAliases
	case "agents", "foragents":
		return FieldAgents
	case "skills", "useskills":
		return FieldSkills
	case "hasarchitectureaccess":
		return FieldHasArchitectureAccess
	case "excludeagent":
		return FieldExcludeAgent
	case "target":
		return FieldTarget
	case "handoffs":
		return FieldHandoffs
	case "prompt":
		return FieldPrompt
	case "color", "colour":
		return FieldColor
	case "mode":
		return FieldMode
	case "permissionmode":
		return FieldPermissionMode
	case "maxturns":
		return FieldMaxTurns
	case "memory":
		return FieldMemory
	case "background":
		return FieldBackground
	case "isolation":
		return FieldIsolation
	case "initialprompt":
		return FieldInitialPrompt
	case "temperature":
		return FieldTemperature
	case "subtask":
		return FieldSubtask
	}
	return 0
}
