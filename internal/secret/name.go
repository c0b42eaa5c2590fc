// Package secret recognizes secrets: by name, as in environment variables, headers, flags, query
// parameters and settings, and by value, as in tokens and URLs with passwords.
package secret

import "strings"

// place specifies where in a name a word must occur. Separators are ignored, so "API_KEY",
// "api-key" and "apikey" contain the same word.
type place uint8

const (
	inside place = iota // anywhere
	ending              // at the end of a part
	whole               // as a complete part
	last                // as the last part
)

// words lists words that occur in the names of secrets. If a name contains a word marked as sure at
// the end of a part, it is the name of a secret. The other words also occur in the names of
// harmless values.
var words = [...]struct {
	text  string
	place place
	sure  bool
}{
	{"TOKEN", inside, true}, {"SECRET", inside, true}, {"SECRETS", ending, true}, {"PASSWORD", inside, true}, {"PASSWD", inside, true},
	{"PSWD", ending, true}, {"PASSPHRASE", inside, true}, {"SEEDPHRASE", ending, true}, {"RECOVERYPHRASE", ending, true}, {"MNEMONIC", ending, true},
	{"CREDENTIAL", inside, true}, {"CREDENTIALS", ending, true}, {"PAT", whole, true}, {"PASS", whole, true}, {"PWD", last, true},
	{"JWT", last, true}, {"COOKIE", last, true},

	{"APIKEY", inside, true}, {"SECRETKEY", ending, true}, {"PRIVATEKEY", ending, true}, {"PRIVKEY", ending, true}, {"ACCESSKEY", inside, true},
	{"ENCRYPTIONKEY", ending, true}, {"SIGNINGKEY", ending, true}, {"MASTERKEY", ending, true}, {"AUTHKEY", ending, true}, {"SERVICEKEY", ending, true},
	{"ACCOUNTKEY", ending, true}, {"SSHKEY", ending, true}, {"DEPLOYKEY", ending, true}, {"ROLEKEY", ending, true}, {"WALLETKEY", ending, true},
	{"LICENSEKEY", ending, true}, {"ADMINKEY", ending, true},

	// Connection URLs for databases and queues often contain a password.
	{"DATABASEURL", ending, true}, {"DBURL", last, true}, {"POSTGRESURL", ending, true}, {"MYSQLURL", ending, true},
	{"MONGOURI", ending, true}, {"MONGOURL", ending, true}, {"MONGODBURI", ending, true}, {"MONGODBURL", ending, true},
	{"REDISURL", ending, true}, {"AMQPURL", ending, true},

	{"JWT", inside, false}, {"COOKIE", inside, false}, {"PRIVATE", inside, false}, {"AUTHORIZATION", inside, false}, {"AUTHENTICATION", inside, false},
	{"SESSION", inside, false}, {"BEARER", inside, false}, {"SIGNATURE", inside, false}, {"WEBHOOK", inside, false}, {"CONNECTIONSTRING", inside, false},
	{"KEY", ending, false}, {"KEYS", whole, false}, {"PASS", ending, false}, {"PWD", ending, false}, {"CREDS", ending, false}, {"CRED", whole, false},
	{"AUTH", whole, false}, {"PW", whole, false}, {"PIN", whole, false}, {"SIG", whole, false}, {"DSN", whole, false}, {"SALT", whole, false}, {"OTP", whole, false},
}

// Is reports whether a name such as "GITHUB_TOKEN" or "apiKey" names a secret.
// Use it where a false positive is worse than a false negative.
func Is(name string) bool {
	n := split(name)
	if n.text == "PWD" { // the working directory
		return false
	}
	// Names with these endings refer to a property of a secret, not to the secret itself.
	for _, end := range [...]string{
		"PUBLICKEY", "KEYID", "KEYNAME", "KEYPATH", "KEYFILE", "SECRETNAME", "PASSWORDFILE", "TOKENS", "MAXTOKEN",
		"TOKENURL", "TOKENFILE", "TOKENPATH", "TOKENTYPE", "TOKENLIMIT", "TOKENCOUNT", "TOKENBUDGET",
	} {
		if strings.HasSuffix(n.text, end) && n.text != "AWSACCESSKEYID" {
			return false
		}
	}
	return n.has(true)
}

// May reports whether the value that belongs to a name such as "--key" or "Mcp-Session-Id" may be a
// secret. Use it to decide what to hide.
func May(name string) bool { return split(name).has(false) }

// parts is a name in uppercase without separators, and the offsets in it at which the name's parts
// end.
type parts struct {
	text string
	ends []int
}

func split(name string) parts {
	var b strings.Builder
	var ends []int
	for _, part := range strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return strings.ContainsRune("_-. ", r) }) {
		b.WriteString(part)
		ends = append(ends, b.Len())
	}
	return parts{b.String(), ends}
}

// has reports whether a name contains one of the words in its specified place. If sure is set, it
// considers only words marked as sure, and only at the end of a part.
func (p parts) has(sure bool) bool {
	for _, w := range words {
		if !sure && w.place == inside && strings.Contains(p.text, w.text) {
			return true
		}
		start := 0
		for i, end := range p.ends {
			part, head := p.text[start:end], p.text[:end]
			start = end
			switch {
			case sure && !w.sure, part == "BYPASS", part == "COMPASS", part == "MONKEY":
			case w.place == whole && part == w.text, w.place == last && part == w.text && i == len(p.ends)-1,
				w.place <= ending && strings.HasSuffix(head, w.text):
				return true
			}
		}
	}
	return false
}
