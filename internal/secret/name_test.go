package secret

import "testing"

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		is, may bool
	}{
		{"GITHUB_TOKEN", true, true},
		{"githubToken", true, true},
		{"OPENAI_API_KEY", true, true},
		{"apikey", true, true},
		{"AWS_SECRET_ACCESS_KEY", true, true},
		{"AWS_ACCESS_KEY_ID", true, true},
		{"DB_PASSWORD", true, true},
		{"DB_PWD", true, true},
		{"JWT", true, true},
		{"SESSION_COOKIE", true, true},
		{"PRIVATE_KEY", true, true},
		{"SEED_PHRASE", true, true},
		{"SECRET_VALUE", true, true},
		{"DATABASE_URL", true, true},
		{"MONGODB_URI", true, true},

		{"JWT_ALGORITHM", false, true},
		{"MAX_TOKENS", false, true},
		{"SSH_PUBLIC_KEY", false, true},
		{"PWD", false, true},
		{"OLDPWD", false, true},
		{"KEY", false, true},
		{"--key", false, true},
		{"X-Auth", false, true},
		{"Authorization", false, true},
		{"Mcp-Session-Id", false, true},
		{"DATABASE_DSN", false, true},
		{"MYKEY", false, true},

		{"", false, false},
		{"PATH", false, false},
		{"HOME", false, false},
		{"KEYBOARD", false, false},
		{"MONKEY", false, false},
		{"DATABASE", false, false},
		{"BASE_URL", false, false},
		{"BYPASS", false, false},
		{"AUTHOR", false, false},
	} {
		if is, may := Is(c.name), May(c.name); is != c.is || may != c.may {
			t.Errorf("%s: Is %v, May %v", c.name, is, may)
		}
	}
}
