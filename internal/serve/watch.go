package serve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/watch"
)

// policyInterval is how often the policy is polled.
const policyInterval = time.Second

// Watch keeps the served definitions and policy in sync with their files until ctx is done. It
// reads everything once at the start and again after each change.
func (s *Server) Watch(ctx context.Context) {
	policyEnded := make(chan struct{})
	go func() { defer close(policyEnded); s.WatchPolicy(ctx) }()
	defer func() { <-policyEnded }()
	watch.Run(ctx, watched{s}, s.newPolicy, s.logger)
}

// watched implements [watch.Source].
type watched struct{ *Server }

// Acquire implements [watch.Source].
func (s watched) Acquire(ctx context.Context) (watch.Loaded, error) {
	st, err := s.acquireLoaded(ctx)
	if err != nil {
		return watch.Loaded{}, err
	}
	s.meter.setDefinitions(st)
	return watch.Loaded{Catalog: st.catalog, Began: st.started, Release: st.release}, nil
}

// Reload rereads everything, swaps in the new state, and notifies clients. If it fails, the old
// state remains active.
func (s *Server) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	c, err := s.open(ctx, "")
	if err != nil {
		s.meter.add(metricReloads, `outcome="failed"`, 1)
		return err
	}
	old := s.acquire()
	if old == nil {
		return c.Close()
	}
	defer old.release()
	st := newState(old.generation+1, c, s.open)
	if err := st.load(ctx); err != nil {
		st.release()
		s.meter.add(metricReloads, `outcome="failed"`, 1)
		return err
	}
	before := policyOf(old.catalog)
	if !s.current.CompareAndSwap(old, st) {
		st.release()
		return nil
	}
	s.logPolicy(ctx, before)
	old.release()
	s.meter.add(metricReloads, `outcome="done"`, 1)
	s.logger.Info("definitions reloaded",
		"generation", st.generation, "prompts", len(st.prompts), "skills", len(st.skills))
	s.announce()
	return nil
}

// WatchPolicy keeps the active policy in sync with its files until ctx is done. It polls the files,
// because many other files change in the same user directories. A policy update never waits for
// definitions to be read: a revoked permission must take effect immediately.
func (s *Server) WatchPolicy(ctx context.Context) { s.watchPolicy(ctx, policyInterval) }

func (s *Server) watchPolicy(ctx context.Context, every time.Duration) {
	s.logPolicy(ctx, policyState{})
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.refreshPolicy(ctx)
		}
	}
}

// refreshPolicy activates the current contents of the policy files.
func (s *Server) refreshPolicy(ctx context.Context) {
	st := s.acquire()
	if st == nil {
		return
	}
	defer st.release()
	before := policyOf(st.catalog)
	if !st.refreshPolicy() {
		return
	}
	s.logPolicy(ctx, before)
	// The policy decides which bundled definitions are active, so a watcher must reload them.
	select {
	case s.newPolicy <- struct{}{}:
	default:
	}
}

// policyState is the part of a policy that is logged: whether remote clients may run commands,
// which file allows that, and the errors in the policy. The zero value represents a missing policy.
type policyState struct {
	remoteShell bool
	from        string
	diags       []diag.Diagnostic
}

func policyOf(c *catalog.Catalog) policyState {
	p, diags := c.EffectivePolicy()
	return policyState{remoteShell: p.RemoteShell, from: p.From("remote-shell").String(), diags: diags}
}

// logPolicy logs the policy errors that the previous state did not have. If the server is remote,
// it also logs when clients gain or lose permission to run commands.
func (s *Server) logPolicy(ctx context.Context, before policyState) {
	st := s.acquire()
	if st == nil {
		return
	}
	defer st.release()
	now := policyOf(st.catalog)
	for _, d := range now.diags {
		same := func(b diag.Diagnostic) bool {
			return b.File == d.File && b.Line == d.Line && b.Message == d.Message
		}
		if !slices.ContainsFunc(before.diags, same) {
			s.logger.Warn("policy error",
				"code", string(d.Code), "file", fmt.Sprintf("%s:%d", d.File, d.Line), "why", d.Message, "fix", d.Fix)
		}
	}
	if s.options.Remote && now.remoteShell != before.remoteShell {
		s.logger.Warn("policy changed", "remote-shell", fmt.Sprint(now.remoteShell), "file", now.from)
	}
}

// Serving returns the project root and whether HTTP clients may run shell commands.
func (s *Server) Serving(ctx context.Context) (dir string, commands bool) {
	st := s.acquire()
	if st == nil {
		return s.root, false
	}
	defer st.release()
	return s.root, policyOf(st.catalog).remoteShell
}
