// Package rules checks whether each host that reads a definition's file loads the definition, and
// whether the hosts interpret its text in the same way. It performs no I/O: its findings are
// derived from definitions, their text, and what each host does with them.
//
// [Run] applies the rules to definition text, [Merge] combines their findings with each host's
// treatment of the definition, and [Config] and [Baseline] select the findings to report.
package rules

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Finding is a problem in a definition, or a difference between hosts.
type Finding struct {
	Code     diag.Code     `json:"code"`
	Severity diag.Severity `json:"severity"`
	// Path is the path of the file or directory, as displayed. Lines and columns start at 1, and
	// columns count characters. Both are 0 if the finding concerns the whole file. EndLine and
	// EndColumn are the position after the last character.
	Path      string `json:"path"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Message   string `json:"message"`
	// Fix says what the user should do. Edit makes that change, if a single edit can.
	Fix  string     `json:"fix,omitempty"`
	Edit *diag.Edit `json:"edit,omitempty"`
	// Hosts lists the checked hosts that the finding applies to. Empty means all hosts.
	Hosts []string `json:"hosts,omitempty"`
	// NotLoaded lists the hosts that do not load the definition because of the finding.
	NotLoaded []string `json:"notLoaded,omitempty"`
	// Fingerprint identifies the finding and does not change when lines move.
	Fingerprint string `json:"fingerprint"`

	// Source is the line's text. It is untrusted.
	Source string `json:"-"`
	// Bytes is the finding's byte range in the file.
	Bytes diag.Span `json:"-"`
	// bareMessage is Message without the list of hosts.
	bareMessage string
	// tails describes what the hosts that load the file despite the problem do with it.
	tails []tail
	// field is the key of the missing field if the finding is about one.
	field string
}

// Of converts a diagnostic to a finding.
func Of(d diag.Diagnostic) Finding {
	return Finding{
		Code: d.Code, Severity: d.Severity, Path: d.File, Line: d.Line, Column: d.Column, EndLine: d.EndLine, EndColumn: d.EndColumn,
		Message: d.Message, Fix: d.Fix, Edit: d.Edit, Source: d.Source, field: d.Field,
	}
}

// Diagnostic converts the finding to a diagnostic, without the host lists.
func (f *Finding) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Code: f.Code, Severity: f.Severity, Message: f.Message, File: f.Path, Line: f.Line, Column: f.Column,
		EndLine: f.EndLine, EndColumn: f.EndColumn, Fix: f.Fix, Edit: f.Edit, Source: f.Source,
	}
}

// Subject is a definition to check, with its text and the hosts to check it for.
type Subject struct {
	Definition *definition.Definition
	File       *diag.File
	// Entries holds the frontmatter fields with their positions in the file.
	Entries []definition.Entry
	// Body is the text after the frontmatter, and BodyAt is its offset in the file. BodyAt is -1 if
	// the body is a frontmatter value and therefore has no offset.
	Body   string
	BodyAt int
	// Readers holds the checked hosts that load the definition. Hosts holds all checked hosts.
	Readers, Hosts []*host.Profile
	// Look returns the kind of file at a path relative to the file's directory. LookTop does the
	// same for a path relative to the project root. If they are nil, links are not checked.
	Look, LookTop func(rel string) Target
}

// Target says where the target of a reference is, or that there is none.
type Target uint8

// Kinds of targets. Unknown is a path that cannot be examined.
const (
	Unknown Target = iota
	Missing
	Inside
	// Sibling is a file in the project but outside the skill's own directory. Outside is a file
	// outside the project.
	Sibling
	Outside
)

// maxFindings limits the findings per file, so that a hostile file cannot exhaust memory.
const maxFindings = 100

// pass holds the state while the rules are applied to one definition.
type pass struct {
	*Subject
	out []Finding
	// code is the current rule's code.
	code diag.Code
}

// at reports a finding of the current rule for a range of the file.
func (p *pass) at(span diag.Span, format string, args ...any) *Finding {
	d := diag.At(p.File, span, p.code, format, args...)
	f := Of(d)
	f.Bytes = span
	return p.add(f)
}

// whole reports a finding about the file as a whole.
func (p *pass) whole(format string, args ...any) *Finding {
	return p.add(Of(diag.For(p.Definition.Origin.Path, p.code, format, args...)))
}

func (p *pass) add(f Finding) *Finding {
	if len(p.out) >= maxFindings {
		return new(Finding)
	}
	p.out = append(p.out, f)
	return &p.out[len(p.out)-1]
}

// in reports a finding for a range of the body. If the body has no offset in the file, the finding
// applies to the whole file.
func (p *pass) in(span diag.Span, format string, args ...any) *Finding {
	if p.BodyAt < 0 {
		return p.whole(format, args...)
	}
	return p.at(diag.Span{Start: p.BodyAt + span.Start, End: p.BodyAt + span.End}, format, args...)
}

// edit sets the edit that fixes a finding.
func (f *Finding) edit(span diag.Span, text string) *Finding {
	f.Edit = &diag.Edit{Span: span, Start: span.Start, End: span.End, New: text}
	return f
}

func (f *Finding) fix(text string) *Finding {
	f.Fix = text
	return f
}

// about restricts a finding to certain hosts.
func (f *Finding) about(hosts []*host.Profile) *Finding {
	f.Hosts = names(hosts)
	return f
}

func names(hosts []*host.Profile) []string {
	var list []string
	for _, p := range hosts {
		list = append(list, p.Name)
	}
	return list
}

// field returns the first entry for a field, whichever spelling of its key the file uses.
func (p *pass) field(f definition.Field) *definition.Entry {
	for i := range p.Entries {
		if definition.LookupField(p.Entries[i].Key) == f {
			return &p.Entries[i]
		}
	}
	return nil
}

// Run applies all rules to a definition.
func Run(s *Subject) []Finding {
	if !utf8.Valid(s.File.Data) && s.BodyAt >= 0 {
		// Invalid UTF-8 in the body was replaced, so offsets in the body no longer match the file.
		moved := *s
		moved.BodyAt = -1
		s = &moved
	}
	p := pass{Subject: s}
	for _, r := range rules() {
		p.code = r.code
		r.check(&p)
	}
	return p.out
}

// Sort sorts findings by file, position, code and message.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
}

// rule is one rule for definition text.
type rule struct {
	code  diag.Code
	check func(*pass)
}

// rules returns the rules for definition text, in the order they are applied.
func rules() []rule {
	return []rule{
		{diag.NameDirMismatch, nameDirectory},
		{diag.NameChars, nameCharacters},
		{diag.NameLength, nameLength},
		{diag.DescLength, descriptionLength},
		{diag.DescLines, descriptionLines},
		{diag.DescMarkup, descriptionMarkup},
		{diag.FieldUnknown, unknownFields},
		{diag.FieldBool, boolValues},
		{diag.FieldList, listValues},
		{diag.VersionNeeded, hostVersions},
		{diag.MetadataForm, metadata},
		{diag.FMLineEnds, lineEnds},
		{diag.ToolsUnmatchable, toolRules},
		{diag.GlobsIgnored, globsIgnored},
		{diag.ArgIndexBase, argumentNumbers},
		{diag.ArgInCode, argumentsInCode},
		{diag.ArgNotFilled, argumentsUnequal},
		{diag.ShellNotRun, shellUnequal},
		{diag.ShellInFence, shellInCode},
		{diag.ShellArgInjection, argumentsInShell},
		{diag.LinkMissing, links},
	}
}

// otherCodes returns the codes that are documented as rules but do not come from [rules]: links
// that lead out of a skill, differences between hosts, and problems that the parser reports.
func otherCodes() []diag.Code {
	return []diag.Code{
		diag.LinkLeaves, diag.NestedSkill, diag.RootUnread, diag.ListingBudget,
		diag.FMNotAtByte0, diag.FMBOM, diag.FMUnclosed, diag.FMIndented, diag.FMTrailingSpace, diag.FMDashesInValue, diag.FMTooLarge,
		diag.FMEmpty, diag.FMMissing,
		diag.YAMLRepairedValue, diag.YAMLRepairedLines, diag.YAMLInvalid, diag.YAMLForbidden, diag.YAMLDuplicateKey, diag.YAMLTab,
		diag.YAMLComment, diag.TOMLInvalid, diag.JSONInvalid,
		diag.EncodingUTF16, diag.EncodingInvalid, diag.EncodingControl, diag.FileBinary,
		diag.FieldType, diag.FieldValue, diag.FieldSpelling, diag.FieldMissing, diag.VersionForm, diag.HooksInvalid,
		diag.FileUnreadable, diag.FileTooLarge, diag.FileEmpty, diag.FileNotRegular, diag.FileHardLink, diag.FileProtected, diag.FilenameCase,
		diag.LinkOutside, diag.LinkBroken, diag.LinkLoop, diag.NotRead, diag.RootSkill,
		diag.DepthLimit, diag.DirLimit, diag.FileLimit,
		diag.ShadowedBy, diag.Tie, diag.DuplicateName, diag.DuplicateRandom, diag.NameRenamed, diag.AliasTaken, diag.PluginInvalid, diag.PluginSource,
		diag.CheckInvalid, diag.CheckNoEffect, diag.ConfigInvalid, diag.ConfigUnknownKey, diag.SkillNotFound,
		diag.SyncState, diag.SyncStale, diag.SyncEdited,
	}
}

// portable reports whether a code describes a problem that exists only in some hosts. If a project
// is checked for a single host and that host does not have the problem, the finding has severity
// info.
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
