package serve

import (
	"cmp"
	"context"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
)

// state is one catalog with what is made of it. Requests hold it while they use it;
// the last one to let go of a state that was replaced closes it.
type state struct {
	generation uint64
	catalog    *catalog.Catalog
	open       func(ctx context.Context, host string) (*catalog.Catalog, error)
	// held counts those who use it, the server itself among them.
	held atomic.Int64

	mu   sync.Mutex
	read bool
	// begun is when the reading began.
	begun  time.Time
	hosts  map[string]*catalog.Catalog
	finder *finder

	// What follows is there once read is true, and does not change.
	prompts []prompt
	skills  []Skill
	listed  []catalog.Definition
}

// newState returns a state that its caller holds.
func newState(generation uint64, catalog *catalog.Catalog, open func(context.Context, string) (*catalog.Catalog, error)) *state {
	st := &state{generation: generation, catalog: catalog, open: open}
	st.held.Store(1)
	return st
}

// hold reports whether the state can be used; then release has to be called.
func (st *state) hold() bool {
	for {
		n := st.held.Load()
		if n == 0 {
			return false
		}
		if st.held.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (st *state) release() {
	if st.held.Add(-1) > 0 {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.catalog.Close()
	for _, c := range st.hosts {
		c.Close()
	}
}

// load reads the catalog, once. One that was interrupted is begun again.
func (st *state) load(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.read {
		return nil
	}
	st.begun = time.Now()
	list, err := st.catalog.List(ctx, catalog.Query{})
	if err != nil {
		return err
	}
	st.listed = list
	st.prompts = promptsOf(list)
	st.skills = skillsOf(list)
	st.read = true
	return nil
}

// maxHosts is how many views of hosts one state keeps besides its own.
const maxHosts = 4

// view returns the catalog in the view of a host. ok is false where there are
// enough already.
func (st *state) view(ctx context.Context, host string) (c *catalog.Catalog, ok bool, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if c := st.hosts[host]; c != nil {
		return c, true, nil
	}
	if len(st.hosts) >= maxHosts {
		return nil, false, nil
	}
	if c, err = st.open(ctx, host); err != nil {
		return nil, false, err
	}
	if st.hosts == nil {
		st.hosts = map[string]*catalog.Catalog{}
	}
	st.hosts[host] = c
	return c, true, nil
}

// refreshPolicy puts the policy in force as its files are now, in all views, and reports
// whether the one that is served has another.
func (st *state) refreshPolicy() bool {
	changed := st.catalog.RefreshPolicy()
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, c := range st.hosts {
		c.RefreshPolicy()
	}
	return changed
}

// search returns what finds definitions by words, made on first use.
func (st *state) search() *finder {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.finder == nil {
		st.finder = newFinder(st.listed)
		if len(st.listed) > tidyAbove {
			debug.FreeOSMemory()
		}
	}
	return st.finder
}

// prompt is one prompt: a command, or a skill that a user may call.
type prompt struct {
	name string
	catalog.Definition
}

// promptsOf returns the prompts by name. A command has its name before a skill of
// the same name, as when a user types it; the skill is then "skill:" and its name.
func promptsOf(list []catalog.Definition) []prompt {
	commands := map[string]bool{}
	for _, d := range list {
		if d.Kind() == definition.Command && d.UserInvocable() {
			commands[d.Name()] = true
		}
	}
	var prompts []prompt
	for _, d := range list {
		switch {
		case !d.UserInvocable():
		case d.Kind() == definition.Command:
			prompts = append(prompts, prompt{d.Name(), d})
		case d.Kind() == definition.Skill && commands[d.Name()]:
			prompts = append(prompts, prompt{"skill:" + d.Name(), d})
		case d.Kind() == definition.Skill:
			prompts = append(prompts, prompt{d.Name(), d})
		}
	}
	slices.SortStableFunc(prompts, func(a, b prompt) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(prompts, func(a, b prompt) bool { return a.name == b.name })
}

// find returns the prompt of a name.
func (st *state) find(name string) (prompt, bool) {
	i, ok := slices.BinarySearchFunc(st.prompts, name, func(p prompt, name string) int { return cmp.Compare(p.name, name) })
	if !ok {
		return prompt{}, false
	}
	return st.prompts[i], true
}
