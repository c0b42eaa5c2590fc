package fact

import (
	"strings"
	"sync"
)

// doing is a set of what a stretch of text is about, when it tells someone to get a
// program.
type doing uint32

const (
	// doGet, doUnpack and doRun are what is to be done, doPaste is to take a line of
	// text from one place to another, inTerminal where it goes.
	doGet doing = 1 << iota
	doUnpack
	doRun
	doPaste
	inTerminal
	// isMust says that it has to be, isFirst that it comes before all else, isVain
	// that nothing works without.
	isMust
	isFirst
	isVain
	// isWindows and isMac name a system that programs are for, isGuard what guards one.
	isWindows
	isMac
	isOff
	isGuard
	// isLogin is about the account of a service.
	isLogin
	aProgram
	isSecretWord
	// aLine is a line of text that a shell takes.
	aLine
)

// getWords are words by what they say. One that ends in "-" stands for all that begin
// so; those of scripts without blanks between words are looked for anywhere.
var getWords = [...]struct {
	is    doing
	words string
}{
	{doGet, "download- get fetch grab visit obtain install herunterlad- lade laden besuche- hol- descarg- baja bajar obt- télécharg- visite- obtén baix- baixe скача- загруз- установи- получи- перейди- 下载 获取 访问 打开链接 安装 ダウンロード 入手 アクセス インストール 다운로드 받아 방문 설치"},
	{doUnpack, "extract unzip unpack decompress unrar untar extracting unzipping entpack- extrahier- descomprim- extrae- extraer- extra- décompress- extrai- extraire descompact- распак- извлек- разархив- 解压 解壓 提取 解凍 展開 압축을 압축"},
	{doRun, "run execute launch start open double-click install running executing starte- ausführ- führe öffne- installier- ejecut- abre- inicia- instal- exécut- lance- lancez ouvr- install- execut- rode inicie- abra запус- запуст- выполн- открой- установи- 运行 執行 执行 启动 打开 安装 双击 実行 起動 開い インストール 실행 열어 설치"},
	{doPaste, "copy paste copying pasting einfüg- kopier- copia- peg- pega copie- coll- cole copi- вставь- вставьте скопиру- 复制 複製 粘贴 貼上 コピー 貼り付け 복사 붙여"},
	{inTerminal, "terminal console powershell shell cmd konsole eingabeaufforderung consola konsol- símbolo терминал- консол- 终端 終端 命令行 控制台 ターミナル コンソール 터미널 콘솔"},
	{aLine, "command commands script one-liner snippet code befehl- skript- comando- código script- commande- команд- скрипт- код 命令 指令 脚本 代码 コマンド スクリプト コード 명령 스크립트 코드"},
	{isMust, "required requires require must mandatory prerequisite prerequisites necessary essential critical need needs needed important imperative erforderlich benötigt muss müssen voraussetzung- notwendig zwingend obligator- requer- requier- necesari- requisito- imprescindible debe- obligatoire requis- nécessaire- prérequis doit devez obrigatóri- necessári- precis- deve обязател- требу- необходим- нужен нужно нужна должен 必须 必需 需要 必要 必備 前提 先决 必須 필수 필요 전제"},
	{isFirst, "before first prior beforehand vor bevor zuerst vorher antes primero avant abord primeiro перед прежде сначала 之前 以前 首先 先に まず 前に 전에 먼저"},
	{isVain, "without ohne sin sans sem без 没有 沒有 否则 无法 なしで しないと 없이 않으면"},
	{isWindows, "windows win win64 win32"},
	{isMac, "macos mac osx linux"},
	{isOff, "disable deactivate ignore bypass allow whitelist exclude off skip deaktivier- desactiv- désactiv- desativ- отключ- игнорир- 关闭 禁用 忽略 無効 끄 해제"},
	{isGuard, "antivirus anti-virus defender smartscreen gatekeeper firewall xprotect антивирус- 杀毒 防火墙 ウイルス対策 백신"},
	{isLogin, "login log-in sign-in signin username user account admin administrator email e-mail database postgres mysql root konto benutzer- usuario cuenta utilisateur compte conta логин аккаунт- 用户 账号 登录 ユーザー ログイン 아이디 계정 로그인"},
	{aProgram, "executable program binary installer application app utility tool driver agent exe msi dmg pkg archiv- archive zip rar package software programm- programa- aplicación programme logiciel aplicativo программ- утилит- приложен- архив- 程序 工具 软件 应用 压缩包 プログラム ツール アプリ 프로그램 앱 도구"},
	{isSecretWord, "password pass passwd passcode pwd passphrase passwort kennwort contraseña clave senha mdp пароль паролем 密码 密碼 解压码 口令 提取码 パスワード 비밀번호 암호 비번"},
}

