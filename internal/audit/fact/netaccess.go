package fact

import (
	"slices"
	"strings"
)

// lineCommands are the commands of a region by where they begin.
type lineCommands struct {
	list []*Command
	none bool
}

// commandsOf gathers the commands of a region. They were found right before.
func (f *Facts) commandsOf(r *Region) *lineCommands {
	l := &lineCommands{}
	for i := len(f.Commands) - 1; i >= 0; i-- {
		c := &f.Commands[i]
		if c.File != r.File || c.Span.Start < r.Span.Start {
			break
		}
		if c.Span.End <= r.Span.End {
			l.list = append(l.list, c)
		}
	}
	l.none = len(l.list) == 0
	slices.SortFunc(l.list, func(a, b *Command) int { return a.Place.Compare(b.Place) })
	return l
}

// access says what the command around a place does with the path there.
func (l *lineCommands) access(at Place, token string) Access {
	i, _ := slices.BinarySearchFunc(l.list, at, func(c *Command, p Place) int {
		if c.Span.Start <= p.Span.Start {
			return -1
		}
		return 1
	})
	for n := 0; i > 0 && n < 16; n++ {
		i--
		if c := l.list[i]; c.Span.End >= at.Span.End {
			if a := c.access(token); a != Named {
				return a
			}
		}
	}
	return Named
}

// access says what a command does with a path that is in it.
func (c *Command) access(path string) Access {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, path) })
	}
	switch {
	case has(c.Writes):
		return Writes
	case has(c.Reads):
		return Reads
	}
	return commandAccess(c.Name, c.Args, path)
}

// commandAccess says what a program does with a path that is among its arguments.
func commandAccess(name string, args []string, path string) Access {
	i := slices.IndexFunc(args, func(s string) bool { return strings.Contains(s, path) })
	if i < 0 {
		return Named
	}
	arg := args[i]
	last := i == len(args)-1
	if strings.HasPrefix(arg, "--exclude") || i > 0 && strings.HasPrefix(args[i-1], "--exclude") {
		return Named
	}
	switch name {
	case "cat", "less", "more", "head", "tail", "bat", "grep", "egrep", "rg", "awk", "cut", "sort", "strings", "xxd", "hexdump", "od", "base64", "jq", "yq", "gpg", "openssl", ".", "type", "get-content", "gc", "tar", "zip", "7z", "gzip", "sqlite3", "dd", "nl", "tac", "paste", "python", "python3", "node", "pbcopy", "xclip", "clip", "wc", "diff", "read", "readarray", "mapfile", "copy-item", "copy", "xcopy", "robocopy":
		return Reads
	case "sed", "perl":
		if slices.ContainsFunc(args, func(s string) bool { return strings.HasPrefix(s, "-i") || s == "--in-place" }) {
			return Writes
		}
		return Reads
	case "mv":
		if last {
			return Writes
		}
	case "cp", "ln", "install", "rsync", "ditto":
		if strings.Contains(arg, ":") && !strings.HasPrefix(arg, "~") && name == "rsync" {
			return Named
		}
		if last {
			return Writes
		}
		if name == "rsync" && strings.Contains(args[len(args)-1], ":") {
			return Sends
		}
		return Reads
	case "scp", "sftp":
		if last || i > 0 && args[i-1] == "-i" {
			return Named
		}
		return Sends
	case "tee", "touch", "truncate", "chmod", "chown", "mkdir", "set-content", "add-content", "out-file", "new-item", "nano", "vim", "vi", "rm":
		if name == "tee" || name == "truncate" || strings.HasSuffix(name, "-content") || name == "out-file" || name == "new-item" {
			return Writes
		}
		return Named
	case "curl", "curl.exe", "http", "https", "wget":
		if strings.Contains(arg, "@") || i > 0 && (args[i-1] == "-T" || args[i-1] == "--upload-file") || strings.HasPrefix(arg, "-T") || strings.HasPrefix(arg, "--post-file") || strings.HasPrefix(arg, "--upload-file") || strings.HasPrefix(arg, "--body-file") || i > 0 && args[i-1] == "--post-file" {
			return Sends
		}
		if i > 0 && (args[i-1] == "-o" || args[i-1] == "-O" || args[i-1] == "--output") {
			return Writes
		}
	case "gh":
		if len(args) > 1 && (args[0] == "gist" && args[1] == "create" || args[0] == "release" && args[1] == "upload") {
			return Sends
		}
	case "croc", "wormhole", "ffsend", "ipfs", "magic-wormhole", "0x0", "bashupload":
		return Sends
	case "mail", "mailx", "mutt", "sendmail":
		if i > 0 && (args[i-1] == "-a" || args[i-1] == "-A" || args[i-1] == "--attach") {
			return Sends
		}
	case "gsutil", "aws", "gcloud", "az", "rclone", "mc", "s3cmd":
		if slices.Contains(args, "cp") || slices.Contains(args, "sync") || slices.Contains(args, "copy") || slices.Contains(args, "mv") || slices.Contains(args, "put") {
			if !last {
				return Sends
			}
		}
	}
	return Named
}

