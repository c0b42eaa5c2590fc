package audit

// networkRules are the rules of X: what is fetched and sent.
func networkRules() []Rule {
	return []Rule{x03(), x04(), x05(), x06(), x08(), x09(), x11(), x12()}
}
