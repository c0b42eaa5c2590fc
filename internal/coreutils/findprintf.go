package coreutils

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// The directives of -printf, and the letters that may follow %T.
const (
	findVerbs     = "bdfghHklmMnpPstTuy"
	findTimeVerbs = "@aAbBcdDeFHIjklmMpSTuwYyZ+%"
)

func findPrintf(p *findParser, format string) (findNode, error) {
	if strings.Contains(format, `\c`) {
		return nil, p.fail("\\c is not understood")
	}
	pieces, wrong := parseFormat(format, findVerbs, "T", true)
	if wrong != "" {
		return nil, p.fail("-printf: %s", wrong)
	}
	for _, part := range pieces {
		if part.verb == 'T' && strings.IndexByte(findTimeVerbs, part.sub) < 0 {
			return nil, p.fail("-printf: unknown directive %%T%s", strconv.Quote(string(rune(part.sub))))
		}
	}
	p.acts = true
	return func(f *finder, at *found) bool {
		for _, part := range pieces {
			if part.verb == 0 {
				f.out.WriteString(part.text)
			} else {
				f.out.WriteString(part.pad(f.fact(part, at)))
			}
		}
		return true
	}, nil
}

func (f *finder) fact(p piece, at *found) string {
	user, group, links, blocks := owned(at.info)
	switch p.verb {
	case 'b':
		return strconv.FormatInt(blocks, 10)
	case 'd':
		return strconv.Itoa(at.depth)
	case 'f':
		return at.base()
	case 'g':
		return group
	case 'h':
		return at.dir()
	case 'H':
		return at.start
	case 'k':
		return strconv.FormatInt(ceilDiv(blocks, 2), 10)
	case 'l':
		if at.info.Mode()&fs.ModeSymlink == 0 {
			return ""
		}
		target, _ := f.x.FS.Readlink(at.path)
		return target
	case 'm':
		return strconv.FormatUint(uint64(permBits(at.info.Mode())), 8)
	case 'M':
		return modeString(at.info.Mode())
	case 'n':
		return strconv.FormatUint(links, 10)
	case 'p':
		return at.path
	case 'P':
		return at.below()
	case 's':
		return strconv.FormatInt(at.info.Size(), 10)
	case 'u':
		return user
	case 'y':
		return string(rune(kind(at.info.Mode())))
	}
	t := at.info.ModTime().In(f.x.location())
	if p.verb == 't' {
		return t.Format("Mon Jan _2 15:04:05.") + tenDigits(t) + t.Format(" 2006")
	}
	return findTime(p.sub, t)
}

// tenDigits is the fraction of a second as find prints it.
func tenDigits(t time.Time) string { return fmt.Sprintf("%09d0", t.Nanosecond()) }

func findTime(verb byte, t time.Time) string {
	switch verb {
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + "." + tenDigits(t)
	case '+':
		return t.Format("2006-01-02+15:04:05.") + tenDigits(t)
	case 'S':
		return t.Format("05.") + tenDigits(t)
	case 'T':
		return t.Format("15:04:05.") + tenDigits(t)
	case 'c':
		return t.Format("Mon Jan _2 15:04:05.") + tenDigits(t) + t.Format(" 2006")
	case 'k':
		return fmt.Sprintf("%2d", t.Hour())
	case 'l':
		return fmt.Sprintf("%2d", (t.Hour()+11)%12+1)
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay())
	case 'u':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case '%':
		return "%"
	}
	return t.Format(timeLayout(verb))
}

func timeLayout(verb byte) string {
	switch verb {
	case 'a':
		return "Mon"
	case 'A':
		return "Monday"
	case 'b':
		return "Jan"
	case 'B':
		return "January"
	case 'd':
		return "02"
	case 'D':
		return "01/02/06"
	case 'e':
		return "_2"
	case 'F':
		return "2006-01-02"
	case 'H':
		return "15"
	case 'I':
		return "03"
	case 'm':
		return "01"
	case 'M':
		return "04"
	case 'p':
		return "PM"
	case 'Y':
		return "2006"
	case 'y':
		return "06"
	}
	return "MST"
}