// codeAccess says what the line of code around a place does with a path, where no
// command was made out: by the words that calls for it have in most languages.
func codeAccess(text string, at int) Access {
	line := strings.ToLower(text[max(netLineHead(text, at), at-300):min(netLineTail(text, at), at+300)])
	writes := false
	for _, word := range [...]string{"write", "append", "dump(", "save", "fs.copyfile", "'w'", "\"w\"", "'a'", "\"a\"", "'w+'", "mode=\"w", "touch("} {
		writes = writes || strings.Contains(line, word)
	}
	if writes {
		return Writes
	}
	for _, word := range [...]string{"open(", "read", "load", " cat ", "(cat ", "`cat ", "parse(", "slurp", "fopen", "file_get_contents", "get-content", "copy("} {
		if strings.Contains(line, word) {
			return Reads
		}
	}
	return Named
}

// told says what a sentence tells one to do with the path at a place in it.
func told(text string, at int) Access {
	from := max(0, at-160)
	head := text[from:at]
	if i := strings.LastIndexAny(head, ".!?;\n"); i >= 0 {
		// The dot of a name of a file ends no sentence.
		for i >= 0 && i+1 < len(head) && head[i] == '.' && head[i+1] > ' ' {
			i = strings.LastIndexAny(head[:i], ".!?;\n")
		}
		head = head[i+1:]
	}
	for _, stop := range [...]string{"。", "！", "？", "；"} {
		if i := strings.LastIndex(head, stop); i >= 0 {
			head = head[i+len(stop):]
		}
	}
	tail := text[at:min(len(text), at+80)]
	if i := strings.IndexAny(tail, "!?;\n"); i >= 0 {
		tail = tail[:i]
	}
	head = strings.ToLower(head)
	// The verb of a sentence in some languages stands behind.
	if a := verbsIn(strings.ToLower(tail), true); a == Sends {
		return a
	}
	if a := verbsIn(head, false); a != Named {
		return a
	}
	return verbsIn(strings.ToLower(tail), true)
}

// toldOf says what a sentence tells one to do with something at an address, and what
// is secret in it.
func toldOf(text string, at int) (Access, string) {
	is := told(text, at)
	if is != Sends {
		return is, ""
	}
	sentence := text[max(0, at-200):min(len(text), at+120)]
	low := strings.ToLower(sentence)
	for _, word := range [...]string{".env", "credential", "api key", "api keys", "private key", "secret", "token", "password", "passwort", "contraseña", "mot de passe", "senha", "парол", "ключ", "токен", "ssh key", "seed phrase", "mnemonic", "cookies", "conversation", "chat history", "system prompt", "transcript", "密钥", "密码", "令牌", "对话", "环境变量", "environment variable", "パスワード", "비밀번호"} {
		if i := strings.Index(low, word); i >= 0 {
			return is, strings.TrimSpace(word)
		}
	}
	return is, ""
}

// toldAround is told of a token that stands in code in a sentence.
func toldAround(sentence, token string) Access {
	if i := strings.Index(sentence, token); i >= 0 {
		return told(sentence, i)
	}
	return Named
}

