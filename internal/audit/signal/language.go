package signal

import (
	"path"
	"strings"
	"sync"
)

// languages are the names under which code of a language goes: the words behind the
// fence of a block, and the endings of files.
var languages = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"sh": "sh", "bash": "sh", "zsh": "sh", "shell": "sh", "ksh": "sh", "dash": "sh", "fish": "sh", "console": "sh", "shell-session": "sh",
		"shellsession": "sh", "terminal": "sh", "command": "sh",
		"powershell": "ps1", "ps1": "ps1", "pwsh": "ps1", "posh": "ps1", "psm1": "ps1", "bat": "bat", "cmd": "bat", "batch": "bat", "dos": "bat",
		"python": "py", "py": "py", "python3": "py", "py3": "py", "pyw": "py", "ipython": "py",
		"javascript": "js", "js": "js", "node": "js", "mjs": "js", "cjs": "js", "jsx": "js",
		"typescript": "ts", "ts": "ts", "tsx": "ts", "mts": "ts", "cts": "ts",
		"ruby": "rb", "rb": "rb", "perl": "pl", "pl": "pl", "pm": "pl", "php": "php", "lua": "lua", "go": "go", "golang": "go", "rust": "rs", "rs": "rs",
		"java": "java", "kotlin": "kt", "kt": "kt", "swift": "swift", "c": "c", "h": "c", "cpp": "cpp", "cc": "cpp", "csharp": "cs", "cs": "cs",
		"applescript": "scpt", "osascript": "scpt", "scpt": "scpt", "vbs": "vbs", "vba": "vbs", "sql": "sql", "r": "r",
		"json": "json", "jsonc": "json", "json5": "json", "jsonl": "json", "ndjson": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml", "ini": "ini", "cfg": "ini", "conf": "ini", "env": "ini",
		"xml": "xml", "html": "html", "htm": "html", "svg": "html", "css": "css", "csv": "csv", "tsv": "csv",
		"markdown": "md", "md": "md", "mdx": "md", "mdc": "md", "text": "txt", "txt": "txt", "plaintext": "txt", "diff": "diff", "patch": "diff", "mermaid": "mermaid",
		"ksh93": "sh", "profile": "sh", "bats": "sh", "jsonnet": "json", "ipynb": "json", "webmanifest": "json", "plist": "xml", "xsd": "xml", "xsl": "xml", "xslt": "xml", "rss": "xml",
		"xhtml": "html", "vue": "js", "svelte": "js", "astro": "js", "scss": "css", "less": "css", "properties": "ini", "editorconfig": "ini", "service": "ini", "desktop": "ini", "reg": "ini",
		"rst": "md", "adoc": "md", "asciidoc": "md", "org": "md", "rmd": "md", "qmd": "md",
		"ex": "ex", "exs": "ex", "elixir": "ex", "dart": "dart", "scala": "scala", "clj": "clj", "clojure": "clj", "hs": "hs", "haskell": "hs", "jl": "jl", "julia": "jl", "groovy": "groovy", "gradle": "groovy",
		"awk": "awk", "gawk": "awk", "sed": "sed", "tcl": "tcl", "expect": "tcl", "zig": "zig", "nim": "nim", "nix": "nix", "erl": "erl", "erlang": "erl", "ml": "ml", "ocaml": "ml", "fs": "fs", "fsharp": "fs", "m": "objc", "mm": "objc", "d": "d", "cr": "cr",
		"hta": "vbs", "wsf": "vbs", "jse": "js", "vbe": "vbs", "bun": "js", "deno": "ts", "tf": "hcl", "hcl": "hcl", "graphql": "graphql", "proto": "proto", "cmake": "make", "justfile": "make", "tex": "tex",
		"dockerfile": "docker", "docker": "docker", "makefile": "make", "make": "make", "mk": "make",
	}
})

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
func IsCode(lang string) bool {
	switch lang {
	case "sh", "ps1", "bat", "py", "js", "ts", "rb", "pl", "php", "lua", "go", "rs", "java", "kt", "swift", "c", "cpp", "cs", "scpt", "vbs", "r", "docker", "make",
		"ex", "dart", "scala", "clj", "hs", "jl", "groovy", "awk", "sed", "tcl", "zig", "nim", "nix", "erl", "ml", "fs", "objc", "d", "cr":
		return true
	}
	return false
}

// LanguageOfName says by the name of a file, in small letters and without its
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