// getPhrases are the same of several words.
var getPhrases = [...]struct {
	is   doing
	text string
}{
	{doRun, "double click"}, {inTerminal, "command prompt"}, {inTerminal, "command line"}, {inTerminal, "línea de comandos"}, {inTerminal, "ligne de commande"}, {inTerminal, "командную строку"}, {inTerminal, "командной строке"},
	{isVain, "won't work"}, {isVain, "not work"}, {isVain, "doesn't work"}, {isVain, "will fail"}, {isVain, "not function"}, {isVain, "funktioniert nicht"}, {isVain, "no funcionar"}, {isVain, "ne fonctionn"}, {isVain, "não funcionar"}, {isVain, "не будет работать"}, {isVain, "не работает"}, {isVain, "動作しません"}, {isVain, "작동하지"},
	{aLine, "the line"}, {aLine, "this line"}, {aLine, "that line"}, {aLine, "following line"}, {aLine, "text shown"}, {aLine, "shown there"}, {aLine, "la línea"}, {aLine, "эту строку"},
	{isSecretWord, "mot de passe"}, {isLogin, "log in"}, {isLogin, "sign in"}, {doGet, "go to"}, {doGet, "head to"},
}

// lexicons are the tables in the form in which they are asked.
type getLexicon struct {
	whole  map[string]doing
	stems  map[string]doing
	inside []struct {
		is   doing
		text string
	}
}

var getWordsOf = sync.OnceValue(func() *getLexicon {
	l := &getLexicon{whole: map[string]doing{}, stems: map[string]doing{}}
	for _, row := range getWords {
		for word := range strings.FieldsSeq(row.words) {
			stem, ok := strings.CutSuffix(word, "-")
			switch {
			case ok:
				l.stems[stem] |= row.is
			case unspaced(word):
				l.inside = append(l.inside, struct {
					is   doing
					text string
				}{row.is, word})
			default:
				l.whole[word] |= row.is
			}
		}
	}
	return l
})

// unspaced reports whether a word is of a script without blanks between words.
func unspaced(word string) bool {
	for _, c := range word {
		if c >= 0x2e80 {
			return true
		}
	}
	return false
}

// doings says what a stretch of text is about.
func doings(text string) doing {
	l := getWordsOf()
	low := strings.ToLower(text)
	var is doing
	foreign := false
	for i := 0; i < len(low); {
		start := i
		for i < len(low) && (letter(low[i]) || netDigit(low[i]) || low[i] >= 0x80 || low[i] == '-' && i > start) {
			foreign = foreign || low[i] >= 0xe2
			i++
		}
		if i == start {
			i++
			continue
		}
		word := low[start:i]
		is |= l.whole[word]
		if head, _, ok := strings.Cut(word, "-"); ok {
			is |= l.whole[head]
		}
		for n := min(len(word), 28); n > 1; n-- {
			is |= l.stems[word[:n]]
		}
	}
	if foreign {
		for _, x := range l.inside {
			if is&x.is == 0 && strings.Contains(low, x.text) {
				is |= x.is
			}
		}
	}
	for _, x := range getPhrases {
		if is&x.is == 0 && strings.Contains(low, x.text) {
			is |= x.is
		}
	}
	return is
}