// The verbs of the three ways, in forms that tell someone to: of languages that put
// blanks between words, and of those that do not.
var (
	readVerbs  = [...]string{"abre", "abrir", "capture", "cat", "collect", "collecte", "copia", "copiar", "copie", "copiez", "copy", "dump", "extract", "extrae", "extrais", "fetch", "gather", "grab", "harvest", "inspect", "kopiere", "lee", "leer", "leia", "ler", "lese", "lies", "lire", "lis", "lisez", "load", "open", "ouvre", "ouvrez", "parse", "print", "read", "retrieve", "sende", "source", "show", "öffne", "открой", "откройте", "прочитай", "прочитайте", "прочти", "скопируй", "скопируйте", "собери", "считай"}
	writeVerbs = [...]string{"actualiza", "add", "agrega", "ajoute", "ajoutez", "alter", "append", "change", "create", "crea", "edit", "edita", "editez", "ergänze", "erstelle", "escreva", "escribe", "escribir", "insert", "install", "merge", "modifica", "modifie", "modifiez", "modify", "modifique", "overwrite", "paste", "patch", "persist", "place", "prepend", "put", "register", "replace", "save", "schreibe", "set", "store", "update", "write", "écris", "écrivez", "ändere", "добавь", "добавьте", "допиши", "запиши", "запишите", "измени", "измените", "сохрани"}
	sendVerbs  = [...]string{"attach", "beam", "email", "envia", "envie", "enviar", "envía", "envíe", "envíalo", "invia", "manda", "envoie", "envoyez", "exfiltrate", "forward", "leak", "lade", "mail", "post", "relay", "schick", "schicke", "send", "sende", "senden", "share", "sube", "submit", "transmit", "transmita", "upload", "загрузи", "отправь", "отправьте", "отошли", "перешли", "передай"}
	readSigns  = [...]string{"读取", "打开", "查看", "收集", "复制", "読み取", "読んで", "読み込", "開い", "収集", "읽", "열어", "수집"}
	writeSigns = [...]string{"写入", "修改", "添加", "追加", "保存到", "更新", "書き込", "追記", "変更", "쓰", "추가", "수정", "저장"}
	sendSigns  = [...]string{"发送", "上传", "提交到", "送信", "アップロード", "전송", "보내", "업로드"}
)

// verbsIn says which of the ways the words of a part of a sentence tell one to take.
// Behind the path only languages are looked for that put their verbs there.
func verbsIn(part string, behind bool) Access {
	found := Named
	if !behind {
		last, open := "", true
		reported := false
		for start := 0; start < len(part); {
			end := start
			for end < len(part) && (letter(part[end]) || part[end] >= 0x80 || part[end] == '\'' && end > start) {
				end++
			}
			if end == start {
				open = open || strings.IndexByte(",;:>)|*(-[\n", part[start]) >= 0
				start++
				continue
			}
			word := part[start:end]
			if (open || leadsOn(last)) && !reported && standsAlone(part, start, end) {
				switch {
				case slices.Contains(sendVerbs[:], word):
					return Sends
				case slices.Contains(writeVerbs[:], word):
					found = Writes
				case slices.Contains(readVerbs[:], word) && found == Named:
					found = Reads
				}
			}
			reported = reported || reports(word)
			last, open = word, false
			start = end
		}
	} else if i := addressAhead(part); i >= 0 {
		for word := range strings.FieldsSeq(part[:i]) {
			if slices.Contains(sendVerbs[:], word) {
				return Sends
			}
		}
	}
	for _, set := range [...]struct {
		signs []string
		is    Access
	}{{sendSigns[:], Sends}, {writeSigns[:], Writes}, {readSigns[:], Reads}} {
		for _, sign := range set.signs {
			if found == Named && strings.Contains(part, sign) {
				return set.is
			}
		}
	}
	return found
}

// addressAhead is where in a part of a sentence an address is named as where something
// goes; -1 where none is.
func addressAhead(part string) int {
	at := strings.Index(part, "http")
	if at < 2 || part[at-1] != ' ' {
		return -1
	}
	head := strings.TrimRight(part[:at], " ")
	switch head[strings.LastIndexByte(head, ' ')+1:] {
	case "to", "a", "à", "para", "an", "nach", "на", "по":
		return at
	}
	return -1
}

// standsAlone reports whether a word is no part of a name or a path.
func standsAlone(s string, start, end int) bool {
	if start > 0 && strings.IndexByte("/\\-_.@~$", s[start-1]) >= 0 {
		return false
	}
	return end == len(s) || strings.IndexByte("/\\-_@", s[end]) < 0 && (s[end] != '.' || end+1 == len(s) || s[end+1] <= ' ')
}

// leadsOn are words behind which a verb tells one to do something.
func leadsOn(word string) bool {
	switch word {
	case "to", "and", "then", "or", "must", "should", "please", "first", "next", "now", "also", "always", "you", "will", "shall", "can", "just", "simply", "silently", "quietly", "secretly", "immediately", "automatically", "finally", "e", "y", "et", "und", "и", "bitte", "затем", "сначала", "пожалуйста", "luego", "puis", "then,", "dann", "depois", "primero", "d'abord":
		return true
	}
	return false
}

// reports are words behind which it is said what others do.
func reports(word string) bool {
	switch word {
	case "instructs", "tells", "asks", "attempts", "tries", "wants", "instructing", "telling", "attempting", "trying", "disguise", "allows", "used", "able", "designed", "if", "whether", "fails", "failed", "unable", "cannot", "can't", "might", "could", "would":
		return true
	}
	return false
}
