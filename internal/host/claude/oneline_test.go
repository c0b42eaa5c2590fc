package claude

import "testing"

// TestOneLine compares oneLine against descriptions as listed by Claude Code 2.1.330.
func TestOneLine(t *testing.T) {
	for _, kept := range []string{
		"\u2764\ufe0fx", "\u26a0\ufe0f x", "1\ufe0f\u20e3", "\u00a9\ufe0f", "\U0001f44d\U0001f3fdx", "\U0001f469\U0001f3fd\u200d\U0001f4bb",
		"\U0001f3f3\ufe0f\u200d\U0001f308", "\u2764\ufe0f\u200d\U0001f525", "\U0001f9d1\u200d\u2695\ufe0fx", "\U0001f3c3\u200d\u2642\ufe0f\u200d\u27a1\ufe0f",
		"\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\u0645\u06cc\u200c\u062e", "\u0628\u064e\u200c\u062a",
		"\u0915\u094d\u200c\u0937", "\u0dc1\u0dca\u200d\u0dbb", "\u0915\u093c\u094d\u200d\u0915", "a\u0301b", "\u3000\u00a0",
	} {
		if got := oneLine(kept); got != kept {
			t.Errorf("%+q: %+q", kept, got)
		}
	}
	for text, want := range map[string]string{
		"\u2b50\ufe0f": "\u2b50 ", "\u2705\ufe0fx": "\u2705 x", "a\ufe0fx": "a x", "1\ufe0fx": "1 x", "\u26a0\ufe0ex": "\u26a0 x",
		"\u2764\u200d\U0001f525": "\u2764 \U0001f525", "\U0001f468\u200d\u2695": "\U0001f468 \u2695", "\U0001f468\u200d1": "\U0001f468 1",
		"\U0001f3f4\U000e0067x": "\U0001f3f4 x", "a\U000e0001b": "a b", "\u0627\u200d\u0628": "\u0627 \u0628", "\u0628\u200c ": "\u0628  ",
		"\u0d9a\u0dca\u200c\u0d9a": "\u0d9a\u0dca \u0d9a", "\u0b95\u0bcd\u200d\u0b95": "\u0b95\u0bcd \u0b95", "\u0d28\u0d4d\u200d x": "\u0d28\u0d4d  x",
		"a\u200db": "a b", "x\u3164y": "x y", "\u2800x": " x", "a\u034fb": "a b", "\ue000x": " x", "a\u0378b": "a b", "a\ufeff\u2028\tb": "a b",
		"a\x1b[31mb": "ab", "\U000e0100x": " x", "\u17b4x": " x",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}
