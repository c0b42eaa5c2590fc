package fact

import (
	"strings"

	"github.com/vadehq/vade/internal/audit/script"
)

// effectOf says what a function does, by its name with the names of modules undone, and
// how: for what decodes, the encoding; for what sends, "net".
func effectOf(lang script.Lang, name string) (Effect, string) {
	name = strings.ReplaceAll(name, "()", "")
	if lang == script.Python {
		return pythonEffect(name)
	}
	return scriptEffect(name)
}

func pythonEffect(name string) (Effect, string) {
	module, last := cutLast(name)
	switch name {
	case "exec", "eval", "execfile", "types.FunctionType", "types.LambdaType", "code.InteractiveInterpreter.runsource", "code.InteractiveInterpreter.runcode", "timeit.timeit":
		return Evaluate, ""
	case "runpy.run_path", "importlib.util.spec_from_file_location", "imp.load_source", "imp.load_module", "importlib.machinery.SourceFileLoader", "importlib.machinery.SourcelessFileLoader",
		"importlib.import_module", "__import__", "ctypes.CDLL", "ctypes.cdll.LoadLibrary", "ctypes.windll.LoadLibrary", "ctypes.WinDLL":
		return LoadCode, "code"
	case "pickle.loads", "pickle.load", "cPickle.loads", "_pickle.loads", "dill.loads", "dill.load", "cloudpickle.loads", "cloudpickle.load", "jsonpickle.decode", "joblib.load", "shelve.open", "yaml.unsafe_load":
		return LoadCode, "pickle"
	case "ctypes.memmove", "ctypes.windll.kernel32.RtlMoveMemory", "ctypes.windll.kernel32.WriteProcessMemory", "ctypes.CFUNCTYPE":
		return Evaluate, "machine code"
	case "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput", "commands.getstatusoutput", "asyncio.create_subprocess_shell", "asyncio.subprocess.create_subprocess_shell", "pexpect.run", "popen2.popen2":
		return RunShell, ""
	case "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "asyncio.create_subprocess_exec", "pty.spawn", "os.startfile", "pexpect.spawn", "os.posix_spawn", "os.posix_spawnp":
		return RunProgram, ""
	case "urllib.request.urlopen", "urllib2.urlopen", "urllib.urlopen", "urllib.request.build_opener.open", "requests.get", "httpx.get", "urllib.request.urlretrieve", "urllib.urlretrieve", "wget.download":
		return Fetch, "net"
	case "smtplib.SMTP.sendmail", "smtplib.SMTP_SSL.sendmail", "smtplib.SMTP.send_message", "smtplib.SMTP_SSL.send_message", "ftplib.FTP.storbinary", "ftplib.FTP_TLS.storbinary", "ftplib.FTP.storlines",
		"http.client.HTTPSConnection.request", "http.client.HTTPConnection.request", "httplib.HTTPSConnection.request", "httplib.HTTPConnection.request", "paramiko.SSHClient.open_sftp.put",
		"socket.gethostbyname", "socket.getaddrinfo", "dns.resolver.resolve", "dns.resolver.query", "webbrowser.open", "boto3.client.put_object", "boto3.client.upload_file", "discord.SyncWebhook.from_url.send":
		return Send, "net"
	case "socket.create_connection", "socket.socket.connect", "socket.socket.connect_ex", "asyncio.open_connection":
		return Connect, ""
	case "socket.socket.send", "socket.socket.sendall", "socket.socket.sendto", "socket.create_connection.send", "socket.create_connection.sendall", "ssl.wrap_socket.send", "ssl.wrap_socket.sendall",
		"websocket.create_connection.send", "websocket.WebSocket.send", "websockets.connect.send":
		return Send, "stream"
	case "socket.socket.recv", "socket.socket.recvfrom", "socket.socket.makefile", "socket.create_connection.recv", "websocket.create_connection.recv", "websockets.connect.recv", "ssl.wrap_socket.recv":
		return Fetch, "stream"
	case "socket.socket.bind", "socket.socket.listen", "socketserver.TCPServer", "http.server.HTTPServer":
		return Listen, ""
	case "os.dup2":
		return Bind, ""
	case "os.getenv", "os.environ.get", "os.environ.pop", "os.environ.setdefault", "os.environ.__getitem__", "os.getenvb", "decouple.config":
		return ReadEnv, ""
	case "os.environ.copy", "os.environ.items", "os.environ.keys", "os.environ.values":
		return ReadAllEnv, ""
	case "open", "io.open", "codecs.open", "builtins.open", "os.open", "aiofiles.open", "pathlib.Path.open", "gzip.open":
		return ReadFile, "open"
	case "linecache.getlines", "np.load", "numpy.load", "fileinput.input", "mmap.mmap", "sqlite3.connect", "zipfile.ZipFile", "tarfile.open", "shutil.make_archive":
		return ReadFile, "path"
	case "shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.copytree", "shutil.move", "os.rename", "os.replace":
		return ReadFile, "copy"
	case "shutil.rmtree":
		return RemoveTree, ""
	case "keyring.get_password", "keyring.get_credential", "win32crypt.CryptUnprotectData", "pyperclip.paste", "pyautogui.screenshot", "ImageGrab.grab", "PIL.ImageGrab.grab", "secretstorage.get_default_collection",
		"browser_cookie3.chrome", "browser_cookie3.firefox", "browser_cookie3.load", "browser_cookie3.edge", "browser_cookie3.safari", "browsercookie.chrome", "win32clipboard.GetClipboardData":
		return ReadSecret, ""
	case "base64.b64decode", "base64.standard_b64decode", "base64.urlsafe_b64decode", "base64.decodebytes", "base64.decodestring", "binascii.a2b_base64":
		return DecodeData, "base64"
	case "base64.b32decode":
		return DecodeData, "base32"
	case "base64.b16decode", "binascii.unhexlify", "binascii.a2b_hex", "bytes.fromhex", "bytearray.fromhex":
		return DecodeData, "hex"
	case "base64.a85decode", "base64.b85decode":
		return DecodeData, "base85"
	case "zlib.decompress", "zlib.decompressobj.decompress":
		return DecodeData, "zlib"
	case "gzip.decompress":
		return DecodeData, "gzip"
	case "bz2.decompress":
		return DecodeData, "bzip2"
	case "lzma.decompress":
		return DecodeData, "lzma"
	case "marshal.loads", "marshal.load":
		return DecodeData, "marshal"
	case "codecs.decode", "codecs.getdecoder", "codecs.encode":
		return DecodeData, "codecs"
	}
	if netModule(module) {
		switch last {
		case "get", "head", "options", "stream":
			return Fetch, "net"
		case "post", "put", "patch", "delete", "request", "urlopen":
			return Send, "net"
		}
	}
	switch {
	case strings.HasPrefix(name, "os.exec") || strings.HasPrefix(name, "os.spawn"):
		return RunProgram, ""
	case last == "decrypt" || last == "decryptor" || last == "decrypt_and_verify":
		return DecodeData, "encryption"
	case last == "read_text" || last == "read_bytes":
		return ReadFile, "method"
	case last == "write_text" || last == "write_bytes":
		return WriteFile, "method"
	}
	return NoEffect, ""
}

