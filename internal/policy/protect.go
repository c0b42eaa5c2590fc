package policy

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/vadehq/vade/internal/pathmatch"
)

// defaultProtected returns patterns for files that usually contain secrets and that no definition's
// command needs to read. The patterns use gitignore syntax and ignore case.
func defaultProtected() []string {
	return []string{
		// Environment files, except examples.
		".env", ".env.*", ".env-*", ".env_*", "*.env", ".envrc", ".envrc.*", ".dev.vars", ".dev.vars.*",
		"!.env[._-]example", "!.env[._-]sample", "!.env[._-]template", "!.env[._-]dist", "!.env[._-]defaults", "!example.env", "!sample.env",
		"!.envrc.example", "!.envrc.sample", "!.envrc.template", "!.dev.vars.example",
		// Git's own files, which may contain tokens in URLs and the names of programs to run.
		"**/.git/**",
		// Keys.
		"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "!id_*.pub",
		"*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.ppk", "*.jks", "*.keystore", "*.kdbx",
		// Passwords and tokens for tools.
		".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd", ".dockercfg",
		".vault-token", ".boto", ".s3cfg", ".terraformrc",
		"**/.aws/**", "**/.azure/**", "**/.gcloud/**", "**/.config/gcloud/**", "**/.config/gh/**", "**/.config/op/**", "**/.ssh/**", "**/.gnupg/**",
		// Credentials for agents and tools. An auth.json outside a hidden directory is not
		// protected, because it may be a translation file.
		".credentials.json", "oauth_creds.json", "**/.*/auth.json",
		"**/.kube/config", "kubeconfig", "!kubeconfig/", "*.kubeconfig", "**/.docker/config.json", "**/.cargo/credentials.toml", "**/.gem/credentials",
		"credentials", "credentials.json", "*service-account*.json", "*service_account*.json", "client_secret*.json",
		".secrets", "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml",
		// Shell and database client histories, which may contain passwords.
		".*_history", "fish_history",
		// Infrastructure state, which contains plaintext passwords.
		"terraform.tfstate*", "*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json", "!*.example.tfvars",
	}
}

// backupSuffixes lists the suffixes that editors, users and RCS add to the names of backup files.
func backupSuffixes() []string {
	return []string{"~", ",v", ".bak", ".old", ".orig", ".backup", ".save", ".swp"}
}

// original returns the name of the file that a backup was made from: ".env" for ".env~", "#.env#",
// ".env.bak" and ".env.bak~". It returns other names unchanged.
func original(name string) string {
	if len(name) > 2 && name[0] == '#' && name[len(name)-1] == '#' {
		return original(name[1 : len(name)-1])
	}
	for _, suffix := range backupSuffixes() {
		if stem := len(name) - len(suffix); stem > 0 && strings.EqualFold(name[stem:], suffix) {
			return original(name[:stem])
		}
	}
	return name
}

// Protected matches files that no command may read and no reference may include, regardless of what
// else allows access. It is immutable. A nil Protected protects everything.
type Protected struct {
	lists  [][]string
	once   sync.Once
	groups []group
	shorts []short
}

// group is a list of patterns. A "!" pattern lifts only earlier patterns in the same group.
type group struct {
	patterns []string
	matcher  *pathmatch.Matcher
}

// Limits on paths. Paths that exceed a limit do not occur in practice and are treated as protected.
const (
	maxPath     = 4096
	maxElements = 128
	maxShort    = 4
)

// short describes a protected long name, so that NTFS short names for it, such as GIT~1, can be
// recognized. stem is the beginning of the short names, and name is the long name.
type short struct {
	stem, name string
	// open reports whether any text may follow the stem.
	open bool
}

func protectOptions() pathmatch.Options { return pathmatch.Options{FoldCase: true, Runes: true} }

// DefaultProtected returns a matcher for the files that are protected by default because they
// usually contain secrets.
func DefaultProtected() *Protected { return newProtected(defaultProtected()) }

// newProtected creates a Protected from groups of valid patterns.
func newProtected(lists ...[]string) *Protected { return &Protected{lists: lists} }

// compile compiles the patterns. It is called when the first path is checked.
func (p *Protected) compile() {
	for _, list := range p.lists {
		if len(list) == 0 {
			continue
		}
		m, _ := pathmatch.Compile(list, protectOptions())
		p.groups = append(p.groups, group{patterns: list, matcher: m})
		for _, pattern := range list {
			p.shorts = append(p.shorts, shortNames(pattern)...)
		}
	}
}

// Match reports whether a pattern protects the path or a directory above it, and returns the
// pattern. The path is relative to a root directory and uses forward slashes. Match also recognizes
// other spellings that some file systems accept: different case, trailing dots and spaces, a stream
// (".env::$DATA"), a short name ("GIT~1") and zero-width characters. A backup is protected if its
// original is.
func (p *Protected) Match(rel string) (pattern string, ok bool) {
	if p == nil || len(rel) > maxPath || strings.Count(rel, "/") > maxElements || strings.Count(rel, "~") > maxShort {
		return "**", true
	}
	p.once.Do(p.compile)
	for _, name := range p.spellings(rel) {
		for _, g := range p.groups {
			if g.matcher.MatchUnder(name, false) {
				return g.firstMatch(name), true
			}
		}
	}
	return "", false
}

