package serve

import (
	"cmp"
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
	"github.com/vadehq/vade/internal/search"
)

// state is a catalog and the sorted lists derived from it. Names and URIs are computed on demand,
// because a catalog may have hundreds of thousands of definitions. States are reference counted. A
// replaced state's catalog is closed when the last reference is released.
type state struct {
	// Skills provides the skills' files.
	publish.Skills
	generation uint64
	catalog    *catalog.Catalog
	open       opener
	refs       atomic.Int64

	mu    sync.Mutex
	read  bool
	hosts map[string]*catalog.Catalog
	// started is when load last started reading.
	started time.Time
	// The fields below are set before read becomes true and never change afterwards.
	definitions []catalog.Definition
	// prompts is sorted by promptKey, skills by key.
	prompts []catalog.Definition
	skills  []skill
	// commands holds the names of commands that users may invoke.
	commands map[string]bool
	index    *search.Index
}

// skill is a skill that has files. nth numbers skills that would otherwise have the same URI,
// starting at 1.
type skill struct {
	catalog.Definition
	nth int
}

// newState returns a state with one reference, which the caller owns.
func newState(generation uint64, c *catalog.Catalog, open opener) *state {
	st := &state{generation: generation, catalog: c, open: open}
	st.refs.Store(1)
	st.Skills = func(uri string) (catalog.Definition, bool) {
		x, ok := st.skill(uri)
		return x.Definition, ok
	}
	return st
}

// retain adds a reference and returns true unless the state is closed.
func (st *state) retain() bool {
	for {
		n := st.refs.Load()
		if n == 0 {
			return false
		}
		if st.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (st *state) release() {
	if st.refs.Add(-1) > 0 {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.catalog.Close()
	for _, c := range st.hosts {
		c.Close()
	}
}

// load reads the catalog once. If a read is interrupted, the next call starts over.
func (st *state) load(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.read {
		return nil
	}
	st.started = time.Now()
	list, err := st.catalog.List(ctx, catalog.Query{})
	if err != nil {
		return err
	}
	// In every list, bundled definitions come after all others.
	slices.SortStableFunc(list, func(a, b catalog.Definition) int { return cmp.Compare(last(a), last(b)) })
	st.definitions = list
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
	byKey := func(a, b catalog.Definition) int { return strings.Compare(st.promptKey(a), st.promptKey(b)) }
	slices.SortStableFunc(st.prompts, byKey)
	st.prompts = slices.CompactFunc(st.prompts, func(a, b catalog.Definition) bool { return byKey(a, b) == 0 })
	st.skills = skillsOf(list)
	st.index = search.New(list, search.DefaultWeights())
	st.index.KeepInMemory(search.Memory)
	st.read = true
	return nil
}

// promptName returns a definition's prompt name. If a command and a skill have the same name, the
// skill's prompt is named "skill:NAME", because a slash request with the plain name loads the
// command.
func (st *state) promptName(d catalog.Definition) string {
	if d.Kind() == definition.Skill && st.commands[d.Name()] {
		return "skill:" + d.Name()
	}
	return d.Name()
}

// prompt returns the definition with the given prompt name.
func (st *state) prompt(name string) (catalog.Definition, bool) {
	return findIn(st.prompts, name, st.promptKey)
}

// promptKey returns the sort key for prompts.
func (st *state) promptKey(d catalog.Definition) string { return last(d) + st.promptName(d) }

// last returns a sort key prefix: "1" for bundled definitions, so that they sort last, and "0" for
// others.
func last(d catalog.Definition) string {
	if d.ComesWithVade() {
		return "1"
	}
	return "0"
}

// skillsOf returns the skills in list that have files, sorted by key.
func skillsOf(list []catalog.Definition) []skill {
	type named struct {
		skill
		uri string
	}
	var all []named
	for _, d := range list {
		if d.Kind() == definition.Skill && d.HasFile() {
			s := skill{d, 1}
			all = append(all, named{s, s.key()})
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
			all[i].uri = all[i].skill.key()
		}
		slices.SortStableFunc(all, byURI)
	}
	skills := make([]skill, len(all))
	for i := range all {
		skills[i] = all[i].skill
	}
	return skills
}

// name returns the name in the frontmatter or, if it has none, the name that
// the skill is loaded by.
func (s skill) name() string {
	if name := s.FieldName(); name != "" {
		return name
	}
	return s.Name()
}

// uri returns the URI of the skill's SKILL.md, which is skill://SCOPE/NAME/SKILL.md. SCOPE is the
// layer followed by the plugin or directory, if any.
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
			// A URI parser would resolve "." and ".." as path segments.
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

// skill returns the skill with the given URI, which must end in /SKILL.md.
func (st *state) skill(uri string) (skill, bool) {
	return findIn(st.skills, uri, skill.key)
}

// findIn finds an element by name in a list sorted by key. Each key is the name preceded by the
// prefix that last returns.
func findIn[T any](list []T, name string, key func(T) string) (found T, ok bool) {
	for _, group := range []string{"0", "1"} {
		i, ok := slices.BinarySearchFunc(list, group+name, func(x T, want string) int { return strings.Compare(key(x), want) })
		if ok {
			return list[i], true
		}
	}
	return found, false
}

// key returns the sort key for skills.
func (s skill) key() string { return last(s.Definition) + s.uri() }

// maxHosts limits the number of host views that a state keeps open in addition to its own.
const maxHosts = 4

// hostView returns the catalog as a host sees it, or nil if maxHosts views for other hosts are
// already open.
func (st *state) hostView(ctx context.Context, host string) (*catalog.Catalog, error) {
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

// refreshPolicy rereads the policy for all views and reports whether the served
// view's policy changed.
func (st *state) refreshPolicy() bool {
	changed := st.catalog.RefreshPolicy()
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, c := range st.hosts {
		c.RefreshPolicy()
	}
	return changed
}

// pageAfter returns the entries of a sorted list that follow a cursor. A cursor encodes the name of
// the previous page's last entry, so it remains valid when the catalog changes.
func pageAfter[T any](list []T, cursor string, name func(T) string) ([]T, error) {
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, invalid("invalid cursor; start again without one")
	}
	if cursor == "" {
		return list, nil
	}
	return list[sort.Search(len(list), func(i int) bool { return name(list[i]) > string(after) }):], nil
}

// pageOf returns at most limit entries of a sorted list that follow a cursor, and the cursor for
// the next page, which is empty if there are no more entries.
func pageOf[T any](list []T, cursor string, limit int, name func(T) string) (page []T, next string, err error) {
	if page, err = pageAfter(list, cursor, name); len(page) > limit {
		page, next = page[:limit], cursorAfter(name(page[limit-1]))
	}
	return page, next, err
}

// cursorAfter returns the cursor for the page that starts after the named entry.
func cursorAfter(name string) string { return base64.RawURLEncoding.EncodeToString([]byte(name)) }
