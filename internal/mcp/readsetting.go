package mcp

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/secret"
)

// setting reads a key for a timeout, a flag or a tool list. It returns false for any other key.
func (r *entry) setting(e *definition.Entry) bool {
	f := r.format
	switch k := e.Key; {
	case k == "":
		return false
	case k == f.Timeout:
		r.s.Timeout = r.duration(e)
	case k == f.Start:
		r.s.StartTimeout = r.duration(e)
	case k == f.Off, k == "disabled" && f.On == "":
		r.s.Disabled = strings.EqualFold(e.Value.Text, "true")
	case k == f.On:
		r.s.Disabled = strings.EqualFold(e.Value.Text, "false")
	case k == f.Tools:
		r.s.Tools = r.stringList(e)
		r.s.HasTools = true
		if len(r.s.Tools) == 1 && r.s.Tools[0] == f.AllTools && f.AllTools != "" {
			r.s.Tools, r.s.HasTools = nil, false
		}
	case k == f.NotTools:
		r.s.NotTools = r.stringList(e)
	default:
		return false
	}
	return true
}

func (r *entry) stringList(e *definition.Entry) []string {
	if e.Value.Kind != definition.List {
		r.fail("%s must be a list", e.Key)
		return nil
	}
	var list []string
	for i, item := range e.Value.Items {
		if i < maxMembers && (item.Kind == definition.String || item.Kind == definition.Number) && !secret.HasToken(item.Text) {
			list = append(list, item.Text)
		}
	}
	return list
}

func (r *entry) duration(e *definition.Entry) time.Duration {
	n, err := strconv.ParseFloat(e.Value.Text, 64)
	if err != nil || e.Value.Kind != definition.Number || !(n > 0) || n*float64(r.format.Unit) > float64(math.MaxInt64/2) {
		r.fail("%s must be a positive number", e.Key)
		return 0
	}
	return time.Duration(n * float64(r.format.Unit)).Round(time.Millisecond)
}

// extra keeps a key that only the entry's own host supports. It drops the value if the value may
// contain a secret.
func (r *entry) extra(e *definition.Entry) {
	switch {
	case secret.HasToken(e.Key):
		r.fail("a key is ignored because it looks like a secret")
		return
	case len(r.s.Extras) == maxMembers:
		r.fail("only the first %d keys specific to %s are used", maxMembers, r.format.Name)
		return
	}
	x := Extra{Key: e.Key, Format: r.format.Name}
	if x.Known = isPlainValue(e.Key, e.Value, 0); x.Known {
		x.Value = e.Value
	} else {
		r.hide(e.Value, e.Key, "", SecretField(e.Key, e.Value, false))
	}
	r.s.Extras = append(r.s.Extras, x)
}

// isPlainValue reports whether a value plainly does not contain a secret.
func isPlainValue(key string, v definition.Value, depth int) bool {
	switch v.Kind {
	case definition.Null, definition.Bool:
		return true
	case definition.Number:
		return len(v.Text) <= 12
	case definition.String:
		return !secret.HasUserPassword(v.Text) && secret.Harmless(key, v.Text) || isForeignReference(v.Text) && !secret.HasToken(v.Text)
	}
	if depth > 4 {
		return false
	}
	for _, item := range v.Items {
		if strings.HasPrefix(item.Text, "-") {
			// The item may be an option followed by a secret.
			return false
		}
		if !isPlainValue(key, item, depth+1) {
			return false
		}
	}
	for _, p := range v.Pairs {
		if secret.HasToken(p.Key) || !isPlainValue(p.Key, p.Value, depth+1) {
			return false
		}
	}
	return true
}

// noteUnreplaced adds a note if v contains a directory reference that is replaced only in plugins,
// and the entry is not in a plugin.
func (r *entry) noteUnreplaced(v definition.Value) {
	if r.s.Origins[0].Layer == definition.Plugin {
		return
	}
	for _, w := range r.format.Words {
		if w.InPlugin && strings.Contains(v.Text, w.Word) {
			r.note(v, "use "+r.format.Word(w.Var), "hosts that read %s replace %s only in plugins", r.format.Name, w.Word)
		}
	}
}
