package mcp

// SecretIn reports whether a text has a part that looks like a secret by itself: a
// token of a known service or one that nobody would have chosen, an address with a
// password, a user with one before a host, a pair whose name secrets go by.
func SecretIn(text string) bool { return tokenIn(text) || userIn(text) || passwordIn(text) }
