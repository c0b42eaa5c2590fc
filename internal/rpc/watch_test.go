package rpc_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/internal/rpc"
)

// opened opens a catalog and returns its number.
func (c *client) opened(params p) int {
	c.tb.Helper()
	var o rpc.Opened
	if err := json.Unmarshal(c.must("open", params), &o); err != nil {
		c.tb.Fatal(err)
	}
	return o.Catalog
}

// watched starts a watch and returns its number.
func (c *client) watched(catalog int) int {
	c.tb.Helper()
	var w rpc.Watching
	if err := json.Unmarshal(c.must("watch", p{"catalog": catalog}), &w); err != nil {
		c.tb.Fatal(err)
	}
	return w.Watch
}

// changes collects a watch's changes until they match want. A change is written as a sign, a kind
// and a name.
func (c *client) changes(number int, want ...string) {
	c.tb.Helper()
	var got []string
	for len(got) < len(want) {
		m := c.notification()
		if err := validate(c.tb, "changed", m.Params); m.Method != "changed" || err != nil {
			c.tb.Fatalf("%s %s: %v", m.Method, m.Params, err)
		}
		var x struct {
			Watch                   int
			Added, Removed, Changed []struct{ Kind, Name string }
		}
		if err := json.Unmarshal(m.Params, &x); err != nil || x.Watch != number {
			c.tb.Fatalf("the notification %s is not for the watch %d: %v", m.Params, number, err)
		}
		for _, r := range x.Added {
			got = append(got, "+"+r.Kind+" "+r.Name)
		}
		for _, r := range x.Removed {
			got = append(got, "-"+r.Kind+" "+r.Name)
		}
		for _, r := range x.Changed {
			got = append(got, "~"+r.Kind+" "+r.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.tb.Error(diff)
	}
}

func (c *client) notification() response {
	c.tb.Helper()
	select {
	case m := <-c.told:
		return m
	case <-time.After(time.Minute):
		c.tb.Fatal("no notification")
		return response{}
	}
}

func TestWatch(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	c := newClient(t, options(home))
	number := c.opened(p{"protocol": 1, "dir": dir})
	w := c.watched(number)
	put(t, dir, ".claude/skills/fresh/SKILL.md", "---\nname: fresh\ndescription: New\n---\nText\n")
	c.changes(w, "+skill fresh")
	if text := c.must("loadSkill", p{"catalog": number, "name": "fresh"}); !strings.Contains(string(text), "Text") {
		t.Errorf("a new skill is not loaded: %s", text)
	}
	// Only the body changes; the listed fields stay the same.
	put(t, dir, ".claude/skills/fresh/SKILL.md", "---\nname: fresh\ndescription: New\n---\nEdit\n")
	c.changes(w, "~skill fresh")
	if err := os.RemoveAll(filepath.Join(dir, ".claude/skills/fresh")); err != nil {
		t.Fatal(err)
	}
	c.changes(w, "-skill fresh")
	c.must("unwatch", p{"watch": w})
	if _, err := c.call("unwatch", p{"watch": w}); err == nil || err.Data.Code != "UNKNOWN_WATCH" {
		t.Errorf("a watch that ended: %v", err)
	}
	// The catalog follows its files even without a watch.
	put(t, dir, ".claude/skills/later/SKILL.md", "---\nname: later\ndescription: New\n---\nText\n")
	for end := time.Now().Add(time.Minute); !strings.Contains(string(c.must("list", p{"catalog": number})), `"later"`); {
		if time.Now().After(end) {
			t.Fatal("a new skill is not listed")
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.must("close", p{"catalog": number})
	select {
	case m := <-c.told:
		t.Errorf("unexpected notification %s", m.Params)
	default:
	}
}

// TestWatchLimits checks that the number of watches is limited and that each
// watch gets its own notifications.
func TestWatchLimits(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	c := newClient(t, options(home))
	number := c.opened(p{"protocol": 1, "dir": dir})
	numbers := map[int]bool{}
	for range 64 {
		numbers[c.watched(number)] = true
	}
	if _, err := c.call("watch", p{"catalog": number}); err == nil || err.Data.Code != "TOO_MANY_WATCHES" {
		t.Errorf("too many watches: %v", err)
	}
	put(t, dir, ".claude/skills/fresh/SKILL.md", "---\nname: fresh\ndescription: New\n---\nText\n")
	for len(numbers) > 0 {
		var x rpc.Changed
		_ = json.Unmarshal(c.notification().Params, &struct{ Watch *int }{&x.Watch})
		if !numbers[x.Watch] {
			t.Fatalf("the watch %d does not exist, or was told twice", x.Watch)
		}
		delete(numbers, x.Watch)
	}
}

// TestSlowReader checks that a client that reads slowly gets the changes from
// many reloads in one notification.
func TestSlowReader(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	c := newClient(t, options(home))
	w := c.watched(c.opened(p{"protocol": 1, "dir": dir}))
	c.mu.Lock() // The client reads one message and then stops reading.
	put(t, dir, ".claude/skills/first/SKILL.md", "---\ndescription: New\n---\nText\n")
	var want []string
	for i := range 5 {
		time.Sleep(120 * time.Millisecond)
		put(t, dir, fmt.Sprintf(".claude/skills/s%02d/SKILL.md", i), "---\ndescription: New\n---\nText\n")
		want = append(want, fmt.Sprintf("+skill s%02d", i))
	}
	c.mu.Unlock()
	c.changes(w, append([]string{"+skill first"}, want...)...)
	if n := len(c.told); n > 0 {
		t.Errorf("%d more notifications", n)
	}
}

// TestPolicyChanges checks that each call uses the current policy.
func TestPolicyChanges(t *testing.T) {
	dir, home := project(t, some()), t.TempDir()
	c := newClient(t, options(home))
	number := c.opened(p{"protocol": 1, "dir": dir})
	for _, shell := range []string{"readonly", "off", "readonly", "off"} {
		put(t, dir, ".vade/policy.yaml", "shell: "+shell+"\n")
		result := string(c.must("load", p{"catalog": number, "request": []string{"/review"}}))
		if ran := strings.Contains(result, "A project."); ran != (shell == "readonly") {
			t.Errorf("shell %s: %s", shell, result)
		}
	}
}
