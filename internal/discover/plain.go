package discover

// PlainJSON returns JSON with comments and trailing commas as plain JSON of the
// same length: what is no JSON is blanks, so that all offsets stay.
func PlainJSON(data []byte) []byte { return stripComments(data) }
