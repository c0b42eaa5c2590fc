package document

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"html"
	"io"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/audit/signal"
)

// The limits for what is packed in a file: how many files, how many bytes of one and
// of all, how much larger one may be than what it was packed in, and how often one is
// packed in another.
const (
	maxEntries  = 1000
	maxEntry    = 2 << 20
	maxUnpacked = 8 << 20
	maxRatio    = 100
	maxArchives = 2
)

// opener takes the files out of one container.
type opener struct {
	d    *reader
	form *form
	file int
	path string
	// rest: not all of it was read.
	rest bool
}

// open takes out what is packed in a file.
func (d *reader) open(i int, x *signal.File, f *form) {
	o := opener{d: d, form: f, file: i, path: x.Path}
	switch {
	case int64(len(x.Raw)) < x.Size:
		f.why, f.note = signal.MissedTooLarge, "a file that is not read as a whole cannot be opened"
		return
	case x.From != nil && x.From.Depth >= maxArchives:
		f.note = "it is packed in an archive itself"
		return
	case f.tail == "text":
		o.add("trailing", "trailing", x.Raw[f.behind:], false)
	case f.tail == "zip" || f.magic == "zip":
		o.zip(x.Raw)
	case f.magic == "gzip":
		z, err := gzip.NewReader(bytes.NewReader(x.Raw))
		if err == nil {
			o.stream(z, len(x.Raw), ".gz")
		}
	case f.magic == "bzip2":
		o.stream(bzip2.NewReader(bytes.NewReader(x.Raw)), len(x.Raw), ".bz2")
	case f.magic == "tar":
		o.tar(x.Raw)
	case f.magic == "pdf":
		o.pdf(x.Raw)
	}
	switch {
	case f.tail != "":
	case f.opened == 0:
		f.note = "nothing in it could be read"
	case f.sealed:
		f.why, f.note = signal.MissedPacked, "parts of it are encrypted"
	case o.rest:
		f.note = "not all of it was read"
	default:
		f.why = ""
	}
}

// zip opens an archive of that form, which office documents are too.
func (o *opener) zip(raw []byte) {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return
	}
	office := false
	for _, e := range z.File {
		office = office || e.Name == "[Content_Types].xml" || e.Name == "mimetype"
		o.form.sealed = o.form.sealed || e.Flags&1 != 0
		o.form.macros = o.form.macros || strings.EqualFold(path.Base(e.Name), "vbaProject.bin")
	}
	if office && o.form.tail == "" {
		o.form.magic, o.form.class, o.form.why = "office", Office, signal.MissedOffice
	}
	for i, e := range z.File {
		switch {
		case i >= maxEntries, e.UncompressedSize64 > maxRatio*max(e.CompressedSize64, 64):
			o.rest = true
			continue
		case strings.HasSuffix(e.Name, "/") || e.Flags&1 != 0:
			continue
		case office && !pattern("office-text").MatchString(e.Name):
			o.rest = o.rest || !pattern("office-part").MatchString(e.Name)
			continue
		}
		r, err := e.Open()
		if err != nil {
			o.rest = true
			continue
		}
		data, err := io.ReadAll(io.LimitReader(r, int64(o.left())+1))
		o.rest = o.rest || err != nil
		how := "zip"
		if office {
			how, data = "office", []byte(xmlText(string(data)))
		}
		o.add(e.Name, how, data, e.Mode()&0o111 != 0)
	}
}

// stream takes the one file out of what is only compressed, or those of the tar archive
// that it is.
func (o *opener) stream(r io.Reader, packed int, ending string) {
	limit := min(o.left(), maxRatio*max(packed, 64))
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	o.rest = err != nil || len(data) > limit
	name := path.Base(o.path)
	if form, _ := magicOf(data); form == "tar" {
		o.tar(data)
		return
	}
	if n := len(name) - len(ending); n > 0 && strings.EqualFold(name[n:], ending) {
		name = name[:n]
	}
	o.add(name, o.form.magic, data, false)
}

// tar opens an archive of that form.
func (o *opener) tar(raw []byte) {
	in := bytes.NewReader(raw)
	t := tar.NewReader(in)
	for n := 0; n < maxEntries; n++ {
		h, err := t.Next()
		if err != nil {
			// Some programs read what follows the mark that ends an archive.
			rest, _ := io.ReadAll(in)
			o.rest = o.rest || !errors.Is(err, io.EOF) || len(bytes.Trim(rest, "\x00")) > 0
			return
		}
		if h.Typeflag == tar.TypeReg {
			data, err := io.ReadAll(io.LimitReader(t, maxEntry+1))
			o.rest = o.rest || err != nil
			o.add(h.Name, "tar", data, h.Mode&0o111 != 0)
		} else if h.Typeflag != tar.TypeDir && h.Typeflag != tar.TypeXGlobalHeader {
			o.rest = true
		}
	}
	o.rest = true
}

