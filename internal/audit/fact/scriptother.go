package fact

import (
	"strings"
)

// otherCode takes the calls of code in a language that is not followed: only by their
// names, and only what is given to them as a text.
func (f *Facts) otherCode(r *Region, src, lang string) {
	names := otherCalls(lang)
	if names == nil {
		if r.Medium == Code {
			f.miss(r.File, MissedLanguage, lang)
		}
		return
	}
	if r.Medium == Code {
		f.miss(r.File, MissedLanguage, lang+": only calls by name")
	}
	for at := 0; at < len(src); {
		c := src[at]
		switch {
		case c == '#' && (lang == "rb" || lang == "pl" || lang == "php"), c == '/' && at+1 < len(src) && src[at+1] == '/' && lang != "rb" && lang != "pl" && lang != "lua", c == '-' && strings.HasPrefix(src[at:], "--") && (lang == "lua" || lang == "scpt"):
			n := strings.IndexByte(src[at:], '\n')
			if n < 0 {
				return
			}
			at += n
		case c == '"' || c == '\'':
			_, at = quotedText(src, at)
		case c == '`' && (lang == "rb" || lang == "pl" || lang == "php"):
			text, end := quotedText(src, at)
			f.otherCall(r, at, end, "`", text, RunShell)
			at = end
		case letter(c):
			end := at
			for end < len(src) && (letter(src[end]) || src[end] >= '0' && src[end] <= '9' || src[end] == '.' || strings.HasPrefix(src[end:], "::")) {
				if src[end] == ':' {
					end++
				}
				end++
			}
			word := src[at:end]
			for _, n := range names {
				if word != n.name && !strings.HasPrefix(src[at:], n.name+" ") && !strings.HasPrefix(src[at:], n.name+"(") {
					continue
				}
				end = at + len(n.name)
				text, stop := argument(src, end)
				if stop > end || n.bare {
					f.otherCall(r, at, max(stop, end), n.name, text, n.does)
				}
				end = max(stop, end)
				break
			}
			at = end
		default:
			at++
		}
	}
}

// argument is the first text behind a name, if it comes at once.
func argument(src string, at int) (text string, end int) {
	end = at
	for end < len(src) && end < at+40 && strings.IndexByte(" \t(,", src[end]) >= 0 {
		end++
	}
	if end < len(src) && end > at && strings.IndexByte("\"'`", src[end]) >= 0 {
		return quotedText(src, end)
	}
	if end < len(src) && end > at && src[end-1] == '(' {
		return "", end
	}
	if i := strings.IndexByte(src[at:min(len(src), at+1)], '('); i == 0 {
		return "", at + 1
	}
	return "", at
}

// quotedText is the text in quotes that begins at an offset, and where it ends.
func quotedText(src string, at int) (string, int) {
	q := src[at]
	var b strings.Builder
	for i := at + 1; i < len(src) && i < at+64<<10; i++ {
		switch src[i] {
		case q:
			return b.String(), i + 1
		case '\\':
			if i++; i < len(src) {
				switch src[i] {
				case 'n':
					b.WriteByte('\n')
				case 't':
					b.WriteByte('\t')
				default:
					b.WriteByte(src[i])
				}
			}
		case '\n':
			if q != '`' {
				return b.String(), i
			}
			b.WriteByte('\n')
		default:
			b.WriteByte(src[i])
		}
	}
	return b.String(), min(len(src), at+64<<10)
}

func (f *Facts) otherCall(r *Region, at, end int, name, text string, does Effect) {
	if len(f.Calls) >= maxFacts {
		return
	}
	place := r.At(at, end)
	if r.Medium != Code && r.Medium != Fence || len(r.lines) == 0 && r.Span.End-r.Span.Start != len(r.Text) {
		place = r.Place
	}
	f.Calls = append(f.Calls, Call{Place: place, Standing: r.Standing, Name: name, Args: []string{shown(text)}, Does: does})
	if does == RunShell && text != "" {
		s := r.Standing
		s.Medium, s.Lang = Literal, "sh"
		f.CommandsIn(text, place, s)
	}
}

