package signal

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

//go:embed languages.txt
var languageTable string

// languages has the short name of a language by each of its names, and programming the short
// names of those in which programs are written.
var languages, programming = sync.OnceValue(func() map[string]string {
	return readLanguages(false)
}), sync.OnceValue(func() map[string]string {
	return readLanguages(true)
})

func readLanguages(code bool) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(languageTable) {
		head, names, ok := strings.Cut(line, ":")
		lang, kind, _ := strings.Cut(head, " ")
		if !ok || line[0] == '#' || code && kind != "code" {
			continue
		}
		if code {
			names = lang
		}
		for _, name := range strings.Fields(names) {
			all[name] = lang
		}
	}
	return all
}

// Language returns the short name of a language by the word behind a fence or by an
// ending: sh, py, js, ts, ps1, bat, json …; "" for what is not known.
func Language(word string) string {
	word = strings.TrimLeft(strings.ToLower(strings.TrimSpace(word)), "{.")
	if i := strings.IndexAny(word, " \t,{}:="); i >= 0 {
		word = word[:i]
	}
	return languages()[word]
}

// IsCode reports whether a language is one in which programs are written.
func IsCode(lang string) bool { return programming()[lang] != "" }

// LanguageOfName says by the name of a file, in lowercase and without its
// directory, what it is written in and what it is for.
func LanguageOfName(base string) (string, Role) {
	stem, ext := base, ""
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		stem, ext = base[:i], base[i+1:]
	}
	switch base {
	case "makefile", "gnumakefile", "justfile", "rakefile", "gemfile", "vagrantfile", "jenkinsfile", "procfile", "cmakelists.txt":
		if base == "rakefile" || base == "gemfile" || base == "vagrantfile" {
			return "rb", Script
		}
		return "make", Script
	case ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".zshenv", ".envrc":
		return "sh", Script
	case ".npmrc", ".pypirc", ".netrc", ".gitconfig", ".gitmodules", ".gitattributes", ".gitignore", ".dockerignore", ".editorconfig":
		return "ini", Config
	}
	if base == "dockerfile" || base == "containerfile" || strings.HasPrefix(base, "dockerfile.") || strings.HasPrefix(base, ".env.") {
		if base[0] == '.' {
			return "ini", Config
		}
		return "docker", Script
	}
	legal := false
	for _, word := range [...]string{"license", "licence", "copying", "notice", "copyright", "patents", "unlicense"} {
		legal = legal || strings.HasPrefix(stem, word)
	}
	lang := Language(ext)
	switch {
	case ext == "" && !legal, stem == "" && lang == "":
		return "", Data
	case legal && (ext == "" || lang == "md" || lang == "txt" || lang == ""):
		return "txt", Legal
	case lang == "md", lang == "txt":
		return lang, Document
	case IsCode(lang):
		return lang, Script
	case lang == "json", lang == "yaml", lang == "toml", lang == "ini", lang == "xml", lang == "hcl":
		return lang, Config
	}
	return lang, Data
}

// CodeName reports whether a file is code by its name, or by the name of a directory
// that it is in.
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

// Interpreter returns the language of the program that the first line of a text
// names, as in "#!/usr/bin/env -S python3 -u"; "" where there is none.
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
		if word == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") || word == "uv" || word == "run" {
			continue
		}
		if lang := Language(strings.TrimRight(word, "0123456789.")); IsCode(lang) {
			return lang
		}
		return "?"
	}
	return "?"
}
