package fact

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
	"strconv"
	"strings"
)

// The limits for what is packed in a file: how many files, how many bytes of one and
// of all, and how much larger one may be than what it was packed in.
const (
	maxEntries   = 200
	maxEntry     = 2 << 20
	maxUnpacked  = 8 << 20
	maxRatio     = 100
	maxContainer = 4 << 20
)

// opener takes the files out of one container.
type opener struct {
	f    *Facts
	kind *FileKind
	file int
	left int
	// notes are reasons why something of it was left out.
	packed, rest bool
}

// open takes out what is packed in a file, one level deep.
func (f *Facts) open(file int, k *FileKind) {
	x := f.Package.Files[file]
	if x.From != nil {
		k.Note = "it is packed in an archive itself"
		return
	}
	if int64(len(x.Raw)) < x.Size {
		k.Why, k.Note = MissedTooLarge, "an archive that is not read as a whole can not be opened"
		return
	}
	left := maxUnpacked
	for _, other := range f.Package.Files {
		if other.From != nil && other.From.Container {
			left -= len(other.Raw)
		}
	}
	o := opener{f: f, kind: k, file: file, left: left}
	switch k.Magic {
	case "zip":
		o.zip(x.Raw)
	case "gzip":
		o.gzip(x.Raw)
	case "bzip2":
		o.stream(bzip2.NewReader(bytes.NewReader(x.Raw)), len(x.Raw), ".bz2")
	case "tar":
		o.tar(bytes.NewReader(x.Raw))
		o.rest = o.rest || secondTar(x.Raw)
	}
	if k.Opened == 0 {
		return
	}
	switch {
	case o.packed:
		k.Why, k.Note = MissedPacked, "parts of it are encrypted"
	case o.rest:
		k.Why, k.Note = MissedArchive, "not all of it was looked at"
	default:
		k.Why = ""
	}
}

// zip opens an archive of that form, which documents of offices are too.
func (o *opener) zip(raw []byte) {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		o.kind.Note = "it is not in the form that its first bytes promise"
		return
	}
	office := false
	for _, e := range z.File {
		office = office || e.Name == "[Content_Types].xml" || e.Name == "mimetype"
		o.kind.Sealed = o.kind.Sealed || e.Flags&1 != 0
		o.kind.Macros = o.kind.Macros || strings.EqualFold(path.Base(e.Name), "vbaProject.bin")
	}
	if office {
		o.kind.Magic, o.kind.Class = "office", OfficeForm
		if o.kind.Why == MissedArchive {
			o.kind.Why = MissedOffice
		}
	}
	for i, e := range z.File {
		if i >= maxEntries {
			o.rest = true
			return
		}
		switch {
		case strings.HasSuffix(e.Name, "/"):
			continue
		case e.Flags&1 != 0:
			o.packed = true
			continue
		case office && !officeText(e.Name):
			o.rest = o.rest || !officePart(e.Name)
			continue
		case e.UncompressedSize64 > maxEntry, e.UncompressedSize64 > maxRatio*max(e.CompressedSize64, 64):
			o.rest = true
			continue
		}
		r, err := e.Open()
		if err != nil {
			o.rest = true
			continue
		}
		data, err := io.ReadAll(io.LimitReader(r, int64(min(maxEntry, max(o.left, 0)))+1))
		o.rest = o.rest || err != nil
		_ = r.Close()
		if office {
			data = xmlText(data)
		}
		o.add(e.Name, data, office, e.Mode()&0o111 != 0)
	}
	if office && o.kind.Opened == 0 && !o.packed {
		o.kind.Note = "there is no text in it that is known"
	}
}

// gzip opens one packed file.
func (o *opener) gzip(raw []byte) {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		o.kind.Note = "it is not in the form that its first bytes promise"
		return
	}
	o.stream(z, len(raw), ".gz")
}

// stream takes the one file out of what is only packed, or those of the tar archive
// that it is.
func (o *opener) stream(r io.Reader, packed int, ending string) {
	limit := min(maxUnpacked, max(o.left, 0), maxRatio*max(packed, 64))
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(data) == 0 || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		o.kind.Note = "it is not in the form that its first bytes promise"
		return
	}
	o.rest = err != nil || len(data) > limit
	if magicOf(data) == "tar" {
		o.tar(bytes.NewReader(data))
		o.rest = o.rest || secondTar(data)
		return
	}
	name := path.Base(o.kind.Path)
	if n := len(name) - len(ending); n > 0 && strings.EqualFold(name[n:], ending) {
		name = name[:n]
	}
	o.add(name, data, false, false)
}

