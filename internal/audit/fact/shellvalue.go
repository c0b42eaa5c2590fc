package fact

import (
	"encoding/json"
	"strings"
)

// shellValue takes commands from the strings of configuration and data.
func (f *Facts) shellValue(r *Region) {
	switch r.Lang {
	case "json":
		f.jsonCommands(r)
	case "yaml", "toml", "ini", "", "txt", "md":
		if r.Lang == "yaml" {
			f.yamlCommands(r)
		}
		f.shellProse(r)
	}
}

// jsonCommands takes commands from the strings of JSON.
func (f *Facts) jsonCommands(r *Region) {
	text := r.Text
	if !tellsCommand(text) && !strings.Contains(text, `"command"`) && !strings.Contains(text, `"scripts"`) && !strings.Contains(text, "install\"") {
		return
	}
	key := ""
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '"' && text[end] != '\n' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) || text[end] != '"' {
			i = min(end, len(text))
			continue
		}
		raw := text[i : end+1]
		rest := strings.TrimLeft(text[end+1:min(len(text), end+32)], " \t\r\n")
		if strings.HasPrefix(rest, ":") {
			key = raw[1 : len(raw)-1]
		} else {
			f.jsonString(r, key, raw, i)
		}
		i = end
	}
}

func (f *Facts) jsonString(r *Region, key, raw string, at int) {
	if len(raw) < 6 || len(raw) > 64<<10 || !strings.Contains(raw, " ") {
		return
	}
	text := raw[1 : len(raw)-1]
	same := !strings.Contains(raw, `\`)
	if !same && json.Unmarshal([]byte(raw), &text) != nil {
		return
	}
	if !commandKey(key) {
		if !tellsCommand(text) {
			return
		}
		n := starter(text)
		if n < 0 {
			return
		}
		text, same = untilProse(text[n:]), false
	} else if !looksCommand(text) {
		return
	}
	place := r.At(at+1, at+len(raw)-1)
	s := r.Standing
	s.Lang = "sh"
	f.survey(text, s, func(a, b int) Place {
		if same {
			return r.At(at+1+a, at+1+b)
		}
		return place
	})
}

// commandKey reports whether a field has a command as its value.
func commandKey(key string) bool {
	switch strings.ToLower(key) {
	case "command", "cmd", "run", "script", "shell", "exec", "install", "preinstall", "postinstall", "prepare", "prepublish", "start", "build", "test", "bash", "entrypoint", "before_script", "after_script", "args":
		return true
	}
	return false
}

// yamlCommands takes the commands from the fields of YAML that have some: run:,
// script:, command:, on their line or in a block below.
func (f *Facts) yamlCommands(r *Region) {
	text := r.Text
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := text[at:end]
		trimmed := strings.TrimLeft(line, " -")
		key, value, ok := strings.Cut(trimmed, ":")
		next := end + 1
		if ok && commandKey(key) {
			value = strings.TrimSpace(value)
			indent := len(line) - len(trimmed)
			switch {
			case strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
				stop := blockEnd(text, next, indent)
				from := min(next, len(text))
				s := r.Standing
				s.Lang = "sh"
				f.survey(text[from:stop], s, func(a, b int) Place { return r.At(from+a, from+b) })
				next = max(next, stop)
			case looksCommand(strings.Trim(value, `"'`)):
				from := at + strings.Index(line, value)
				s := r.Standing
				s.Lang = "sh"
				if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
					value = strings.Trim(value, value[:1])
					from++
				}
				f.survey(value, s, func(a, b int) Place { return r.At(from+a, from+b) })
			}
		}
		at = next
	}
}

// blockEnd returns where a block of YAML ends whose key is indented so far.
func blockEnd(text string, at, indent int) int {
	for at < len(text) {
		end := at + strings.IndexByte(text[at:], '\n')
		if end < at {
			end = len(text)
		}
		line := text[at:end]
		if strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) <= indent {
			return at
		}
		at = min(end+1, len(text))
		if end == len(text) {
			break
		}
	}
	return len(text)
}
