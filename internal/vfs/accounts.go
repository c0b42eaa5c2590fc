package vfs

import (
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// accounts are the names of the system's users and groups, read from its files
// when the first is asked for. Names that another service knows are not there.
type accounts struct {
	once          sync.Once
	users, groups map[uint32]string
}

// accountsLimit is how much of a file of accounts is read, in bytes.
const accountsLimit = 1 << 20

func (a *accounts) read() {
	a.users = readAccounts("/etc/passwd")
	a.groups = readAccounts("/etc/group")
}

func (a *accounts) user(id uint32) string {
	if a == nil {
		return number(id)
	}
	a.once.Do(a.read)
	return named(a.users, id)
}

func (a *accounts) group(id uint32) string {
	if a == nil {
		return number(id)
	}
	a.once.Do(a.read)
	return named(a.groups, id)
}

func named(names map[uint32]string, id uint32) string {
	if name := names[id]; name != "" {
		return name
	}
	return number(id)
}

func readAccounts(file string) map[uint32]string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	// A file that can not be read is one without names: the numbers stand.
	text, _ := io.ReadAll(io.LimitReader(f, accountsLimit))
	return parseAccounts(string(text))
}

// parseAccounts reads lines of name:password:number and more. The first name of
// a number counts.
func parseAccounts(text string) map[uint32]string {
	names := map[uint32]string{}
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 4)
		if len(fields) < 3 || fields[0] == "" || strings.HasPrefix(fields[0], "#") {
			continue
		}
		id, err := strconv.ParseUint(fields[2], 10, 32)
		if _, taken := names[uint32(id)]; err == nil && !taken {
			names[uint32(id)] = fields[0]
		}
	}
	return names
}
