package serve

import (
	"context"
	"encoding/base64"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/publish"
)

// state is one catalog and the sorted lists made from it. There may be hundreds of
// thousands of definitions: names and URIs are computed, not kept. Requests hold a state
// while they use it; the last release of a replaced state closes its catalog.
type state struct {
	generation uint64
	catalog    *catalog.Catalog
	open       opener
	held       atomic.Int64

	mu    sync.Mutex
	read  bool
	hosts map[string]*catalog.Catalog
	// begun is when the reading began.
	begun time.Time

	// What follows is set once read is true, and does not change.
	listed []catalog.Definition
	// prompts are sorted by promptName, skills by URI.
	prompts []catalog.Definition
	skills  []skill
	// commands are the names of the commands that a user may call.
	commands map[string]bool
}

// skill is a skill that has files. nth counts the skills of one layer that state the
// same name, from 1.
type skill struct {
	catalog.Definition
	nth int
}

// newState returns a state that its caller holds.
func newState(generation uint64, c *catalog.Catalog, open opener) *state {
	st := &state{generation: generation, catalog: c, open: open}
	st.held.Store(1)
	return st
}

// hold reports whether the state is still open; then release has to be called.
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

// load reads the catalog, once. An interrupted reading begins again.
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
	st.commands = map[string]bool{}
	for _, d := range list {
		if d.Kind() == definition.Command && d.UserInvocable() {
			st.commands[d.Name()] = true
		}
	}
	for _, d := range list {
		if d.UserInvocable() && (d.Kind() == definition.Command || d.Kind() == definition.Skill) {
			st.prompts = append(st.prompts, d)
		}
	}
	byName := func(a, b catalog.Definition) int { return strings.Compare(st.promptName(a), st.promptName(b)) }
	slices.SortStableFunc(st.prompts, byName)
	st.prompts = slices.CompactFunc(st.prompts, func(a, b catalog.Definition) bool { return byName(a, b) == 0 })
	st.skills = skillsOf(list)
	st.read = true
	return nil
}

// promptName is the name of a prompt. A command takes its name before a skill of the
// same name, as when a user types it; the skill is then "skill:NAME".
func (st *state) promptName(d catalog.Definition) string {
	if d.Kind() == definition.Skill && st.commands[d.Name()] {
		return "skill:" + d.Name()
	}
	return d.Name()
}

// prompt returns the prompt of a name.
func (st *state) prompt(name string) (catalog.Definition, bool) {
	i, found := sort.Find(len(st.prompts), func(i int) int { return strings.Compare(name, st.promptName(st.prompts[i])) })
	if !found {
		return catalog.Definition{}, false
	}
	return st.prompts[i], true
}

// skillsOf returns the skills that have files, by URI.
func skillsOf(list []catalog.Definition) []skill {
	type named struct {
		skill
		uri string
	}
	var all []named
	for _, d := range list {
		if d.Kind() == definition.Skill && d.HasFile() {
			s := skill{d, 1}
			all = append(all, named{s, s.uri()})
		}
	}
	byURI := func(a, b named) int { return strings.Compare(a.uri, b.uri) }
	slices.SortStableFunc(all, byURI)
	renamed := false
	for i := 1; i < len(all); i++ {
		if all[i].uri == all[i-1].uri {
			all[i].nth, renamed = all[i-1].nth+1, true
		}
	}
	if renamed {
		for i := range all {
			all[i].uri = all[i].skill.uri()
		}
		slices.SortStableFunc(all, byURI)
	}
	skills := make([]skill, len(all))
	for i := range all {
		skills[i] = all[i].skill
	}
	return skills
}

// name is the name that the author wrote, or else the one that the skill is loaded by.
func (s skill) name() string {
	if name := s.FieldName(); name != "" {
		return name
	}
	return s.Name()
}

// uri is that of the skill's SKILL.md: skill://SCOPE/NAME/SKILL.md, where SCOPE is the
// layer and, where there is one, the plugin or the directory.
func (s skill) uri() string {
	elements := []string{s.Layer().String()}
	if s.Plugin() != "" {
		elements = append(elements, s.Plugin())
	}
	if s.Nested() != "" {
		elements = append(elements, strings.Split(s.Nested(), "/")...)
	}
	if s.nth > 1 {
		elements = append(elements, strconv.Itoa(s.nth))
	}
	var b strings.Builder
	b.WriteString("skill://")
	for _, e := range append(elements, s.name()) {
		if strings.Trim(e, ".") == "" {
			// Dots alone would be taken for a way through directories.
			e = strings.Repeat("%2E", len(e))
		} else {
			e = url.PathEscape(e)
		}
		b.WriteString(e)
		b.WriteByte('/')
	}
	b.WriteString(publish.Main)
	return b.String()
}

// skill returns the skill of a URI, which ends with /SKILL.md.
func (st *state) skill(uri string) (skill, bool) {
	i, found := sort.Find(len(st.skills), func(i int) int { return strings.Compare(uri, st.skills[i].uri()) })
	if !found {
		return skill{}, false
	}
	return st.skills[i], true
}

// maxHosts is how many views of hosts one state keeps besides its own.
const maxHosts = 4

// view returns the catalog in the view of a host, nil where there are enough already.
func (st *state) view(ctx context.Context, host string) (*catalog.Catalog, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if c := st.hosts[host]; c != nil || len(st.hosts) >= maxHosts {
		return c, nil
	}
	c, err := st.open(ctx, host)
	if err != nil {
		return nil, err
	}
	if st.hosts == nil {
		st.hosts = map[string]*catalog.Catalog{}
	}
	st.hosts[host] = c
	return c, nil
}

// refreshPolicy reads the policy again, for all views, and reports whether that of the
// served one has changed.
func (st *state) refreshPolicy() bool {
	changed := st.catalog.RefreshPolicy()
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, c := range st.hosts {
		c.RefreshPolicy()
	}
	return changed
}

// pageAfter returns the index of the first of n sorted entries after a cursor, which
// holds the name of the last entry of the page before: it stays good when the catalog
// changes.
func pageAfter(cursor string, n int, name func(i int) string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, invalid("the cursor is none of this server; begin without one")
	}
	return sort.Search(n, func(i int) bool { return name(i) > string(after) }), nil
}

// cursorAfter is the cursor of the page that follows an entry.
func cursorAfter(name string) string { return base64.RawURLEncoding.EncodeToString([]byte(name)) }
