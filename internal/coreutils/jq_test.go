package coreutils

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/vadehq/vade/internal/testenv"
)

func jqFiles() map[string]string {
	return map[string]string{
		"a.json":  `{"name":"demo","version":"1.2.3","count":42,"pi":3.5,"big":12345678,"ok":true,"no":false,"nil":null,"tags":["b","a","c","a"],"deps":{"z":"^1","a":"~2"},"nested":{"x":{"y":[1,2,{"z":"deep"}]}},"a b":"space","esc":"q\"\\\n\u0001é"}`,
		"l.json":  `[{"id":3,"n":"c","t":"x"},{"id":1,"n":"a","t":"y"},{"id":2,"n":"b","t":"x"},{"id":null,"n":"d"}]`,
		"s.json":  "{\"a\":1}\n{\"a\":2}\n{\"b\":3}\n",
		"bad":     "{\"a\":1} {",
		"empty":   "",
		"nums":    `[3,1,2.5,-1,0,10]`,
		"mixed":   `[{"a":1},[1],"s",2,true,false,null,{"a":0,"b":1}]`,
		"emptyes": `{"a":[],"o":{}}`,
	}
}

func TestJqAsJq(t *testing.T) {
	compareGNU(t, jqFiles(), with(`{"status":null,"items":[1,2]}`, jqLines()...))
}

func TestJqRefuses(t *testing.T) {
	refuses(t, "jq", "jq -f prog a", "jq --from-file prog a", "jq -L dir . a",
		"jq --slurpfile x f . a", "jq --rawfile x f . a", "jq --args . a", "jq --stream . a", "jq -C . a",
		"jq --arg x y . a", "jq --seq . a", "jq -h")
}

// TestJqBadFilters asserts that an invalid filter is reported by jq itself, not as a refusal.
func TestJqBadFilters(t *testing.T) {
	for _, filter := range []string{".a.", ".a[", "{a", "foo", "$nope", `import "x" as x; .`, `include "x"; .`} {
		got := runHere(t, &IO{FS: noFS{}}, "jq", "-n", filter)
		if got.status != 3 || got.stdout != "" || !strings.HasPrefix(got.stderr, "jq: error: ") {
			t.Errorf("%s: %+v", filter, got)
		}
	}
}

// TestJqSeesNothing asserts that a query can access neither the environment nor files.
func TestJqSeesNothing(t *testing.T) {
	t.Setenv("SECRET", "x")
	if got := runHere(t, &IO{FS: noFS{}}, "jq", "-nc", "$ENV, env, [inputs]"); got.stdout != "{}\n{}\n[]\n" {
		t.Errorf("%+v", got)
	}
}

// TestJqIsBounded asserts that a small filter can neither exhaust memory nor run forever.
func TestJqIsBounded(t *testing.T) {
	testenv.SkipUnlessSlow(t)
	for _, filter := range []string{
		`reduce range(100) as $i ("x"; .+.)`, `reduce range(60) as $i (0; [.,.]) | tojson`, `[range(1e9)]`,
		`[range(5000)|""] | join("x"*1000000) | length`, `def f: f; f`,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		got := runIn(ctx, t, &IO{FS: noFS{}}, "jq", "-n", filter)
		cancel()
		if got.status != 5 && got.status != exitStopped {
			t.Errorf("%s: %d %.100s", filter, got.status, got.stderr)
		}
	}
}

func jqLines() []string {
	return []string{
		"jq -S . a.json", "jq -cS . a.json", "jq .name a.json", "jq -r .name a.json", "jq '.\"a b\"' a.json", "jq '.[\"name\"]' a.json", "jq .missing a.json", "jq .tags[0] a.json", "jq .tags[-1] a.json", "jq .tags[9] a.json", "jq .tags[] a.json", "jq '.tags[1:3]' a.json", "jq -c '.tags[:-1]' a.json", "jq '.name[2:]' a.json", "jq .nested.x.y[2].z a.json", "jq '.deps|keys' a.json", "jq -r '.deps|keys[]' a.json", "jq '.name, .count' a.json", "jq '.nil // \"d\"' a.json", "jq '.no // .nil // 3' a.json", "jq '(.tags[]|select(.==\"a\")) // \"n\"' a.json",
		"jq -r '\"\\(.name)@\\(.version) \\(.tags)\"' a.json", "jq '.count > 41' a.json", "jq '.count == 42 and .ok' a.json", "jq '.no or .nil' a.json", "jq '.ok|not' a.json", "jq -e .no a.json", "jq -e .nil a.json", "jq -e .ok a.json", "jq -e empty a.json", "jq length a.json", "jq '.tags|length' a.json", "jq '.name|length' a.json", "jq '.nil|length' a.json", "jq '.ok|length' a.json", "jq 'map(.id)' l.json", "jq -c 'map(select(.t==\"x\"))' l.json", "jq -r '.[]|select(.id!=null)|.n' l.json", "jq -c '[.[]|{id,n}]' l.json", "jq -c '.[]|{(.n):.id, \"k\":1, x:(.id,.n)}' l.json", "jq -c 'sort_by(.id)|map(.n)' l.json", "jq -c '.tags|sort,unique,first,last,reverse' a.json", "jq -c '[.tags[]|ascii_upcase]' a.json", "jq -c 'sort' mixed", "jq -c 'sort,add,min,max' nums", "jq -c 'map(type)' mixed", "jq -c 'map(tostring)' mixed", "jq '.version|test(\"^1\\\\.\")' a.json", "jq '.name|test(\"x\")' a.json", "jq 'has(\"name\"), has(\"zz\")' a.json", "jq 'has(1), has(99)' nums", "jq -c '.version|split(\".\")|map(tonumber)' a.json", "jq '.deps|has(\"a\")' a.json",
		"jq .a s.json", "jq -s . s.json", "jq -sc 'map(.a)' s.json", "jq -s length s.json", "jq -n '1,\"a\",null,[]'", "jq -n '{a:1}+{b:2}'", "jq -nc '[1,2]+[3],[1,2,1]-[1]'", "jq -n '\"a\"+\"b\"'", "jq -n '1-2'", "jq '.items[]'", "jq -r '.status // \"Unknown\"'", "jq length", "jq .a a.json s.json",
		"jq .name.x a.json", "jq '.name.x?' a.json", "jq '.[]' nums", "jq '.[0]' a.json", "jq '.name[]' a.json", "jq '.name[]?' a.json", "jq -c '[.[]|.a?]' mixed", "jq . empty", "jq . missing", "jq .tags[0]? a.json", "jq 'if .ok then 1 else 2 end' a.json", "jq -c 'with_entries(select(.value==\"^1\"))' a.json", "jq -c .a,.o emptyes", "jq . emptyes", "jq '.esc' a.json", "jq -r '.esc' a.json", "jq -c 'map(.n // empty)' l.json", "jq -c '.[] | .id?, \"x\"' l.json", "jq '.name|startswith(\"de\"), endswith(\"x\")' a.json", "jq -c '[.[]|.id]|map(values)|sort' l.json", "jq '.count + 1, .count - 50, .pi' a.json", "jq '.tags|join(\"-\")' a.json", "jq 'map(.n)|join(\", \")' l.json", "jq '.[2:][0].n' l.json", "jq '.[1].n,.[-1].n' l.json",
	}
}

func TestJqInvalidInput(t *testing.T) {
	got := runHere(t, &IO{FS: dirFS{dir: testTree(t, jqFiles())}}, "jq", "-c", ".", "bad")
	if got.stdout != "{\"a\":1}\n" || got.status != 2 || got.stderr == "" {
		t.Errorf("got %+v", got)
	}
}
