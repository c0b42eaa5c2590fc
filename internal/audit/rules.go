package audit

import "slices"

// Rules returns all rules, in the order in which they run: those that correlate what
// others found come behind them.
func Rules() []Rule {
	return slices.Concat(hiddenRules(), executionRules(), networkRules(), codeRules(), instructionRules(), definitionRules(), packageRules())
}
