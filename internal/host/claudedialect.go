package host

// claudeDialect is how Claude Code reads frontmatter (rows of the frontmatter
// matrix).
func claudeDialect(version string) Dialect {
	d := Dialect{
		Delimiters: Delimiters{BOM: true, TrailingSpace: true, CRLF: true, CloserAnywhere: true, NeedsLF: true},
		Repair:     RepairValues, Beyond: FlawQuote, DuplicateKeys: true,
		// Of "file, mode" the first name is "file," (observation of case a32). That
		// numbers lose their spelling is inferred: the value was a number before
		// it was text ("number → string", formats dossier, section 3.3).
		NamesByBlanks: true, Numbers: true,
	}
	if version == claudeOld {
		// A byte order mark was text (m19), and of two equal keys none counted
		// (formats dossier, observation of m07).
		d.Delimiters.BOM, d.DuplicateKeys, d.StrictBools = false, false, true
	}
	return d
}

// claudeMaxFile is the length in bytes above which a file is not loaded: one of
// 1,000,000 loads, one of 1,000,001 does not (m60). 2.1.88 had no limit (m45,
// m50, m51, m60); Vade's own for a single file stands in.
func claudeMaxFile(version string) int64 {
	if version == claudeOld {
		return 64 << 20
	}
	return 1_000_000
}
