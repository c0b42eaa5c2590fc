package document

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/vadehq/vade/internal/audit/decode"
	"github.com/vadehq/vade/internal/audit/signal"
)

// Limits on unpacking: the size of each file and of all files in bytes, the number of bytes charged
// for each file name, the compression ratio, and the nesting depth.
const (
	maxEntry    = 2 << 20
	maxUnpacked = 8 << 20
	entryCost   = 1 << 10
	maxRatio    = 100
	maxArchives = 2
)

// unpacker extracts files from one container.
type unpacker struct {
	d      *reader
	format *format
	file   int
	path   string
	// partial reports whether part of the container was left unread.
	partial bool
}

// open extracts the files in a container.
func (d *reader) open(i int, x *signal.File, f *format) {
	o := unpacker{d: d, format: f, file: i, path: x.Path}
	switch {
	case int64(len(x.Raw)) < x.Size:
		f.reason, f.note = signal.MissedTooLarge, "the archive was only partly read and cannot be opened"
		return
	case x.From != nil && x.From.Depth >= maxArchives:
		f.note = "an archive that is nested too deeply"
		return
	case f.tail == "text":
		o.add("trailing", "trailing", x.Raw[f.tailStart:], false)
	case f.tail == "zip" || f.magic == "zip":
		o.zip(x.Raw)
	case f.magic == "gzip" || f.magic == "bzip2":
		o.compressed(x.Raw)
	case f.magic == "tar":
		o.tar(x.Raw)
	}
	switch {
	case f.tail != "":
	case f.extracted == 0:
		f.note = "no content could be read"
	case f.encrypted:
		f.reason, f.note = signal.MissedPacked, "partly encrypted"
	case o.partial:
		f.note = "only partly read"
	default:
		f.reason = ""
	}
}

// zip opens a zip archive. An Office document is also a zip archive, but zip does not extract its
// files, because nobody reads them individually.
func (o *unpacker) zip(raw []byte) {
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return
	}
	office := o.format.named == Office && o.format.tail == ""
	if office {
		o.format.magic, o.format.class, o.format.reason = "office", Office, signal.MissedOffice
	}
	for _, e := range z.File {
		sealed := e.Flags&1 != 0
		o.format.encrypted = o.format.encrypted || sealed
		o.format.macros = o.format.macros || strings.EqualFold(path.Base(e.Name), "vbaProject.bin")
		if office || sealed || strings.HasSuffix(e.Name, "/") {
			continue
		}
		var data []byte
		err := errors.ErrUnsupported
		if o.remaining() > 0 && e.UncompressedSize64 <= maxRatio*max(e.CompressedSize64, 64) {
			var r io.ReadCloser
			if r, err = e.Open(); err == nil {
				data, err = io.ReadAll(io.LimitReader(r, int64(o.remaining())+1))
			}
		}
		o.partial = o.partial || err != nil
		o.add(e.Name, "zip", data, e.Mode()&0o111 != 0)
	}
}

// compressed decompresses a file. If the result is a tar archive, compressed extracts its files.
func (o *unpacker) compressed(raw []byte) {
	limit := min(o.remaining(), maxRatio*max(len(raw), 64))
	data, how := decode.Inflate(raw, limit+1)
	o.partial = len(data) > limit
	if form, _ := magicOf(data); form == "tar" {
		o.tar(data)
		return
	}
	name := path.Base(o.path)
	if ext := strings.ToLower(path.Ext(name)); ext == ".gz" || ext == ".bz2" {
		name = cmp.Or(name[:len(name)-len(ext)], name)
	}
	o.add(name, how, data, false)
}

// tar opens a tar archive.
func (o *unpacker) tar(raw []byte) {
	in := bytes.NewReader(raw)
	t := tar.NewReader(in)
	for o.remaining() > 0 {
		h, err := t.Next()
		if err != nil {
			// Some programs continue reading after the end-of-archive marker.
			rest, _ := io.ReadAll(in)
			o.partial = o.partial || !errors.Is(err, io.EOF) || len(bytes.Trim(rest, "\x00")) > 0
			return
		}
		if h.Typeflag == tar.TypeReg {
			data, err := io.ReadAll(io.LimitReader(t, maxEntry+1))
			o.partial = o.partial || err != nil
			o.add(h.Name, "tar", data, h.Mode&0o111 != 0)
		} else if h.Typeflag != tar.TypeDir && h.Typeflag != tar.TypeXGlobalHeader {
			o.partial = true
		}
	}
	o.partial = true
}

// remaining returns the maximum size of the next file that is extracted from an archive.
func (o *unpacker) remaining() int { return min(maxEntry, max(maxUnpacked-o.d.unpacked, 0)) }

// add adds a file that was extracted from a container to the package.
func (o *unpacker) add(name, how string, data []byte, exec bool) {
	if len(data) > o.remaining() {
		o.partial = true
		data = data[:o.remaining()]
	}
	o.d.unpacked += len(data) + entryCost
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	name = strings.ToValidUTF8(strings.ReplaceAll(name, "\\", "/"), "\ufffd")
	name = strings.TrimPrefix(path.Clean("/"+strings.ToValidUTF8(name[:min(len(name), 300)], "")), "/")
	x := &signal.File{Path: o.path + "!/" + name, Raw: data, Size: int64(len(data)), Exec: exec}
	x.From = &signal.Packed{Format: how, Depth: 1}
	if from := o.d.set.Package.Files[o.file].From; from != nil {
		x.From.Depth = from.Depth + 1
	}
	o.format.extracted++
	o.d.set.Package.Files = append(o.d.set.Package.Files, x)
}
