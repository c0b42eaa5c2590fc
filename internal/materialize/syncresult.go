package materialize

import (
	"errors"
	"slices"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/export"
	"github.com/vadehq/vade/internal/mirror"
	"github.com/vadehq/vade/internal/textdiff"
)

// SyncOptions say what is kept in step.
type SyncOptions struct {
	// Hosts are the hosts that get copies. None are those of the project's vade.yaml,
	// or else those that have files of their own in the project, as for [check.Run], with
	// those that something was made for earlier. What was made for hosts that are not
	// named here stays as it is; what was made for hosts that the project does not
	// want any more is removed.
	Hosts []string
	// Force overwrites and removes files that were edited since they were made, and
	// overwrites files that Vade has not made. With Paths, which are relative to the
	// working directory, it does so at those and below them alone.
	Force bool
	Paths []string
	// AllowWidening writes also what a host would take for more than its author allows:
	// an agent with tools that were kept from it, a skill that the model may use. Without
	// it nothing of such a definition is written for that host, and what was made of it
	// earlier is removed.
	AllowWidening bool
}

// SyncResult is what brings the hosts' files of a project in step with its source
// of truth. Its JSON is stable: fields are added, never renamed.
type SyncResult struct {
	// Directory is the top of the project, which all paths are below. Source are the
	// directories and files that are the source of truth.
	Directory string   `json:"directory"`
	Source    []string `json:"source"`
	// Hosts get the copies.
	Hosts []catalog.CheckedHost `json:"hosts"`
	// Steps are what is done, by path.
	Steps []SyncStep `json:"steps"`
	// Same is the number of copies that are in step already, Own that of those among
	// them that the project has by itself, InPlace that of definitions of which a
	// host reads the source, counted for each host.
	Same    int `json:"same"`
	Own     int `json:"own"`
	InPlace int `json:"inPlace"`
	// Copied: a file system that makes no links has copies in their place.
	Copied bool `json:"copied,omitempty"`
	// Done: the steps were carried out. Interrupted: the run before this one did not
	// end, and this one completes it.
	// Refused: nothing was planned, because what hinders has to be mended first.
	Done        bool `json:"done"`
	Refused     bool `json:"refused,omitempty"`
	Interrupted bool `json:"interrupted,omitempty"`
	// Losses are what hosts can not express; Diagnostics what hinders, and what is
	// worth knowing.
	Losses      []export.HostLoss `json:"losses"`
	Diagnostics []diag.Diagnostic `json:"diagnostics"`
}

// SyncStep is one thing that is done at a path.
type SyncStep struct {
	// Action is create, update, remove, link or unlink.
	Action string `json:"action"`
	Path   string `json:"path"`
	// Source is the file or directory that it is made of.
	Source string   `json:"source"`
	Hosts  []string `json:"hosts"`
	// Link is the text of a link.
	Link string `json:"link,omitempty"`
	// Forced: what is overwritten or removed is not as Vade has made it.
	Forced bool `json:"forced,omitempty"`
	// Adopted: what is updated was the project's own before it was kept in step.
	Adopted bool `json:"adopted,omitempty"`

	before, after []byte
}

// Diff is the change of a file as a unified diff, "" of a link.
func (s *SyncStep) Diff() string {
	if s.Link != "" {
		return ""
	}
	return mirror.HideDiff(textdiff.Diff(s.Path, string(s.before), string(s.after)))
}

// Failed reports whether something could not be brought in step.
func (r *SyncResult) Failed() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
}

// ErrSyncBusy is the error of [Sync] while another one works on the project.
var ErrSyncBusy = errors.New("another vade sync is at work in this project")

// ErrSyncPath is the error of [Sync] for a path at which nothing is to stand that it
// makes.
var ErrSyncPath = errors.New("no copy is to stand there")