type otherName struct {
	name string
	does Effect
	// bare: it may stand without brackets and without a text.
	bare bool
}

// otherCalls are the calls of a language that matter.
func otherCalls(lang string) []otherName {
	switch lang {
	case "rb":
		return []otherName{{"system", RunShell, false}, {"exec", RunShell, false}, {"IO.popen", RunShell, false}, {"Open3.capture3", RunShell, false}, {"Open3.capture2", RunShell, false}, {"Kernel.system", RunShell, false}, {"spawn", RunShell, false},
			{"eval", Evaluate, false}, {"instance_eval", Evaluate, false}, {"Base64.decode64", DecodeData, false}, {"Net::HTTP.get", Fetch, false}, {"URI.open", Fetch, false}, {"Net::HTTP.post", Send, false}, {"Net::HTTP.post_form", Send, false}, {"TCPSocket.new", Connect, false}, {"TCPSocket.open", Connect, false},
			{"Marshal.load", LoadCode, false}, {"File.read", ReadFile, false}, {"ENV.to_h", ReadAllEnv, true}, {"ENV.to_hash", ReadAllEnv, true}, {"FileUtils.rm_rf", RemoveTree, false}}
	case "pl":
		return []otherName{{"system", RunShell, false}, {"exec", RunShell, false}, {"eval", Evaluate, false}, {"decode_base64", DecodeData, false}, {"IO::Socket::INET", Connect, true}, {"LWP::UserAgent", Fetch, true}, {"HTTP::Tiny", Fetch, true}, {"get", Fetch, false}}
	case "php":
		return []otherName{{"system", RunShell, false}, {"exec", RunShell, false}, {"shell_exec", RunShell, false}, {"passthru", RunShell, false}, {"popen", RunShell, false}, {"proc_open", RunShell, false}, {"eval", Evaluate, false}, {"assert", Evaluate, false}, {"create_function", Evaluate, false},
			{"base64_decode", DecodeData, false}, {"gzinflate", DecodeData, false}, {"str_rot13", DecodeData, false}, {"fsockopen", Connect, false}, {"curl_exec", Send, false}, {"file_get_contents", ReadFile, false}, {"unserialize", LoadCode, false}, {"getenv", ReadEnv, false}}
	case "lua":
		return []otherName{{"os.execute", RunShell, false}, {"io.popen", RunShell, false}, {"load", Evaluate, false}, {"loadstring", Evaluate, false}, {"socket.tcp", Connect, true}, {"socket.http.request", Fetch, false}, {"http.request", Fetch, false}, {"os.getenv", ReadEnv, false}}
	case "scpt":
		return []otherName{{"do shell script", RunShell, false}, {"run script", Evaluate, false}, {"the clipboard", ReadSecret, true}}
	case "go":
		return []otherName{{"exec.Command", RunProgram, false}, {"exec.CommandContext", RunProgram, false}, {"syscall.Exec", RunProgram, false}, {"http.Get", Fetch, false}, {"http.Post", Send, false}, {"http.PostForm", Send, false}, {"net.Dial", Connect, false}, {"os.Environ", ReadAllEnv, false}, {"os.Getenv", ReadEnv, false},
			{"os.ReadFile", ReadFile, false}, {"os.RemoveAll", RemoveTree, false}, {"plugin.Open", LoadCode, false}, {"base64.StdEncoding.DecodeString", DecodeData, false}}
	case "java", "kt":
		return []otherName{{"Runtime.getRuntime", RunProgram, false}, {"ProcessBuilder", RunProgram, false}, {"URLClassLoader", LoadCode, false}, {"System.getenv", ReadEnv, false}, {"Base64.getDecoder", DecodeData, false}, {"Socket", Connect, false}}
	}
	return nil
}
