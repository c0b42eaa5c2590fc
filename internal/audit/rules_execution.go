package audit

// executionRules are the rules of X: what runs.
func executionRules() []Rule { return []Rule{x01(), x02(), x07(), x13(), x14(), x15(), x16(), x17()} }