// netModule reports whether a name is that of a client of the network, or of a session
// of one.
func netModule(name string) bool {
	root, rest, _ := strings.Cut(name, ".")
	switch root {
	case "requests", "httpx", "aiohttp", "urllib3", "niquests", "cloudscraper", "grequests", "treq", "requests_html", "curl_cffi", "tls_client":
	default:
		return false
	}
	switch rest {
	case "", "api", "Session", "session", "sessions.Session", "Client", "AsyncClient", "ClientSession", "client.ClientSession", "PoolManager", "HTMLSession", "requests", "requests.Session", "create_scraper", "HTTPSConnectionPool", "HTTPConnectionPool", "ProxyManager":
		return true
	}
	return false
}

func scriptEffect(name string) (Effect, string) {
	module, last := cutLast(name)
	switch name {
	case "eval", "Function", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script", "vm.compileFunction", "execScript", "setTimeout", "setInterval", "AsyncFunction":
		return Evaluate, ""
	case "require", "import", "importScripts", "process.dlopen", "module.require", "createRequire", "vm.SourceTextModule":
		return LoadCode, "code"
	case "v8.deserialize", "node-serialize.unserialize", "serialize.unserialize":
		return LoadCode, "pickle"
	case "child_process.exec", "child_process.execSync", "shelljs.exec", "execa.command", "execa.commandSync", "execa.execaCommand", "execa.execaCommandSync", "zx.$", "Bun.$":
		return RunShell, ""
	case "child_process.spawn", "child_process.spawnSync", "child_process.execFile", "child_process.execFileSync", "child_process.fork", "cross-spawn", "cross-spawn.sync", "execa", "execa.execa", "execa.sync", "execa.execaSync", "Bun.spawn", "Bun.spawnSync", "Deno.Command", "Deno.run", "open":
		return RunProgram, ""
	case "https.get", "http.get", "got", "got.get", "axios.get", "needle.get", "superagent.get", "undici.fetch", "node-fetch", "cross-fetch", "isomorphic-fetch", "phin", "bent", "request.get", "ky", "ky.get", "ofetch", "ofetch.ofetch", "$.get", "jQuery.get", "$.getScript", "fetch", "node-fetch.fetch":
		return Fetch, "net"
	case "https.request", "http.request", "axios", "axios.request", "request", "needle", "got.post", "got.put", "axios.post", "axios.put", "axios.patch", "axios.create.post", "needle.post", "superagent.post", "request.post", "ky.post", "undici.request", "$.post", "jQuery.post", "$.ajax", "jQuery.ajax", "navigator.sendBeacon", "sendBeacon",
		"https.request.write", "https.request.end", "http.request.write", "http.request.end", "XMLHttpRequest.send", "nodemailer.createTransport.sendMail", "http2.connect.request", "dns.lookup", "dns.resolve", "dns.resolveTxt", "dns.resolve4", "dns.promises.resolve", "dns.promises.lookup", "FormData.submit":
		return Send, "net"
	case "net.connect", "net.createConnection", "tls.connect", "net.Socket.connect", "WebSocket", "ws", "socket.io-client", "socket.io-client.io", "ws.WebSocket":
		return Connect, ""
	case "net.connect.write", "net.createConnection.write", "tls.connect.write", "net.Socket.write", "WebSocket.send", "ws.send", "socket.io-client.emit", "socket.io-client.io.emit", "ws.WebSocket.send", "net.connect.end", "net.Socket.end":
		return Send, "stream"
	case "net.createServer", "http.createServer", "https.createServer":
		return Listen, ""
	case "Deno.env.get", "process.env.hasOwnProperty":
		return ReadEnv, ""
	case "Deno.env.toObject":
		return ReadAllEnv, ""
	case "fs.readFileSync", "fs.readFile", "fs.createReadStream", "fs.readSync", "fs-extra.readFile", "fs-extra.readFileSync", "Deno.readTextFile", "Deno.readTextFileSync", "Deno.readFile", "Bun.file", "fs.promises.readFile", "fs.readdirSync", "fs.readJson", "fs-extra.readJson", "fs.readJsonSync", "glob.sync", "better-sqlite3", "fs.openAsBlob":
		return ReadFile, "path"
	case "fs.copyFileSync", "fs.copyFile", "fs.cpSync", "fs.renameSync", "fs.promises.copyFile":
		return ReadFile, "copy"
	case "fs.writeFileSync", "fs.writeFile", "fs.appendFileSync", "fs.appendFile", "fs.promises.writeFile", "fs-extra.writeFile", "fs-extra.outputFile", "Deno.writeTextFile", "Deno.writeFile", "Bun.write", "Deno.writeTextFileSync":
		return WriteFile, "path"
	case "fs.createWriteStream":
		return WriteFile, "open"
	case "fs.rmSync", "fs.rm", "fs.rmdirSync", "fs.promises.rm", "rimraf", "rimraf.sync", "fs-extra.remove", "fs-extra.removeSync":
		return RemoveTree, ""
	case "keytar.getPassword", "keytar.findCredentials", "navigator.clipboard.readText", "navigator.clipboard.read", "clipboardy.read", "clipboardy.readSync", "screenshot-desktop":
		return ReadSecret, ""
	case "atob", "js-base64.decode", "Base64.decode", "js-base64.Base64.decode":
		return DecodeData, "base64"
	case "String.fromCharCode", "String.fromCodePoint":
		return DecodeData, "char codes"
	case "unescape":
		return DecodeData, "percent"
	case "zlib.inflateSync", "zlib.inflate", "zlib.unzipSync", "pako.inflate", "zlib.inflateRawSync", "pako.ungzip":
		return DecodeData, "zlib"
	case "zlib.gunzipSync", "zlib.gunzip":
		return DecodeData, "gzip"
	case "zlib.brotliDecompressSync", "zlib.brotliDecompress":
		return DecodeData, "brotli"
	case "crypto.createDecipheriv.update", "crypto.createDecipheriv.final", "crypto.createDecipher.update", "CryptoJS.AES.decrypt", "crypto-js.AES.decrypt", "crypto.privateDecrypt", "CryptoJS.RC4.decrypt":
		return DecodeData, "encryption"
	}
	if last == "_compile" || name == "Function.constructor" || strings.HasSuffix(name, ".constructor.constructor") {
		return Evaluate, ""
	}
	if (module == "axios.create" || module == "got.extend") && (last == "put" || last == "patch" || last == "get" || last == "request") {
		return Send, "net"
	}
	return NoEffect, ""
}

func cutLast(name string) (before, last string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

// tellsNothing reports whether what a function gives says nothing of what it gets that
// would be worth having: a length, whether something is there, a digest.
func tellsNothing(name string) bool {
	_, last := cutLast(name)
	switch last {
	case "len", "bool", "isinstance", "hasattr", "print", "log", "warn", "info", "error", "debug", "startswith", "endswith", "startsWith", "endsWith", "includes", "exists", "existsSync", "isfile", "isdir", "is_file", "is_dir", "isdigit",
		"hexdigest", "digest", "sha256", "md5", "sha1", "indexOf", "find", "count", "test", "stat", "statSync", "getsize", "getmtime", "hash", "callable", "type", "access", "createHash", "createHmac", "has", "every", "some", "isatty", "exit", "float":
		return true
	}
	return false
}
