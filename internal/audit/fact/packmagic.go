package fact

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"
)

// FormClass is what a file is good for by its form.
type FormClass uint8

// The classes of forms.
const (
	// UnknownForm is what no table has.
	UnknownForm FormClass = iota
	// PlainForm is text.
	PlainForm
	// NativeForm is machine code, BytecodeForm code for an interpreter.
	NativeForm
	BytecodeForm
	// ArchiveForm holds other files, OfficeForm a document made of them.
	ArchiveForm
	OfficeForm
	// MediaForm is an image, a sound, a film or a font.
	MediaForm
	// RecordForm is a document or data in a form of its own that is not opened.
	RecordForm
	// SealedForm is encrypted.
	SealedForm
)

type magic struct {
	at   int
	head string
	name string
}

// magics are the first bytes of forms, the longer ones first where one begins as
// another.
var magics = [...]magic{
	{0, "\x7fELF", "elf"}, {0, "MZ", "pe"}, {0, "\xcf\xfa\xed\xfe", "macho"}, {0, "\xce\xfa\xed\xfe", "macho"}, {0, "\xfe\xed\xfa\xcf", "macho"}, {0, "\xfe\xed\xfa\xce", "macho"},
	{0, "\xca\xfe\xba\xbe", "class"}, {0, "\x00asm", "wasm"}, {0, "dex\n0", "dex"}, {0, "\x1bLua", "luac"}, {0, "\x1bLJ", "luac"}, {0, "BC\xc0\xde", "bitcode"}, {0, "!<arch>\ndebian", "deb"}, {0, "!<arch>", "ar"},
	{0, "PK\x03\x04", "zip"}, {0, "PK\x05\x06", "zip"}, {0, "\x1f\x8b", "gzip"}, {0, "BZh", "bzip2"}, {0, "\xfd7zXZ\x00", "xz"}, {0, "7z\xbc\xaf\x27\x1c", "7z"}, {0, "Rar!\x1a\x07", "rar"},
	{0, "\x28\xb5\x2f\xfd", "zstd"}, {0, "\x04\x22\x4d\x18", "lz4"}, {0, "MSCF", "cab"}, {0, "Cr24", "crx"}, {0, "xar!", "xar"}, {0, "\xed\xab\xee\xdb", "rpm"}, {257, "ustar", "tar"}, {0, "hsqs", "squashfs"},
	{32769, "CD001", "iso"}, {0, "# v2 git bundle", "gitbundle"}, {0, "L\x00\x00\x00\x01\x14\x02\x00", "lnk"}, {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"}, {0, "ITSF", "chm"}, {0, "{\\rtf", "rtf"},
	{0, "\x89PNG\r\n\x1a\n", "png"}, {0, "\xff\xd8\xff", "jpeg"}, {0, "GIF87a", "gif"}, {0, "GIF89a", "gif"}, {8, "WEBP", "webp"}, {8, "WAVE", "wav"}, {8, "AVI ", "avi"}, {0, "BM", "bmp"}, {0, "II*\x00", "tiff"}, {0, "MM\x00*", "tiff"},
	{0, "\x00\x00\x01\x00", "ico"}, {0, "\x00\x00\x02\x00", "ico"}, {0, "icns", "icns"}, {4, "ftyp", "mp4"}, {0, "\x1aE\xdf\xa3", "webm"}, {0, "ID3", "mp3"}, {0, "\xff\xfb", "mp3"}, {0, "\xff\xf3", "mp3"}, {0, "\xff\xf2", "mp3"},
	{0, "OggS", "ogg"}, {0, "fLaC", "flac"}, {0, "FLV\x01", "flv"}, {0, "wOFF", "woff"}, {0, "wOF2", "woff"}, {0, "OTTO", "ttf"}, {0, "\x00\x01\x00\x00", "ttf"}, {0, "true\x00", "ttf"}, {0, "ttcf", "ttf"}, {0, "8BPS", "psd"}, {0, "glTF", "gltf"},
	{0, "%PDF-", "pdf"}, {0, "SQLite format 3\x00", "sqlite"}, {0, "\x93NUMPY", "npy"}, {0, "PAR1", "parquet"}, {0, "\x89HDF\r\n\x1a\n", "hdf5"}, {0, "bplist0", "bplist"},
	{0, "age-encryption.org", "age"}, {0, "-----BEGIN PGP MESSAGE", "pgp"}, {0, "Salted__", "openssl"}, {0, "\x85\x02", "pgp"}, {0, "\x85\x01", "pgp"},
}

// magicOf says what the first bytes of a file are; "" is not known.
func magicOf(raw []byte) string {
	for _, m := range magics {
		if len(raw) >= m.at+len(m.head) && string(raw[m.at:m.at+len(m.head)]) == m.head {
			if ok, name := confirmed(m.name, raw); ok {
				return name
			}
		}
	}
	switch {
	case len(raw) > 16 && raw[2] == '\r' && raw[3] == '\n' && raw[1] >= 0x0a && raw[1] <= 0x0f:
		return "pyc"
	case len(raw) > 3 && raw[0] == 0x80 && raw[1] >= 2 && raw[1] <= 5 && (raw[2] == '}' || raw[2] == ']' || raw[2] == 'c' || raw[2] == '(' || raw[2] == 0x95):
		return "pickle"
	}
	return ""
}

// confirmed looks twice where few bytes are the sign, since text may begin so.
func confirmed(name string, raw []byte) (bool, string) {
	switch name {
	case "pe":
		// The offset of the second header, or at least bytes that no text has.
		return len(raw) > 2 && bytes.IndexByte(raw[:min(len(raw), 512)], 0) >= 0, name
	case "class":
		// Programs of a Mac for several processors begin alike, with a small count.
		if len(raw) > 7 && raw[4] == 0 && raw[5] == 0 && raw[6] == 0 && raw[7] < 20 {
			return true, "macho"
		}
		return true, name
	case "bmp", "mp3", "bzip2", "mp4", "webp", "wav", "avi", "ico":
		return !PlainText(raw), name
	case "deb":
		return true, name
	}
	return true, name
}

// formClass is the class of what [magicOf] says.
func formClass(name string) FormClass {
	switch name {
	case "elf", "pe", "macho", "lnk":
		return NativeForm
	case "class", "wasm", "dex", "luac", "bitcode", "pyc", "pickle":
		return BytecodeForm
	case "zip", "gzip", "bzip2", "xz", "7z", "rar", "zstd", "lz4", "cab", "crx", "xar", "rpm", "deb", "ar", "tar", "squashfs", "iso", "gitbundle", "dmg":
		return ArchiveForm
	case "ole", "office":
		return OfficeForm
	case "png", "jpeg", "gif", "webp", "wav", "avi", "bmp", "tiff", "ico", "icns", "mp4", "webm", "mp3", "ogg", "flac", "flv", "woff", "ttf", "psd", "gltf":
		return MediaForm
	case "pdf", "sqlite", "npy", "parquet", "hdf5", "bplist", "chm":
		return RecordForm
	case "age", "pgp", "openssl":
		return SealedForm
	}
	return UnknownForm
}

// NameForm says what the ending of a file's name says that it is: the class, and the
// form in it, which is "" where the class is enough.
func NameForm(name string) (FormClass, string) {
	base := strings.ToLower(path.Base(name))
	switch strings.TrimPrefix(path.Ext(base), ".") {
	case "png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "ico", "icns", "avif", "heic", "psd", "mp3", "mp4", "m4a", "m4v", "mov", "webm", "mkv", "avi", "wav", "ogg", "oga", "opus", "flac", "aac", "flv",
		"ttf", "otf", "ttc", "woff", "woff2", "eot", "glb":
		return MediaForm, ""
	case "exe", "dll", "so", "dylib", "com", "scr", "sys", "msi", "node", "o", "a", "lib", "bin", "lnk", "elf":
		return NativeForm, ""
	case "pyc", "pyo", "class", "wasm", "dex", "luac", "beam", "pkl", "pickle", "pyd":
		return BytecodeForm, ""
	case "zip", "gz", "tgz", "bz2", "tbz", "xz", "txz", "7z", "rar", "zst", "tar", "jar", "war", "whl", "egg", "vsix", "nupkg", "apk", "ipa", "crx", "deb", "rpm", "dmg", "pkg", "iso", "cab", "lz4", "skill", "mcpb", "dxt", "bundle", "appimage":
		return ArchiveForm, ""
	case "docx", "xlsx", "pptx", "docm", "xlsm", "pptm", "dotx", "dotm", "xltx", "xltm", "potx", "ppsx", "odt", "ods", "odp", "epub", "doc", "xls", "ppt", "thmx", "vsdx":
		return OfficeForm, ""
	case "pdf", "sqlite", "sqlite3", "db", "npy", "npz", "parquet", "h5", "hdf5", "onnx", "safetensors", "pt", "pth", "gguf", "chm", "feather", "arrow", "avro":
		return RecordForm, ""
	case "gpg", "age", "pgp", "enc", "kdbx":
		return SealedForm, ""
	}
	if lang, role := languageOfName(base); lang != "" || role != Data {
		return PlainForm, lang
	}
	return UnknownForm, ""
}

// headSize is how much of a file decides whether it is text.
const headSize = 8 << 10

// PlainText reports whether the beginning of a file is that of a text.
func PlainText(raw []byte) bool {
	if bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) {
		return true
	}
	head := raw[:min(len(raw), headSize)]
	odd, invalid := 0, 0
	for i := 0; i < len(head); {
		c := head[i]
		if c < utf8.RuneSelf {
			if c == 0 {
				return false
			}
			if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b && c != '\b' {
				odd++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 {
			invalid++
		}
		i += n
	}
	// A text in an encoding of the time before UTF-8 has many bytes above ASCII, but
	// hardly a control character.
	return odd*32 <= len(head) && (odd == 0 || invalid*8 <= len(head))
}

// lfsPointer reports whether a text stands for a large file that is elsewhere.
func lfsPointer(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("version https://git-lfs.github.com/spec/")) && len(raw) < 1024
}
