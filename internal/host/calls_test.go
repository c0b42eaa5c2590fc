package host

import (
	"reflect"
	"testing"
)

func TestQuotedFields(t *testing.T) {
	for _, tc := range []struct {
		line string
		any  bool
		want []string
	}{
		{"alpha 'beta gamma' delta", false, []string{"alpha", "beta gamma", "delta"}},
		{`a""b '' c`, false, []string{"ab", "c"}}, {"a\nb", false, []string{"a\nb"}}, {"a\nb", true, []string{"a", "b"}}, {"'open a", false, []string{"open a"}},
	} {
		if got := QuotedFields(tc.line, tc.any); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("quotedFields(%q) = %q, want %q", tc.line, got, tc.want)
		}
	}
}
