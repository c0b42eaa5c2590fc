package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/vfs"
)

// Mode selects which commands may run. Smaller values are stricter.
type Mode uint8

// Off means that no commands run. Readonly means that the commands on the read-only allowlist run.
// Granted means that commands matched by an allow rule also run, once the user has approved the
// definition.
const (
	Off Mode = iota
	Readonly
	Granted
)

// String returns "off", "readonly" or "granted".
func (m Mode) String() string { return [...]string{"off", "readonly", "granted"}[min(m, Granted)] }

func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// SandboxMode selects what happens to a command that cannot be fully sandboxed.
// Smaller values are stricter.
type SandboxMode uint8

// SandboxRequired means that a process runs only if every restriction can be enforced.
// SandboxDefault means that it runs only if file access can be restricted. SandboxBestEffort means
// that it runs with whatever restrictions are available.
const (
	SandboxRequired SandboxMode = iota
	SandboxDefault
	SandboxBestEffort
)

// String returns "required", "default" or "best-effort".
func (m SandboxMode) String() string {
	return [...]string{"required", "default", "best-effort"}[min(m, SandboxBestEffort)]
}

func (m SandboxMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// The limits on each command's run time and output: their defaults, and the smallest and largest
// values that a policy may set.
const (
	DefaultTimeout = 5 * time.Second
	MinTimeout     = time.Second
	MaxTimeout     = 120 * time.Second

	DefaultOutput = 64 << 10
	MinOutput     = 1 << 10
	MaxOutput     = 1 << 20
)

// Origin is where a value is set. The zero value means Vade's default.
type Origin struct {
	Layer definition.Layer
	// File is the path as shown to users. Line starts at 1.
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

// Value is a list entry with its origin.
type Value struct {
	Text   string
	Origin Origin
}

// Grant is an allow rule, along with the permissions for the commands that it matches. The
// permissions include those that the policy gives to every command.
type Grant struct {
	Rule Rule
	// Network reports whether the command may open connections.
	Network bool
	// Read and Write list additional directories that the command may read or write. Paths use
	// forward slashes. They are absolute, relative to the project ("./dist"), or relative to the
	// home directory ("~/.npm").
	Read, Write []string
	// Env lists the environment variables to pass to the command.
	Env     []string
	Timeout time.Duration
	Origin  Origin
}

// Denial is a deny rule with its origin. See [Rule.Denies].
type Denial struct {
	Rule
	Origin Origin
}

// parseTimeout parses a duration such as 5s or 1m30s. If the value is out of range, it returns the
// nearest limit and describes the problem. If s is not a duration, it returns the minimum.
func parseTimeout(s string) (d time.Duration, problem string) {
	d, err := time.ParseDuration(s)
	if err != nil || len(s) > 32 {
		return MinTimeout, "must be a duration such as 5s or 1m30s"
	}
	return bounded(d, MinTimeout, MaxTimeout)
}

// parseOutput parses a size such as 65536, 64KiB or 1MiB. Like parseTimeout, it returns the nearest
// limit and the problem if the value is out of range.
func parseOutput(s string) (n int64, problem string) {
	digits := strings.TrimRight(s, "BKMi ")
	unit := strings.TrimSpace(s[len(digits):])
	if digits == "" || len(digits) > 12 || strings.Trim(digits, "0123456789") != "" {
		return MinOutput, "must be a size such as 64KiB"
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
		return MinOutput, "must be a size such as 64KiB"
	}
	return bounded(n, MinOutput, MaxOutput)
}

func bounded[T int64 | time.Duration](v, min, max T) (T, string) {
	switch {
	case v < min:
		return min, fmt.Sprintf("is below the minimum of %v", formatLimit(min))
	case v > max:
		return max, fmt.Sprintf("is above the maximum of %v", formatLimit(max))
	}
	return v, ""
}

// formatLimit formats a limit in the syntax of a policy file.
func formatLimit[T int64 | time.Duration](v T) string {
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

// checkDir describes what is wrong with an entry in read or write, or returns "".
func checkDir(s string) string {
	switch {
	case s == "" || len(s) > maxPath:
		return fmt.Sprintf("must be 1 to %d bytes long", maxPath)
	case strings.ContainsFunc(s, isInvisible):
		return "contains control or invisible characters"
	case strings.Contains(s, `\`):
		return "contains a backslash; use forward slashes"
	case strings.ContainsAny(s, "*?["):
		return "is a pattern; specify a directory"
	case path.Clean(s) == "/" || path.Clean(s) == "~" || len(s) <= 3 && strings.HasSuffix(strings.TrimRight(s, "/"), ":"):
		return "is too broad; specify a subdirectory"
	case s[0] == '~' && !strings.HasPrefix(s, "~/"):
		return "is another user's home directory"
	case strings.Contains(s, "$"):
		return "contains a variable; variables are not expanded"
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == ".." {
			return `contains ".."; use an absolute path`
		}
	}
	if strings.Trim(s, "/") == "" || strings.Trim(s[1:], "/.") == "" && s[0] == '~' {
		return "is too broad; specify a subdirectory"
	}
	return ""
}

// checkRoot describes what is wrong with an entry in roots, or returns "". It rejects relative
// paths: they would refer to the project, whose directories do not need to be listed.
func checkRoot(s string) string {
	if problem := checkDir(s); problem != "" {
		return problem
	}
	if !strings.HasPrefix(s, "~/") && !vfs.IsAbs(s) {
		return "must be an absolute path or begin with ~/"
	}
	return ""
}

// checkGlob describes what is wrong with a pattern in worktree-files, or returns "".
func checkGlob(s string) string {
	if s == "" || strings.HasPrefix(s, "!") || slices.Contains(strings.Split(s, "/"), "..") {
		return `must be a nonempty glob that does not begin with "!" or contain ".."`
	}
	return ""
}

// checkVariable describes what is wrong with a variable name in env, or returns "". Variables that
// affect which program runs or what it loads are never passed to commands.
func checkVariable(s string) string {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return "is not a valid variable name"
		}
	}
	upper := strings.ToUpper(s)
	switch upper {
	case "":
		return "is not a valid variable name"
	case "PATH", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "PROMPT_COMMAND", "PS4", "CDPATH", "PATHEXT", "COMSPEC":
		return "is never passed to commands because it changes which programs run"
	}
	for _, prefix := range []string{"LD_", "DYLD_", "GIT_", "BASH_FUNC_", "VADE_"} {
		if strings.HasPrefix(upper, prefix) {
			return "is never passed to commands because it changes what programs do"
		}
	}
	return ""
}
