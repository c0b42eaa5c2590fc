package signal

import (
	_ "embed"
	"path"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/lazyregexp"
)

//go:embed languages.txt
var languageTable string

// languages returns three maps whose values are the short names of languages. The keys of "name"
// are names in code fences and file extensions, and those of "file" are file names. The keys of
// "code" are the short names of programming languages.
var languages = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{"name": {}, "file": {}, "code": {}}
	for line := range strings.Lines(languageTable) {
		if line[0] == '#' {
			continue
		}
		head, names, _ := strings.Cut(line, ":")
		lang, kind, _ := strings.Cut(head, " ")
		by := "name"
		if kind == "file" {
			by = "file"
		} else if kind == "code" {
			all["code"][lang] = lang
		}
		for _, name := range strings.Fields(names) {
			all[by][name] = lang
		}
	}
	return all
})

// Language returns the short name of a language, such as sh, py, js, ts, ps1, bat or json, for a
// name that is used in code fences or for a file extension. It returns "" for an unknown language.
func Language(word string) string {
	word = strings.TrimLeft(strings.ToLower(strings.TrimSpace(word)), "{.")
	if i := strings.IndexAny(word, " \t,{}:="); i >= 0 {
		word = word[:i]
	}
	return languages()["name"][word]
}

// IsCode reports whether lang is a programming language.
func IsCode(lang string) bool { return languages()["code"][lang] != "" }

// legal matches the beginning of a license file's name.
var legal = lazyregexp.New(`^(?:licen[cs]e|copying|notice|copyright|patents|unlicense)`)

// LanguageOfName returns a file's language and role, given its lowercase base name.
func LanguageOfName(base string) (string, Role) {
	dot := strings.LastIndexByte(base, '.')
	lang := languages()["file"][base]
	switch {
	case lang != "":
	case strings.HasPrefix(base, "dockerfile."):
		lang = "docker"
	case strings.HasPrefix(base, ".env."):
		lang = "ini"
	case dot >= 0:
		lang = Language(base[dot+1:])
	}
	switch lang {
	case "", "md", "txt":
		if legal().MatchString(base) {
			return "txt", Legal
		}
		if lang != "" {
			return lang, Document
		}
	case "json", "yaml", "toml", "ini", "xml":
		return lang, Config
	}
	if IsCode(lang) {
		return lang, Script
	}
	return lang, Data
}

// CodeName reports whether the name of a file or of one of its parent directories indicates that
// the file is code.
func CodeName(name string) bool {
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		switch part {
		case "scripts", "bin", "hooks":
			return true
		}
	}
	_, role := LanguageOfName(strings.ToLower(path.Base(name)))
	return role == Script
}

// Interpreter returns the language of the interpreter in the text's shebang line, such as
// "#!/usr/bin/env -S python3 -u". It returns "?" for an unknown interpreter, and "" if there is no
// shebang line.
func Interpreter(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if !strings.HasPrefix(text, "#!") {
		return ""
	}
	line := text[2:min(len(text), 256)]
	if i := strings.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	for _, word := range strings.Fields(line) {
		word = word[strings.LastIndexByte(word, '/')+1:]
		switch {
		case word == "env", word == "uv", word == "run", strings.HasPrefix(word, "-"), strings.Contains(word, "="):
			continue
		}
		if lang := Language(strings.TrimRight(word, "0123456789.")); IsCode(lang) {
			return lang
		}
		return "?"
	}
	return "?"
}
