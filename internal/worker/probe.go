package worker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/runs"
)

// Probe compares the definitions that a host lists in a new session against those that Vade
// expects.
type Probe struct {
	Host string `json:"host"`
	// Known is the host version on which Vade's expectation is based.
	Known string `json:"knownVersion"`
	// Program is the name and version reported by the installed program.
	Program string `json:"program"`
	// Announced is the number of definitions that the host listed, excluding its built-in commands.
	Announced int `json:"announced"`
	// Missing lists expected definitions that the host did not list. Unexpected lists definitions
	// that the host listed but Vade did not expect.
	Missing    []string `json:"missing"`
	Unexpected []string `json:"unexpected"`
	// Same lists expected definitions that the host listed.
	Same []string `json:"-"`
	// Reason explains why the host could not be asked. It is "" if the host answered.
	Reason string `json:"reason"`
}

// settle is how long to wait for further messages before considering a host's list complete.
const settle = 1500 * time.Millisecond

// AskHost starts a session without a prompt and compares the commands that the host lists with the
// commands that the catalog predicts for that host. It also starts a session in empty, a directory
// without definitions. Commands that the host lists there and that Vade does not predict are
// assumed to be built in.
func AskHost(ctx context.Context, cat *catalog.Catalog, dir, empty string, o Options) (*Probe, error) {
	profile := cat.Profile
	p := &Probe{Host: profile.Name, Known: profile.Version, Missing: []string{}, Unexpected: []string{}}
	if profile.Launch == nil || len(profile.Launch.ACP) == 0 {
		p.Reason = "the host does not support the Agent Client Protocol"
		return p, nil
	}
	if len(profile.Launch.Kinds) == 0 {
		p.Reason = "the host lists only its built-in commands"
		return p, nil
	}
	o.Launch, o.Limits = *profile.Launch, o.Limits.withDefaults()
	predicted, err := predict(ctx, cat)
	if err != nil {
		return nil, err
	}
	own, _, err := announced(ctx, empty, o)
	if err == nil {
		var here []string
		if here, p.Program, err = announced(ctx, dir, o); err == nil {
			p.compare(predicted, here, own)
		}
	}
	if err != nil {
		p.Reason = err.Error()
	}
	return p, nil
}

// predict returns the names that a host should list for its definitions.
func predict(ctx context.Context, cat *catalog.Catalog) ([]string, error) {
	list, err := cat.List(ctx, catalog.Query{})
	var names []string
	for _, d := range list {
		announced := d.State() == definition.Loaded && d.UserInvocable() &&
			slices.Contains(cat.Profile.Launch.Kinds, d.Kind())
		if announced && !cat.ComesWithVade(d.Record()) {
			names = append(names, cat.Profile.Launch.Prefix+d.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

func (p *Probe) compare(predicted, here, own []string) {
	for _, name := range predicted {
		if !slices.Contains(here, name) {
			p.Missing = append(p.Missing, name)
		} else {
			p.Same = append(p.Same, name)
		}
	}
	for _, name := range here {
		if !slices.Contains(predicted, name) && !slices.Contains(own, name) {
			p.Unexpected = append(p.Unexpected, name)
		}
	}
	p.Announced = len(p.Same) + len(p.Unexpected)
}

// announced starts a session in a directory. It returns the names that the host lists in the
// session, and the name and version of the host's program.
func announced(ctx context.Context, dir string, o Options) (names []string, program string, err error) {
	args, scripted, err := o.program()
	if err == nil && scripted {
		err = &MissingError{Programs: o.Launch.ACP[:1]}
	}
	if err != nil {
		return nil, "", err
	}
	journal, events := runs.Discard()
	o.Journal = journal
	o.Guard = &Guard{refuse: true}
	defer KillRemains(o.ID)
	s := newSession(Task{Dir: dir}, o)
	if err := s.start(args); err != nil {
		return nil, "", err
	}
	defer s.stop()
	if err := s.open(ctx); err != nil {
		return nil, "", errors.New(s.explain(ctx, err).reason)
	}
	for last, since := -1, time.Now(); time.Since(since) < settle; {
		s.mu.Lock()
		n := len(s.commands)
		s.mu.Unlock()
		if n != last {
			last, since = n, time.Now()
		}
		if !wait(ctx, 50*time.Millisecond) {
			return nil, "", ctx.Err()
		}
	}
	for _, e := range *events {
		if e.Event == "session" {
			program = strings.TrimSpace(e.Title)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.commands)
	return slices.Compact(s.commands), program, nil
}
