package config

import "testing"

func TestBundled(t *testing.T) {
	for text, want := range map[string]struct {
		verify, stuck string
		invalid       bool
	}{
		"version: 1":                              {},
		"bundled:":                                {},
		"bundled: true":                           {},
		"bundled: {disable: []}":                  {},
		"version: 1\nbundled: false":              {"vade.yaml:2 disables it", "vade.yaml:2 disables it", false},
		"bundled: {disable: verify}":              {verify: "vade.yaml:1 disables it"},
		"bundled:\n  disable: [x, 'st*']":         {stuck: "vade.yaml:1 disables it"},
		"bundled: {disable: ['*']}":               {"vade.yaml:1 disables it", "vade.yaml:1 disables it", false},
		"bundled: {enable: [stuck]}":              {unread, unread, true},
		"bundled: {disabled: [stuck]}":            {unread, unread, true},
		"bundled: none":                           {unread, unread, true},
		"bundled: [verify]":                       {unread, unread, true},
		"bundled: {disable: [{a: b}]}":            {unread, unread, true},
		"bundeld: false":                          {unread, unread, true},
		"bundled: {disable: verify}\nhosts: none": {unread, unread, true},
	} {
		p, diags := Parse(File, []byte(text))
		if p.Without("verify") != want.verify || p.Without("stuck") != want.stuck || p.Invalid != want.invalid || len(diags) > 0 != want.invalid {
			t.Errorf("%q: %q, %q, %v, %v", text, p.Without("verify"), p.Without("stuck"), p.Invalid, diags)
		}
	}
	if (*Project)(nil).Without("x") != "" {
		t.Error("a missing project file disables something")
	}
}

const unread = "vade.yaml has errors and may disable it"
