package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
	"github.com/vadehq/vade/internal/jsonc"

	"github.com/vadehq/vade/internal/testenv"
)

// formats returns the formats of all hosts, agents and plugins.
func formats() []*host.ServerFormat {
	var all []*host.ServerFormat
	add := func(f *host.ServerFormat) {
		if f != nil && !slices.ContainsFunc(all, func(o *host.ServerFormat) bool { return o.Name == f.Name }) {
			all = append(all, f)
		}
	}
	for _, p := range registry.Profiles() {
		add(p.Servers)
		for _, c := range p.ConfigFiles() {
			add(c.Words)
		}
	}
	add(registry.AgentServers("mcp-servers", definition.Markdown))
	add(registry.AgentServers("mcp_servers", definition.Markdown))
	add(registry.AgentServers("mcpServers", definition.Markdown))
	return all
}

// anyServer generates an entry without anything that could be mistaken for a secret.
func anyServer(t *rapid.T, name string) Server {
	word := rapid.SampledFrom([]string{"npx", "-y", "files", "./bin/x", "debug", "a b", `quote"d`, "", "back\\slash", "ünï", "x=y"})
	variable := rapid.SampledFrom([]string{"A", "HOME", "ISSUES_TOKEN", "_x1"})
	text := func(label string) Text {
		var x Text
		for range rapid.IntRange(1, 3).Draw(t, label) {
			switch rapid.IntRange(0, 4).Draw(t, label+" part") {
			case 0:
				x = append(x, Part{Kind: Env, Text: variable.Draw(t, label)})
			case 1:
				x = append(x, Part{Kind: Input, Text: "an-id"})
			case 2:
				x = append(x, Part{Kind: Dir, Dir: host.VarProject})
			default:
				if len(x) > 0 {
					// Without a separator, text next to a reference may be part of a secret.
					x = x.literal("/")
				}
				x = x.literal(word.Draw(t, label))
			}
		}
		return x
	}
	s := Server{
		Name: name, Transport: rapid.SampledFrom([]host.Transport{host.Stdio, host.HTTP, host.SSE, host.WebSocket}).Draw(t, "transport"),
		Timeout: time.Duration(rapid.SampledFrom([]int{0, 0, 1, 1500, 60000}).Draw(t, "timeout")) * time.Millisecond,
		Origins: []Origin{{Format: "none"}},
	}
	if rapid.Bool().Draw(t, "only") {
		s.HasTools, s.Tools = true, []string{"read"}
	}
	value := func(label string) Text {
		if rapid.Bool().Draw(t, label+" refers") {
			return Text{{Kind: Env, Text: variable.Draw(t, label)}}
		}
		return Text{}.literal(rapid.SampledFrom([]string{"debug", "8080", "/var/x", "core"}).Draw(t, label))
	}
	if s.Transport == host.Stdio {
		s.Command = Text{{Text: "npx"}}
		for i := range rapid.IntRange(0, 4).Draw(t, "args") {
			a := text(fmt.Sprint("arg", i))
			if a == nil {
				a = Text{}
			}
			s.Args = append(s.Args, a)
		}
		for _, k := range []string{"A", "LEVEL"} {
			if rapid.Bool().Draw(t, k) {
				s.Env = append(s.Env, Pair{k, value(k)})
			}
		}
		return s
	}
	s.URL = Text{{Text: "https://x.example/mcp"}}
	for _, k := range []string{"Authorization", "X-Team"} {
		if !rapid.Bool().Draw(t, k) {
			continue
		}
		v := value(k)
		if k == "Authorization" {
			v = Text{{Text: "Bearer "}, {Kind: Env, Text: "ISSUES_TOKEN"}}
		}
		s.Headers = append(s.Headers, Pair{k, v})
	}
	return s
}

