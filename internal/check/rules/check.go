// Package rules judges definitions: whether the hosts that read one load it, and
// whether its text means the same in all of them. It is pure: texts, records and
// what other hosts made of them come in, findings go out.
//
// [Rules] are the rules on the text, one family to a file; [Merge] joins to them
// what the views of hosts say; [Config] and [Baseline] say which findings count.
package rules

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
)

// Finding is one thing that is wrong with a definition, or that not all hosts
// take alike.
type Finding struct {
	Code     diag.Code     `json:"code"`
	Severity diag.Severity `json:"severity"`
	// Path is the file or directory, as it is shown. Lines and columns begin at 1
	// and count characters; they are 0 where the whole file is meant. The end is
	// the place behind the last character.
	Path      string `json:"path"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
	Message   string `json:"message"`
	// Fix says what to do, Edit is the one edit that does it, where one does.
	Fix  string     `json:"fix,omitempty"`
	Edit *diag.Edit `json:"edit,omitempty"`
	// Hosts are the checked hosts that the finding is about; none are all.
	Hosts []string `json:"hosts,omitempty"`
	// NotLoaded are those of them that do not load the definition because of it.
	NotLoaded []string `json:"notLoaded,omitempty"`
	// Fingerprint tells the finding from others, and stays when lines move.
	Fingerprint string `json:"fingerprint"`

	// Source is the text of the line: other people's bytes.
	Source string `json:"-"`
	// Bytes is where the finding is in the file.
	Bytes diag.Span `json:"-"`
	// said is the message without the hosts that it names.
	said string
}

// Of turns a diagnostic into a finding.
func Of(d diag.Diagnostic) Finding {
	return Finding{
		Code: d.Code, Severity: d.Severity, Path: d.File, Line: d.Line, Column: d.Column, EndLine: d.EndLine, EndColumn: d.EndColumn,
		Message: d.Message, Fix: d.Fix, Edit: d.Edit, Source: d.Source,
	}
}

// Diagnostic is the finding without what only checking knows.
func (f *Finding) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Code: f.Code, Severity: f.Severity, Message: f.Message, File: f.Path, Line: f.Line, Column: f.Column,
		EndLine: f.EndLine, EndColumn: f.EndColumn, Fix: f.Fix, Edit: f.Edit, Source: f.Source,
	}
}

// Subject is one definition with its text.
type Subject struct {
	Definition *definition.Definition
	File       *diag.File
	// Entries are the fields of the frontmatter, with their places in the file.
	Entries []definition.Entry
	// Body is the text behind the frontmatter and BodyAt where it begins in the
	// file; -1 where it is a value in it, and then has no place.
	Body   string
	BodyAt int
	// Readers are the checked hosts that load the definition, Hosts all that are
	// checked.
	Readers, Hosts []*host.Profile
	// Look says what stands at a path relative to the file's directory, LookTop at
	// one relative to the top of the project; nil knows of nothing.
	Look, LookTop func(rel string) Target
}

// Target is what a reference leads to.
type Target uint8

// The targets. Unknown is what can not be looked at.
const (
	Unknown Target = iota
	Missing
	Inside
	// Beside is what stands in the project but outside of the skill's own
	// directory, Outside what is outside the project.
	Beside
	Outside
)

// maxFindings bounds what the rules say of one file, for files that are made to
// cost memory.
const maxFindings = 100

// pass is one run of the rules over a subject.
type pass struct {
	*Subject
	out  []Finding
	rule *Rule
	// seen are the places that a rule has spoken of.
	seen []int
}

// at reports a finding of the present rule at a range of the file.
func (p *pass) at(span diag.Span, format string, args ...any) *Finding {
	d := diag.At(p.File, span, p.rule.Code, format, args...)
	f := Of(d)
	f.Bytes = span
	return p.add(f)
}

// whole reports a finding about the file as a whole.
func (p *pass) whole(format string, args ...any) *Finding {
	return p.add(Of(diag.For(p.Definition.Origin.Path, p.rule.Code, format, args...)))
}

func (p *pass) add(f Finding) *Finding {
	if len(p.out) >= maxFindings {
		return new(Finding)
	}
	p.out = append(p.out, f)
	return &p.out[len(p.out)-1]
}

// in reports a finding at a range of the body, if the body has a place.
func (p *pass) in(span diag.Span, format string, args ...any) *Finding {
	if p.BodyAt < 0 {
		return p.whole(format, args...)
	}
	return p.at(diag.Span{Start: p.BodyAt + span.Start, End: p.BodyAt + span.End}, format, args...)
}

// edit gives a finding the edit that fixes it.
func (f *Finding) edit(span diag.Span, text string) *Finding {
	f.Edit = &diag.Edit{Span: span, Start: span.Start, End: span.End, New: text}
	return f
}

func (f *Finding) fix(text string) *Finding {
	f.Fix = text
	return f
}

// about names the hosts that a finding is about.
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

// field returns the entry of a field, in whatever spelling.
func (p *pass) field(f definition.Field) *definition.Entry {
	for i := range p.Entries {
		if definition.LookupField(p.Entries[i].Key) == f {
			return &p.Entries[i]
		}
	}
	return nil
}

// Run applies the rules to a definition.
func Run(s *Subject) []Finding {
	if !utf8.Valid(s.File.Data) && s.BodyAt >= 0 {
		// What is replaced in the body moves the places in it.
		moved := *s
		moved.BodyAt = -1
		s = &moved
	}
	p := pass{Subject: s}
	for _, r := range Rules() {
		if r.check != nil {
			p.rule = &r
			r.check(&p)
		}
	}
	return p.out
}

// Sort orders findings by file, place and code.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message),
		)
	})
}

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
		diag.SyncState, diag.SyncStale, diag.SyncEdited,
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
