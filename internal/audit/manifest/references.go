package manifest

import (
	"path"
	"strings"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/audit/known"
	"github.com/vadehq/vade/internal/audit/signal"
	"github.com/vadehq/vade/internal/body"
	"github.com/vadehq/vade/internal/lazyregexp"
)

// maxReferences is the maximum number of references that are read from a definition's body.
const maxReferences = 2000

// references adds signals for files outside the project and secret files that the definition's body
// includes or links to.
func (f *reader) references() {
	if f.set.Package.Bare || f.bodyAt > len(f.text()) {
		return
	}
	text := f.text()[f.bodyAt:]
	count := 0
	if strings.Contains(text, "@") {
		for seg := range body.Scan(text, body.Options{}) {
			if seg.Kind == body.FileRef && count < maxReferences {
				count++
				f.reference(seg.Span, seg.Name, seg.Quoted(), "include")
			}
		}
	}
	for l := range body.Links(text) {
		if count++; count > maxReferences {
			return
		}
		target, _, _ := strings.Cut(l.Target, "#")
		target, _, _ = strings.Cut(target, "?")
		if target != "" && !externalURL().MatchString(target) {
			f.reference(l.Span, target, false)
		}
	}
}

// externalURL matches a link target that is a URL rather than a file.
var externalURL = lazyregexp.New(`://|^mailto:|^//`)

// reference adds a signal if a reference is to a secret file or to a file outside the project.
func (f *reader) reference(span diag.Span, target string, quoted bool, tags ...signal.Tag) {
	machine := isMachinePath(target)
	switch {
	case known.Secret(known.Path(target)):
		tags = append(tags, "secret")
		if machine || goesUp(target, 0) {
			tags = append(tags, "outside")
		}
	case machine:
		tags = append(tags, "outside")
	default:
		return
	}
	c := signal.Context{Medium: signal.Prose}
	if quoted {
		c.Intent = signal.Quoted
	}
	span = diag.Span{Start: f.bodyAt + span.Start, End: f.bodyAt + span.End}
	f.addIn(c, signal.Reference, span, target, "", tags...)
}

// isMachinePath reports whether a path refers to a part of the machine outside the project: a
// system directory, a home directory, or anything more than three levels above the current
// directory.
func isMachinePath(target string) bool {
	for head := range names()["machine"] {
		if strings.HasPrefix(strings.ToLower(target), head) {
			return true
		}
	}
	return known.Home(target) || goesUp(target, 3)
}

// goesUp reports whether a relative path leads more than a given number of levels up.
func goesUp(target string, levels int) bool {
	clean := path.Clean(strings.ReplaceAll(target, `\`, "/"))
	return strings.HasPrefix(clean+"/", strings.Repeat("../", levels+1))
}

// Finish adds signals for files that Python runs whenever it starts, and for symlinks that point
// outside the package.
func (x *Extractor) Finish(s *signal.Set) {
	for i, file := range s.Package.Files {
		base := strings.ToLower(path.Base(file.Path))
		starts := names()["starts"][base]
		if strings.HasSuffix(base, ".pth") {
			for line := range strings.Lines(file.Text) {
				starts = starts || strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import\t")
			}
		}
		if starts {
			place, tags := signal.Place{File: i}, []signal.Tag{"starts-python"}
			s.AddAt(signal.Signal{Kind: signal.FileForm, Place: place, Tags: tags, Subject: file.Path})
		}
	}
	for _, m := range s.Missed {
		target, outside := linkTarget(m)
		if !outside {
			continue
		}
		tags := []signal.Tag{"link", "outside"}
		if k := known.Path(target); len(k) > 0 && k[0] != "system" {
			tags = append(tags, "secret")
		}
		s.AddAt(signal.Signal{Kind: signal.Reference, Tags: tags, Subject: m.Path, Object: target})
	}
}

// linkTarget returns the target of a symlink that was not followed. outside reports whether the
// target is outside the package, even if the symlink leads there only through another symlink.
func linkTarget(m signal.Missed) (target string, outside bool) {
	if m.Reason != signal.MissedLink {
		return "", false
	}
	if target, outside = strings.CutPrefix(m.Note, signal.LeadsOutside); outside {
		return target, true
	}
	target = strings.TrimPrefix(m.Note, signal.LeadsTo)
	joined := path.Join(path.Dir(m.Path), target)
	return target, strings.HasPrefix(target, "/") || strings.HasPrefix(joined, "../") || joined == ".."
}