// left is how much more may come out of archives.
func (o *opener) left() int { return min(maxEntry, max(maxUnpacked-o.d.unpacked, 0)) }

// add makes a file of what was packed.
func (o *opener) add(name, how string, data []byte, exec bool) {
	if len(data) > o.left() {
		o.rest = true
		data = data[:o.left()]
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	o.d.unpacked += len(data)
	name = strings.ToValidUTF8(strings.ReplaceAll(name, "\\", "/"), "\ufffd")
	name = strings.TrimPrefix(path.Clean("/"+strings.ToValidUTF8(name[:min(len(name), 300)], "")), "/")
	x := &signal.File{Path: o.path + "!/" + name, Raw: data, Size: int64(len(data)), Exec: exec}
	x.From = &signal.Packed{File: o.file, How: how, Container: true, Office: how == "office" || how == "pdf", Depth: 1}
	if from := o.d.set.Package.Files[o.file].From; from != nil {
		x.From.Depth = from.Depth + 1
	}
	if x.From.Office {
		x.Path += ".txt"
	}
	o.form.opened++
	o.d.set.Package.Files = append(o.d.set.Package.Files, x)
}

// metadata reports whether a file was made of the metadata of a document.
func metadata(x *signal.File) bool {
	base := path.Base(x.Path)
	return x.From != nil && x.From.Office &&
		(base == "core.xml.txt" || base == "custom.xml.txt" || base == "metadata.txt")
}

// xmlBreaks are the elements after which a line ends.
const xmlBreaks = " p si row h h1 h2 h3 li tr comment div title subject keywords description tab br "

// xmlText is the text of a page or a part of a document, each paragraph on a line of its
// own.
func xmlText(data string) string {
	var out strings.Builder
	for data != "" {
		text, rest, _ := strings.Cut(data, "<")
		out.WriteString(text)
		tag, after, _ := strings.Cut(rest, ">")
		name, _, _ := strings.Cut(strings.ToLower(strings.Trim(tag[:min(len(tag), 40)], "/")), " ")
		switch name = name[strings.IndexByte(name, ':')+1:]; {
		case strings.HasPrefix(name, "!--"):
			_, after, _ = strings.Cut(rest, "-->")
		case tag != "" && tag[0] != '/' && (name == "script" || name == "style"):
			_, after, _ = strings.Cut(rest, "</"+name)
		case strings.Contains(xmlBreaks, " "+name+" ") && (tag[0] == '/' || name == "br" || name == "tab"):
			out.WriteByte('\n')
		}
		data = after
	}
	return html.UnescapeString(out.String())
}

// pdf takes the text out of a PDF document. It reads no fonts: text in an encoding of its
// own is not found.
func (o *opener) pdf(raw []byte) {
	var text, info bytes.Buffer
	objects := raw
	for rest := raw; text.Len() < maxEntry; {
		head, after, ok := bytes.Cut(rest, []byte("stream"))
		if !ok {
			break
		}
		var data []byte
		data, rest, _ = bytes.Cut(after, []byte("endstream"))
		dict := head[max(0, len(head)-1024):]
		if data = bytes.TrimLeft(data, "\r\n"); bytes.Contains(dict, []byte("/FlateDecode")) {
			data, _ = decompress(data)
		}
		if bytes.Contains(dict, []byte("/ObjStm")) && len(objects) < 2*maxEntry {
			objects = append(objects[:len(objects):len(objects)], data...)
		}
		if !bytes.Contains(data, []byte("BT")) {
			continue
		}
		for _, shown := range pattern("pdf-shown").FindAllSubmatch(data, -1) {
			switch {
			case shown[1] != nil:
				text.Write(pdfEscape(shown[1]))
			case shown[0][0] == '-':
				text.WriteByte(' ')
			case shown[2] == nil:
				text.WriteByte('\n')
			}
		}
	}
	for _, m := range pattern("pdf-info").FindAllSubmatch(objects, maxEntries) {
		info.Write(append(pdfEscape(m[1]), '\n'))
	}
	o.form.macros = bytes.Contains(objects, []byte("/JavaScript")) || bytes.Contains(objects, []byte("/Launch"))
	if readable(info.Bytes()) {
		o.add("metadata", "pdf", info.Bytes(), false)
		o.form.opened--
	}
	if readable(text.Bytes()) {
		o.add("text", "pdf", text.Bytes(), false)
	}
}

func pdfEscape(s []byte) []byte {
	escapes := strings.NewReplacer(`\n`, "\n", `\r`, "\n", `\t`, " ", `\(`, "(", `\)`, ")", `\\`, `\`)
	return []byte(escapes.Replace(string(s)))
}
