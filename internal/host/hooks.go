package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
)

// HookRules describes the hooks that a host supports.
type HookRules struct {
	// Host is the host's name in messages to the user.
	Host string
	// Events holds the event names. Settings holds the keys in the event map that are not events.
	Events, Settings []string
	// Types holds the handler types; "" allows handlers without a type. nil accepts all types.
	Types []string
	// Flat is set if an event's list contains handlers directly, not in groups.
	Flat bool
}

// HookProblem describes a hook that a host does not support.
type HookProblem struct {
	Span diag.Span
	// Message describes the problem, and Fix suggests a solution.
	Message, Fix string
}

// GroupedHooks returns the hooks in a map from events to lists of groups, which is how Claude Code
// and Codex write them.
func GroupedHooks(events definition.Value) []definition.TurnHook {
	var list []definition.TurnHook
	for _, event := range events.Pairs {
		for _, group := range event.Value.Items {
			for _, h := range group.Pair("hooks").Items {
				command := ""
				for _, key := range [...]string{"command", "url", "prompt", "tool"} {
					command = cmp.Or(command, h.Pair(key).Text)
				}
				list = append(list, definition.TurnHook{
					Event: event.Key, Matcher: group.Pair("matcher").Text, Type: h.Pair("type").Text, Command: command,
				})
			}
		}
	}
	return list
}

// Check returns the problems in hooks, which is a map from events to lists of hooks. The problems
// are in the order of the map.
func (r *HookRules) Check(hooks definition.Value) []HookProblem {
	var list []HookProblem
	for i := range hooks.Pairs {
		e := &hooks.Pairs[i]
		switch {
		case slices.Contains(r.Settings, e.Key):
		case !slices.Contains(r.Events, e.Key):
			text := fmt.Sprintf("%s has no hook event named %q, so the hook never runs", r.Host, e.Key)
			list = append(list, HookProblem{e.KeySpan, text, r.eventFix(e.Key)})
		case e.Value.Kind != definition.List:
			text := fmt.Sprintf("the hooks for %s must be a list", e.Key)
			list = append(list, HookProblem{e.Value.Span, text, "use a list"})
		default:
			for j := range e.Value.Items {
				list = append(list, r.checkEntry(e.Key, &e.Value.Items[j])...)
			}
		}
	}
	return list
}

// checkEntry returns the problems with one entry in an event's list.
func (r *HookRules) checkEntry(event string, entry *definition.Value) []HookProblem {
	group := entry.Pair("hooks")
	switch {
	case group.Kind == definition.Null && r.Flat:
		return r.checkHandler(event, entry)
	case group.Kind != definition.List:
		text := fmt.Sprintf("an entry for %s has no list of hooks, so %s ignores the entry", event, r.Host)
		return []HookProblem{{entry.Span, text, "put the hook in a list under the \"hooks\" key"}}
	}
	var list []HookProblem
	for i := range group.Items {
		list = append(list, r.checkHandler(event, &group.Items[i])...)
	}
	return list
}

func (r *HookRules) checkHandler(event string, handler *definition.Value) []HookProblem {
	kind, at := "", handler.Span
	if t := handler.Pair("type"); t.Text != "" {
		kind, at = t.Text, t.Span
	}
	switch {
	case r.Types == nil, slices.Contains(r.Types, kind):
		return nil
	case kind == "":
		text := fmt.Sprintf("a hook for %s has no type, so %s ignores the hook", event, r.Host)
		return []HookProblem{{at, text, "add type: " + r.Types[0]}}
	}
	text := fmt.Sprintf("%s has no hook type named %q, so the hook never runs", r.Host, kind)
	named := slices.DeleteFunc(slices.Clone(r.Types), func(t string) bool { return t == "" })
	return []HookProblem{{at, text, "use one of: " + strings.Join(named, ", ")}}
}

// eventFix suggests an event whose name differs only in case or, if there is none, lists examples.
func (r *HookRules) eventFix(name string) string {
	for _, e := range r.Events {
		if strings.EqualFold(e, name) {
			return "use " + e
		}
	}
	return "use an event such as " + strings.Join(r.Events[:min(len(r.Events), 4)], ", ")
}
