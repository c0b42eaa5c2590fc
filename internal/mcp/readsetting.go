package mcp

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/secretnames"
)

// setting reads the keys with numbers, flags and lists of tools, and reports
// whether the key is one of them.
func (r *entry) setting(e *definition.Entry) bool {
	f := r.format
	switch k := e.Key; {
	case k == "":
		return false
	case k == f.Timeout:
		r.s.Timeout = r.duration(e)
	case k == f.Start:
		r.s.Start = r.duration(e)
	case k == f.Off, k == "disabled" && f.On == "":
		r.s.Off = strings.EqualFold(e.Value.Text, "true")
	case k == f.On:
		r.s.Off = strings.EqualFold(e.Value.Text, "false")
	case k == f.Tools:
		r.s.Tools = r.words(e)
		r.s.Only = true
		if len(r.s.Tools) == 1 && r.s.Tools[0] == f.AllTools && f.AllTools != "" {
			r.s.Tools, r.s.Only = nil, false
		}
	case k == f.NotTools:
		r.s.NotTools = r.words(e)
	default:
		return false
	}
	return true
}

func (r *entry) words(e *definition.Entry) []string {
	if e.Value.Kind != definition.List {
		r.fail("%s is not a list", e.Key)
		return nil
	}
	var list []string
	for i, item := range e.Value.Items {
		if i < maxMembers && (item.Kind == definition.String || item.Kind == definition.Number) && !tokenIn(item.Text) {
			list = append(list, item.Text)
		}
	}
	return list
}

func (r *entry) duration(e *definition.Entry) time.Duration {
	n, err := strconv.ParseFloat(e.Value.Text, 64)
	if err != nil || e.Value.Kind != definition.Number || !(n > 0) || n*float64(r.format.Unit) > float64(math.MaxInt64/2) {
		r.fail("%s is not a length of time", e.Key)
		return 0
	}
	return time.Duration(n * float64(r.format.Unit)).Round(time.Millisecond)
}

// extra keeps a key that only its own host knows, if no secret can be in it.
func (r *entry) extra(e *definition.Entry) {
	if tokenIn(e.Key) || len(r.s.Extras) == maxMembers {
		r.fail("it has a key that can not be used")
		return
	}
	x := Extra{Key: e.Key, Format: r.format.Name}
	if x.Kept = plainValue(e.Key, e.Value, 0); x.Kept {
		x.Value = e.Value
	} else {
		r.hide(e.Value, e.Key, "", likelyValue(e.Key, e.Value, 0))
	}
	r.s.Extras = append(r.s.Extras, x)
}

// plainValue reports whether no secret can be in a value of any form.
func plainValue(key string, v definition.Value, depth int) bool {
	switch v.Kind {
	case definition.Null, definition.Bool:
		return true
	case definition.Number:
		return len(v.Text) <= 12
	case definition.String:
		return !pairUser(v.Text) && harmless(key, v.Text) || looksForeign(v.Text) && !tokenIn(v.Text)
	}
	if depth > 4 {
		return false
	}
	for _, item := range v.Items {
		if strings.HasPrefix(item.Text, "-") {
			// It may be an option, with a secret behind it.
			return false
		}
		if !plainValue(key, item, depth+1) {
			return false
		}
	}
	for _, p := range v.Pairs {
		if tokenIn(p.Key) || !plainValue(p.Key, p.Value, depth+1) {
			return false
		}
	}
	return true
}

// likelyValue reports whether a part of a value looks like a secret.
func likelyValue(key string, v definition.Value, depth int) bool {
	if v.Kind == definition.String && (secretnames.May(key) || tokenIn(v.Text)) {
		return true
	}
	if depth > jsonc.MaxDepth {
		return false
	}
	for _, item := range v.Items {
		if likelyValue(key, item, depth+1) {
			return true
		}
	}
	for _, p := range v.Pairs {
		if likelyValue(p.Key, p.Value, depth+1) {
			return true
		}
	}
	return false
}

// unreplaced notes a word for a directory that the host of the file leaves as it is.
func (r *entry) unreplaced(v definition.Value) {
	if r.s.Origins[0].Layer == definition.Plugin {
		return
	}
	for _, w := range r.format.Words {
		if w.InPlugin && strings.Contains(v.Text, w.Word) {
			r.note(v, "write "+r.format.Word(w.Var), "%s is replaced in plugins only: the hosts that read %s leave it as it is", w.Word, r.format.Name)
		}
	}
}
