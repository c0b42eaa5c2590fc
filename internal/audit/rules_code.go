package audit

// codeRules are the rules of X: what scripts do.
func codeRules() []Rule { return []Rule{x10(), x18()} }