// TestWriteRoundTrip checks that an entry that a format can express without losses is unchanged
// when it is read back. It also checks that writing any entry, reading it and writing it again
// produces the same output.
func TestWriteRoundTrip(t *testing.T) {
	whole := map[string]int{}
	testenv.Check(t, func(rt *rapid.T) {
		plain := Server{Name: "plain", Transport: host.Stdio, Command: Text{{Text: "npx"}}, Args: []Text{{{Text: "-y"}}}, Origins: []Origin{{Format: "none"}}}
		list := []Server{anyServer(rt, "one"), anyServer(rt, "two-2"), plain}
		for _, f := range formats() {
			data, losses := Write(list, f, false)
			back := readBack(t, data, f)
			again, more := Write(back, f, false)
			if string(again) != string(data) || len(more) > 0 {
				rt.Fatalf("%s: written again:\n%s\nat first:\n%s\n%v", f.Name, again, data, more)
			}
			for i := range list {
				lost := false
				for _, l := range losses {
					lost = lost || l.Server == list[i].Name
				}
				if lost {
					continue
				}
				whole[f.Name]++
				b := serverNamed(back, list[i].Name)
				if b == nil {
					rt.Fatalf("%s: %s is gone without a word:\n%s", f.Name, list[i].Name, data)
				}
				want := list[i]
				if f.Detects && want.Transport == host.SSE {
					b.Transport = want.Transport
				}
				if !want.sameBut(b) {
					rt.Fatalf("%s:\nwas %s\nnow %s\n%s", f.Name, describe(&want), describe(b), data)
				}
			}
		}
	})
	for _, f := range formats() {
		if whole[f.Name] == 0 {
			t.Errorf("%s: no entry was written whole: the test is broken", f.Name)
		}
	}
}

// sameBut is like same but ignores directory variables that have become paths.
func (s *Server) sameBut(o *Server) bool {
	a, b := *s, *o
	a.Args, b.Args = nil, nil
	if len(s.Args) != len(o.Args) {
		return false
	}
	for i := range s.Args {
		if strings.ReplaceAll(s.Args[i].String(), "${dir:project}", ".") != strings.ReplaceAll(o.Args[i].String(), "${dir:project}", ".") {
			return false
		}
	}
	return a.equal(&b)
}

func serverNamed(list []Server, name string) *Server {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// secrets generates values that must never appear in any output.
func secrets() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[A-Za-z0-9]{20,60}[0-9]{2}`).Filter(func(s string) bool { return varied(s) }),
		rapid.StringMatching(`(ghp_|sk-|xoxb-|glpat-)[A-Za-z]{10}[0-9]{2}[A-Za-z0-9]{12}`),
		rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}`).Filter(func(s string) bool { return varied(s) }),
	)
}

