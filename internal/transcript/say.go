package transcript

import "strconv"

// number is a number with its noun.
func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// lineCount is a number of lines with a verb.
func lineCount(n int, one, many string) string {
	if n == 1 {
		return "1 line " + one
	}
	return strconv.Itoa(n) + " lines " + many
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
