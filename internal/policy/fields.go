package policy

import (
	"fmt"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
)

// Mode says which commands may run. A smaller mode is the stricter one.
type Mode uint8

// The modes. Off runs nothing. Readonly runs the commands of Vade's own tables,
// which only read. Granted also runs what the allow rules name, once a person
// has consented to the definition.
const (
	Off Mode = iota
	Readonly
	Granted
)

// String returns "off", "readonly" or "granted".
func (m Mode) String() string { return [...]string{"off", "readonly", "granted"}[min(m, Granted)] }

// MarshalText makes a mode a word in JSON.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// SandboxMode says what becomes of a command whose walls can not all be built.
// A smaller mode is the stricter one.
type SandboxMode uint8

// The modes of the sandbox. Required runs nothing unless every wall stands.
// Default needs the wall around files. BestEffort runs with what there is.
const (
	SandboxRequired SandboxMode = iota
	SandboxDefault
	SandboxBestEffort
)

// String returns "required", "default" or "best-effort".
func (m SandboxMode) String() string {
	return [...]string{"required", "default", "best-effort"}[min(m, SandboxBestEffort)]
}

// MarshalText makes a mode a word in JSON.
func (m SandboxMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Limits of one command: what holds where no policy says anything, and the
// least and the most that a policy may state.
const (
	DefaultTimeout = 5 * time.Second
	MinTimeout     = time.Second
	MaxTimeout     = 120 * time.Second

	DefaultOutput = 64 << 10
	MinOutput     = 1 << 10
	MaxOutput     = 1 << 20
)

// Origin says where something is stated. The zero Origin is Vade's own default.
type Origin struct {
	Layer definition.Layer
	// File is the path as it is shown to the user, Line begins at 1.
	File string
	Line int
}

// String returns "file:line" or "default".
func (o Origin) String() string {
	if o.File == "" {
		return "default"
	}
	return fmt.Sprintf("%s:%d", o.File, o.Line)
}

// Value is one entry of a list with its place.
type Value struct {
	Text   string
	Origin Origin
}

// Grant is an allow rule with what the commands that it matches may do. All of
// it is in force: what the policy states for every command is in it already.
type Grant struct {
	Rule Rule
	// Network: the command may open connections.
	Network bool
	// Read and Write are directories beside what every command may read: relative
	// to the project ("./dist"), below the home ("~/.npm") or absolute, with
	// slashes.
	Read, Write []string
	// Env are the names of the variables that are passed on.
	Env     []string
	Timeout time.Duration
	Origin  Origin
}

// Denial is a deny rule with its place. Ask [Rule.Denies] of it.
type Denial struct {
	Rule
	Origin Origin
}

// parseMode reads a mode of the shell.
func parseMode(s string) (Mode, bool) {
	for m := Off; m <= Granted; m++ {
		if s == m.String() {
			return m, true
		}
	}
	return Off, false
}

func parseSandbox(s string) (SandboxMode, bool) {
	for m := SandboxRequired; m <= SandboxBestEffort; m++ {
		if s == m.String() {
			return m, true
		}
	}
	return SandboxRequired, false
}

// parseTimeout reads a duration such as 500ms, 5s or 1m30s. What is out of
// bounds is moved to the nearest bound, with a problem.
func parseTimeout(s string) (d time.Duration, problem string) {
	d, err := time.ParseDuration(s)
	if err != nil || len(s) > 32 {
		return MinTimeout, "is no duration such as 5s or 1m30s"
	}
	return bounded(d, MinTimeout, MaxTimeout)
}

// parseOutput reads a size such as 65536, 64KiB or 1MiB.
func parseOutput(s string) (n int64, problem string) {
	digits := strings.TrimRight(s, "BKMi ")
	unit := strings.TrimSpace(s[len(digits):])
	if digits == "" || len(digits) > 12 || strings.Trim(digits, "0123456789") != "" {
		return MinOutput, "is no size such as 64KiB"
	}
	for _, c := range []byte(digits) {
		n = n*10 + int64(c-'0')
	}
	switch unit {
	case "", "B":
	case "KiB":
		n <<= 10
	case "MiB":
		n <<= 20
	default:
		return MinOutput, "is no size such as 64KiB"
	}
	return bounded(n, MinOutput, MaxOutput)
}

func bounded[T int64 | time.Duration](v, least, most T) (T, string) {
	switch {
	case v < least:
		return least, fmt.Sprintf("is less than %v, the least that can be set", v1(least))
	case v > most:
		return most, fmt.Sprintf("is more than %v, the most that can be set", v1(most))
	}
	return v, ""
}

// v1 returns a limit as it is written in a policy.
func v1[T int64 | time.Duration](v T) string {
	if d, ok := any(v).(time.Duration); ok {
		return durationText(d)
	}
	return sizeText(int64(v))
}

func durationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	return s
}

func sizeText(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%dB", n)
}

// checkDir says what is wrong with a directory that a policy opens.
func checkDir(s string) string {
	switch {
	case s == "" || len(s) > maxPath:
		return "is no directory"
	case strings.ContainsFunc(s, isHidden):
		return "holds control or invisible characters"
	case strings.Contains(s, `\`):
		return "holds a backslash: directories are written with slashes"
	case strings.ContainsAny(s, "*?["):
		return "is a pattern: a directory is needed"
	case s == "/" || s == "~" || s == "~/" || len(s) <= 3 && strings.HasSuffix(strings.TrimRight(s, "/"), ":"):
		return "is everything: name a directory below it"
	case s[0] == '~' && !strings.HasPrefix(s, "~/"):
		return "names another person's home"
	case strings.Contains(s, "$"):
		return "holds a variable, which is not replaced here"
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return `holds "..": write an absolute path`
		}
	}
	if strings.Trim(s, "/") == "" || strings.Trim(s[1:], "/.") == "" && s[0] == '~' {
		return "is everything: name a directory below it"
	}
	return ""
}

// checkVariable says what is wrong with the name of a variable that is passed
// on. Those that change which program runs, or what is loaded into it, never
// are.
func checkVariable(s string) string {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return "is no name of a variable"
		}
	}
	upper := strings.ToUpper(s)
	switch upper {
	case "":
		return "is no name of a variable"
	case "PATH", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "PROMPT_COMMAND", "PS4", "CDPATH", "PATHEXT", "COMSPEC":
		return "is never passed on: it changes which programs run"
	}
	for _, prefix := range []string{"LD_", "DYLD_", "GIT_", "BASH_FUNC_", "VADE_"} {
		if strings.HasPrefix(upper, prefix) {
			return "is never passed on: it changes what programs do"
		}
	}
	return ""
}