// varied reports whether s has at least ten different bytes, both letters and digits.
func varied(s string) bool {
	different := map[byte]bool{}
	for i := range len(s) {
		different[s[i]] = true
	}
	return len(different) >= 10 && strings.ContainsAny(s, "0123456789") && strings.ContainsAny(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz")
}

// plantings returns entries with a secret, marked @, in each position where a secret can occur.
func plantings() []string {
	return []string{
		`{"command":"x","KENV":{"API_KEY":"@"}}`, `{"command":"x","KENV":{"X":"@"}}`, `{"command":"x","KENV":{"X":"a @ b"}}`,
		`{"command":"x","KENV":{"X":"${Y:-@}"}}`, `{"command":"x","KENV":{"X":"${@}"}}`, `{"command":"x","KENV":{"X":"${Y}@"}}`,
		`{"command":"x","KENV":{"DB":"postgres://u:@@h/db"}}`, `{"command":"x","KENV":{"@":"x"}}`,
		`{"command":"x","KENV":{"X":"${env:@}"}}`, `{"command":"x","KENV":{"X":"${input:@}"}}`, `{"command":"x","KENV":{"X":"$@"}}`,
		`{"command":"x","args":["--token","@"]}`, `{"command":"x","args":["@"]}`, `{"command":"x","args":["--k=@"]}`, `{"command":"x","args":["-p@"]}`,
		`{"command":"x","args":["-e","K=@"]}`, `{"command":"x","args":["--header","Authorization: Bearer @"]}`, `{"command":"x","args":["-u","me:@"]}`,
		`{"command":"x","args":["{\"k\":\"@\"}"]}`, `{"command":"x","args":["https://a.example/@/b"]}`, `{"command":"x","args":["--u=https://u:@@a.example"]}`,
		`{"command":["x","--token","@"]}`, `{"command":"TOKEN=@ x"}`, `{"command":"x","cwd":"/a/@"}`,
		`{"KTYPE":"http","url":"https://x.example/mcp?key=@"}`, `{"KTYPE":"http","url":"https://x.example/@/mcp"}`, `{"KTYPE":"http","url":"https://@@x.example"}`,
		`{"KTYPE":"http","url":"https://x.example/#@"}`, `{"KTYPE":"http","url":"https://@.example/"}`,
		`{"KTYPE":"http","url":"https://x.example","headers":{"Authorization":"Bearer @"}}`, `{"KTYPE":"http","url":"https://x.example","headers":{"X":"@"}}`,
		`{"KTYPE":"http","url":"https://x.example","http_headers":{"X":"@"}}`, `{"KTYPE":"http","url":"https://x.example","bearer_token_env_var":"@"}`,
		`{"KTYPE":"http","url":"https://x.example","env_http_headers":{"X":"@"}}`, `{"command":"x","env_vars":["@"]}`, `{"command":"x","env_vars":[{"name":"@"}]}`,
		`{"command":"x","oauth":{"clientSecret":"@"}}`, `{"command":"x","other":["@"]}`, `{"command":"x","@":1}`, `{"command":"x","includeTools":["@"],"tools":["@"],"enabled_tools":["@"]}`,
		`{"type":"@","command":"x"}`, `{"command":{"a":"@"}}`, `{"command":"x","timeout":"@","args":"@"}`, `"@"`, `["@"]`,
	}
}

// TestNoSecretIsKept plants secrets everywhere in an entry, in every format,
// and searches all output for them.
func TestNoSecretIsKept(t *testing.T) {
	all := formats()
	read := 0
	plant := func(t rapid.TB, secret string, f *host.ServerFormat) {
		for _, planting := range plantings() {
			list, out := planted(t, secret, planting, f, all)
			read += list
			if at := strings.Index(strings.ToUpper(out), strings.ToUpper(secret)); at >= 0 {
				t.Fatalf("the secret %s of %s in %s comes out again: %.200q", secret, planting, f.Name, out[max(at-80, 0):])
			}
		}
	}
	// An earlier version failed to hide these secrets.
	for _, secret := range []string{
		"JWt0000001112234567z89", // --k's value contains a word for secrets
	} {
		for _, f := range all {
			plant(t, secret, f)
		}
	}
	testenv.Check(t, func(rt *rapid.T) {
		plant(rt, secrets().Draw(rt, "secret"), rapid.SampledFrom(all).Draw(rt, "format"))
	})
	if read < 20 {
		t.Fatalf("only %d entries were read: the test is broken", read)
	}
}

// planted reads an entry that contains a secret. It returns the number of
// entries read, and all output derived from them.
func planted(t rapid.TB, secret, planting string, f *host.ServerFormat, all []*host.ServerFormat) (int, string) {
	text := strings.NewReplacer("@@", secret+"@", "@", secret, "KENV", f.Env, "KTYPE", "type").Replace(planting)
	data := []byte(`{"planted":` + text + `}`)
	v, ok := jsonc.Parse(data)
	if !ok {
		t.Fatalf("no JSON: %s", data)
	}
	list, found := Read(diag.NewFile("file", data), v, f, Origin{})
	var out strings.Builder
	for i := range list {
		out.WriteString(describe(&list[i]))
		fmt.Fprintf(&out, "%+v %+v %+v", list[i].Hidden, list[i].Notes, list[i].Extras)
	}
	for _, d := range found {
		text, _ := json.Marshal(d)
		out.Write(text)
		out.WriteString(d.Source)
	}
	for _, g := range all {
		written, losses := Write(list, g, true)
		out.Write(written)
		fmt.Fprintf(&out, "%+v", losses)
	}
	return len(list), out.String()
}

func FuzzRead(f *testing.F) {
	for _, p := range plantings() {
		f.Add([]byte(`{"a":`+p+`}`), uint8(1))
	}
	f.Add([]byte(everything), uint8(2))
	all := formats()
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		v, ok := jsonc.Parse(data)
		if !ok {
			return
		}
		format := all[int(which)%len(all)]
		list, found := Read(diag.NewFile("file", data), v, format, Origin{})
		for _, d := range found {
			if d.Fix == "" || d.Source != "" {
				t.Fatalf("%+v", d)
			}
		}
		merged := Merge(list, nil, nil)
		if len(merged) > len(list) {
			t.Fatalf("%d entries became %d", len(list), len(merged))
		}
		for _, g := range all {
			text, losses := Write(merged, g, false)
			back := readBack(t, text, g)
			again, more := Write(back, g, false)
			if string(again) != string(text) || len(more) > 0 {
				t.Fatalf("%s: written again:\n%s\nat first:\n%s\n%v %v", g.Name, again, text, more, losses)
			}
		}
	})
}