// Patterns returns patterns for the protected files, for use by tools that can only exclude files.
// It omits patterns that lift protection ("!x") and adds patterns for backups of any file, so the
// result may match more files than are protected.
func (p *Protected) Patterns() []string {
	if p == nil {
		return []string{"**"}
	}
	var list []string
	for _, patterns := range p.lists {
		for _, pattern := range patterns {
			if !strings.HasPrefix(pattern, "!") && !slices.Contains(list, pattern) {
				list = append(list, pattern)
			}
		}
	}
	for _, suffix := range backupSuffixes() {
		list = append(list, "*"+suffix)
	}
	return append(list, `\#*#`)
}

// firstMatch returns the first pattern in the group that matches a path. It compiles patterns one
// at a time, which is slow, but it is called only for protected paths.
func (g group) firstMatch(name string) string {
	for _, pattern := range g.patterns {
		if strings.HasPrefix(pattern, "!") {
			continue
		}
		if m, _ := pathmatch.Compile([]string{pattern}, protectOptions()); m.MatchUnder(name, false) {
			return pattern
		}
	}
	return g.patterns[0]
}

// spellings returns the cleaned path and the other paths that refer to the same file on some file
// systems. If the file is a backup, the result includes the path of the original.
func (p *Protected) spellings(rel string) []string {
	plain := cleanPath(rel)
	list := []string{plain}
	folded := strings.Split(cleanPath(strings.ReplaceAll(rel, `\`, "/")), "/")
	for i, element := range folded {
		folded[i] = normalizeElement(element)
	}
	add := func(elements []string) {
		if s := strings.Join(elements, "/"); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(folded)
	if strings.Contains(plain, "~") {
		p.expand(folded, add)
	}
	last := len(folded) - 1
	folded[last] = original(folded[last])
	add(folded)
	return list
}

// expand adds the paths that result from replacing short names with the long names that they may
// refer to. It replaces one name at a time, and then all names at once, using the first long name
// for each.
func (p *Protected) expand(elements []string, add func([]string)) {
	allReplaced := slices.Clone(elements)
	for i, element := range elements {
		first := true
		for _, s := range p.shorts {
			if !s.fits(element) {
				continue
			}
			oneReplaced := slices.Clone(elements)
			oneReplaced[i] = s.name
			add(oneReplaced)
			if first {
				allReplaced[i], first = s.name, false
			}
		}
	}
	add(allReplaced)
}

func cleanPath(rel string) string {
	return strings.TrimPrefix(path.Clean("/"+rel), "/")
}

// normalizeElement removes the parts of a path element that some file systems ignore.
func normalizeElement(element string) string {
	if i := strings.IndexByte(element, ':'); i > 0 {
		element = element[:i]
	}
	element = strings.Map(func(r rune) rune {
		if isIgnorable(r) {
			return -1
		}
		return r
	}, element)
	if cut := strings.TrimRight(element, ". "); cut != "" {
		return cut
	}
	return element
}

// isIgnorable reports whether HFS+ ignores the character when comparing names.
func isIgnorable(r rune) bool {
	switch {
	case 0x200c <= r && r <= 0x200f, 0x202a <= r && r <= 0x202e, 0x206a <= r && r <= 0x206f, r == 0xfeff, r == 0x200b:
		return true
	}
	return false
}

// shortNames returns the possible short names for the names in a pattern. Only
// elements that begin with literal text have predictable short names.
func shortNames(pattern string) []short {
	if strings.HasPrefix(pattern, "!") {
		return nil
	}
	var list []short
	for element := range strings.SplitSeq(strings.ToLower(pattern), "/") {
		wild := strings.IndexAny(element, `*?[\`)
		if wild == 0 || element == "" {
			continue
		}
		plain := element
		if wild > 0 {
			plain = element[:wild]
		} else if is83(element) {
			continue
		}
		stem, _, dotted := strings.Cut(strings.TrimLeft(plain, "."), ".")
		stem = strings.ReplaceAll(stem, " ", "")
		if len(stem) < 2 || strings.ContainsAny(element, `?[\`) {
			continue
		}
		list = append(list, short{stem: stem[:min(6, len(stem))], name: strings.ReplaceAll(element, "*", "x"), open: wild > 0 && !dotted})
	}
	return list
}

// is83 reports whether a name is already a valid short name.
func is83(name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	return 0 < len(stem) && len(stem) <= 8 && len(ext) <= 3 && !strings.ContainsAny(name, " +,;=[]") && strings.Count(name, ".") < 2
}

// fits reports whether element may be a short name for s. A short name begins with up to six
// characters of the long name, followed by a tilde and a number. If several files share these
// characters, NTFS instead uses two characters and four hexadecimal digits of a hash.
func (s short) fits(element string) bool {
	stem, number, found := strings.Cut(strings.ToLower(element), "~")
	number, _, _ = strings.Cut(number, ".")
	if !found || number == "" || strings.Trim(number, "0123456789") != "" || len(stem)+len(number) > 7 {
		return false
	}
	return stem == s.stem || s.open && strings.HasPrefix(stem, s.stem) ||
		len(stem) == 6 && stem[:2] == s.stem[:2] && strings.Trim(stem[2:], "0123456789abcdef") == ""
}
