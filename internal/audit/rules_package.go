package audit

// packageRules are the rules of R and S: the package. What was not looked at comes
// last, since the others say more of some of it.
func packageRules() []Rule {
	return []Rule{r01(), r02(), s01(), s02(), s03(), s04(), s05(), s06(), s07(), s08()}
}