// tar opens an archive of that form.
func (o *opener) tar(r io.Reader) {
	t := tar.NewReader(r)
	for n := 0; ; n++ {
		h, err := t.Next()
		if err != nil {
			o.rest = o.rest || !errors.Is(err, io.EOF)
			return
		}
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		if n >= maxEntries || h.Typeflag != tar.TypeReg {
			o.rest = true
			if n >= maxEntries {
				return
			}
			continue
		}
		data, err := io.ReadAll(io.LimitReader(t, maxEntry+1))
		if err != nil {
			o.rest = true
		}
		if strings.HasPrefix(path.Base(h.Name), "._") {
			// What one system keeps beside a file, if it is that.
			o.rest = o.rest || !bytes.HasPrefix(data, []byte("\x00\x05\x16\x07"))
			continue
		}
		o.add(h.Name, data, false, h.Mode&0o111 != 0)
	}
}

// secondTar reports whether something stands behind the mark that ends an archive: some
// programs read on.
func secondTar(data []byte) bool {
	for at := 0; at+512 <= len(data); at += 512 {
		if data[at] == 0 && bytes.Equal(data[at:min(at+1024, len(data))], make([]byte, min(1024, len(data)-at))) {
			return len(bytes.Trim(data[at:], "\x00")) > 0
		}
		if size, err := strconv.ParseInt(strings.Trim(string(data[at+124:at+136]), " \x00"), 8, 64); err == nil && size > 0 && size < int64(len(data)) {
			at += int((size + 511) / 512 * 512)
		}
	}
	return false
}

// officePart reports whether a file in a document is one that such documents have and
// that nobody runs.
func officePart(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".xml", ".rels", ".xhtml", ".html", ".css", ".ncx", ".opf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".emf", ".wmf", ".ttf", ".otf", ".odttf", ".bin", ".vml", ".rdf", ".txt":
		return true
	}
	return strings.HasSuffix(name, "mimetype")
}

// add makes a file of what was packed.
func (o *opener) add(name string, data []byte, office, exec bool) {
	if len(data) > maxEntry || len(data) > o.left {
		o.rest = true
		data = data[:min(len(data), maxEntry, max(o.left, 0))]
	}
	if len(data) == 0 {
		return
	}
	o.left -= len(data)
	how := o.kind.Magic
	x := &File{Path: o.kind.Path + "!/" + cleanName(name), Raw: data, Size: int64(len(data)), Exec: exec, From: &Packed{File: o.file, How: how, Container: true, Depth: 1}}
	if office {
		x.Path += ".txt"
		x.From.Office = true
	}
	o.kind.Opened++
	o.f.Package.Files = append(o.f.Package.Files, x)
}

// cleanName makes a name in an archive one that leads nowhere else.
func cleanName(name string) string {
	name = strings.ToValidUTF8(strings.ReplaceAll(name, "\\", "/"), "\ufffd")
	return strings.TrimPrefix(path.Clean("/"+name[:min(len(name), 300)]), "/")
}

// officeText reports whether a part of a document has text that a reader of it gets.
func officeText(name string) bool {
	name = strings.ToLower(name)
	if !strings.HasSuffix(name, ".xml") && !strings.HasSuffix(name, ".xhtml") && !strings.HasSuffix(name, ".html") {
		return false
	}
	switch base := path.Base(name); {
	case strings.HasPrefix(base, "document"), strings.HasPrefix(base, "sharedstrings"), strings.HasPrefix(base, "slide"), strings.HasPrefix(base, "notesslide"), strings.HasPrefix(base, "sheet"),
		strings.HasPrefix(base, "comments"), strings.HasPrefix(base, "footnotes"), strings.HasPrefix(base, "endnotes"), strings.HasPrefix(base, "header"), strings.HasPrefix(base, "footer"),
		base == "content.xml", base == "core.xml", base == "custom.xml", strings.HasSuffix(base, "html"):
		return !strings.Contains(name, "slidelayout") && !strings.Contains(name, "slidemaster") && !strings.Contains(name, "/theme/")
	}
	return false
}

// xmlText is the text of a part of a document, each paragraph on a line of its own.
func xmlText(data []byte) []byte {
	var out bytes.Buffer
	for len(data) > 0 {
		open := bytes.IndexByte(data, '<')
		if open < 0 {
			open = len(data)
		}
		out.WriteString(html.UnescapeString(string(data[:open])))
		data = data[open:]
		end := bytes.IndexByte(data, '>')
		if end < 0 {
			break
		}
		tag := string(data[1:end])
		data = data[end+1:]
		word, _, _ := strings.Cut(strings.Trim(tag, "/"), " ")
		word = word[strings.IndexByte(word, ':')+1:]
		switch word {
		case "p", "si", "row", "h", "li", "tr", "comment", "h1", "h2", "h3", "div":
			if tag != "" && tag[0] == '/' {
				out.WriteByte('\n')
			}
		case "tab", "br":
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}
