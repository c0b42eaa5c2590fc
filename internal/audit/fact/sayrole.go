package fact

import "strings"

// roleMark finds a mark by which a text pretends to be of another speaker: those of
// chat templates, and headers of a system. It returns the mark's range, and whether
// nothing else looks so; -1 where there is none.
func roleMark(text string) (start, end int, firm bool) {
	if !strings.ContainsAny(text, "<[:") && !strings.Contains(text, "SYSTEM") {
		return -1, 0, false
	}
	for _, m := range [...]string{"<|im_start|>", "<|im_end|>", "<|system|>", "<|assistant|>", "<|user|>", "<|endoftext|>", "<|start_header_id|>", "[INST]", "[/INST]", "<<SYS>>", "<start_of_turn>"} {
		if i := strings.Index(text, m); i >= 0 && !inCode(text, i) {
			return i, i + len(m), true
		}
	}
	lead := len(text) - len(strings.TrimLeft(text, " \t*_>#!~-\n\\"))
	rest := text[lead:]
	for _, m := range [...]string{
		"SYSTEM OVERRIDE", "SYSTEM MESSAGE", "SYSTEM PROMPT OVERRIDE", "SYSTEM INSTRUCTION:", "SYSTEM INSTRUCTIONS:", "SYSTEM NOTICE:", "SYSTEM NOTE:", "SYSTEM DIRECTIVE", "SYSTEM UPDATE:", "SYSTEM ALERT:", "SYSTEM COMMAND:",
		"[SYSTEM]", "[SYSTEM ", "[System]", "[ADMIN", "[DEVELOPER]", "ADMIN OVERRIDE", "DEVELOPER OVERRIDE", "### System:", "<system>", "<SYSTEM>", "<system-reminder>", "<system_instruction", "<system-instruction", "<system_override", "<admin>",
	} {
		if strings.HasPrefix(rest, m) {
			return lead, lead + len(m), true
		}
	}
	for _, m := range [...]string{"SYSTEM:", "System:", "Assistant:", "ASSISTANT:", "Human:"} {
		if strings.HasPrefix(rest, m) && len(rest) > len(m)+20 {
			return lead, lead + len(m), false
		}
	}
	return -1, 0, false
}

// inCode reports whether an offset is in a span of code of its line.
func inCode(text string, at int) bool {
	line := strings.LastIndexByte(text[:at], '\n') + 1
	return strings.Count(text[line:at], "`")%2 == 1
}

// role notes a mark of another speaker in a region.
func (s *stander) role(i int, under mode) {
	r := &s.list[i]
	if r.Key == "row" {
		return
	}
	start, end, firm := roleMark(r.Text)
	if start < 0 || len(s.facts.Sayings) >= maxFacts {
		return
	}
	standing := r.StandingAt(start)
	standing.Quoted = standing.Quoted || under.quoted
	x := Saying{Place: r.At(start, end), Standing: standing, Text: r.Text[start:end], Topics: []Topic{AboutRole}, Tongue: "en", region: s.base + i}
	if firm {
		x.Firm = x.Topics
	}
	s.facts.Sayings = append(s.facts.Sayings, x)
}
