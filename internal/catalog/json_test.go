package catalog

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/jsonc"
	"github.com/vadehq/vade/internal/terminal"
)

// FuzzJSONString checks that strings are encoded exactly as encoding/json encodes them.
func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\t\r\b\f\x00\x1f\x7f", "é😀\u2028\u2029", "\xff\xc3", "<&>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, _ := jsonc.Marshal(s, "")
		want = terminal.EscapeJSON(want)
		if got := terminal.EscapeJSON(definition.AppendJSONString(nil, s)); !bytes.Equal(got, want) {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
	})
}

// TestResultJSON checks that results are encoded exactly as encoding/json encodes them.
func TestResultJSON(t *testing.T) {
	for _, n := range []int{0, 1, 2} {
		var r definition.Result
		setAll(reflect.ValueOf(&r).Elem(), n)
		want, err := jsonc.Marshal(r, "  ")
		if err != nil {
			t.Fatal(err)
		}
		got, err := JSON(&r)
		if diff := cmp.Diff(string(terminal.EscapeJSON(want)), string(got)); diff != "" || err != nil {
			t.Errorf("with %d items: %v, -want +got\n%s", n, err, diff)
		}
	}
}

// setAll sets all of a value's fields. Lists get n items; if n is 0, nilable fields stay nil.
func setAll(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if n > 0 || v.Type() == reflect.TypeFor[*definition.Metadata]() {
			v.Set(reflect.New(v.Type().Elem()))
			setAll(v.Elem(), n)
		}
		if n == 0 && v.Type() == reflect.TypeFor[*definition.Expansions]() {
			v.Set(reflect.ValueOf(&definition.Expansions{Files: []definition.FileExpansion{}, Bash: []definition.BashExpansion{}}))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[definition.Frontmatter]() {
			text := []string{`{}`, `{"a":1}`, `{"a":{"b":[1,"<"]},"c":[]}`}[n]
			v.Set(reflect.ValueOf(definition.Frontmatter{JSON: []byte(text)}))
			return
		}
		for i := range v.NumField() {
			setAll(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			setAll(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(strings.Repeat("<é\b\u2028\u200b\x7f\xff##[", n))
	case reflect.Bool:
		v.SetBool(n > 0)
	case reflect.Float64:
		v.SetFloat([]float64{0, 6.7, 12345678}[n])
	default:
		if v.CanInt() {
			v.SetInt(int64(n))
		} else {
			v.SetUint(uint64(n))
		}
	}
}

func TestEscapeJSON(t *testing.T) {
	in := "\"a\u009b\u202e\u200b\U000e0041é😀\u200d\x7fz\""
	want := `"a\u009b\u202e\u200b\udb40\udc41é😀` + "\u200d" + `\u007fz"`
	if got := string(terminal.EscapeJSON([]byte(in))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
