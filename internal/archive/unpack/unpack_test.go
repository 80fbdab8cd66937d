package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// section returns an archive as a file has it.
func section(archive []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(archive), 0, int64(len(archive)))
}

// packed packs entries as a .tar.gz. The bodies are those of the headers' sizes, unless there is one in bodies.
func packed(t testing.TB, bodies map[string]string, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range headers {
		body := bodies[path.Clean(h.Name)]
		if h.Typeflag == tar.TypeReg && h.Size == 0 {
			h.Size = int64(len(body))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if body == "" && h.Size > 0 {
			if _, err := io.CopyN(w, zeros{}, h.Size); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gnuSparse returns a .tar with one file of 8 zeros and a text, as GNU tar --sparse packs it.
func gnuSparse(t testing.TB, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(
		&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: 0o644, Format: tar.FormatGNU},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h := b.Bytes()[:512]
	h[156] = tar.TypeGNUSparse
	copy(h[386:], fmt.Sprintf("%011o\x00%011o\x00", 8, len(text))) // The offset and length of the text.
	copy(h[483:], fmt.Sprintf("%011o\x00", 8+len(text)))           // The size of the file.
	copy(h[148:156], "        ")
	sum := 0
	for _, c := range h {
		sum += int(c)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func regular(name string, mode int64) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}
}

func link(flag byte, name, target string) tar.Header {
	return tar.Header{Typeflag: flag, Name: name, Linkname: target, Mode: 0o777}
}

func unpacked(t testing.TB, archive []byte, at string) ([]byte, error) {
	t.Helper()
	var out bytes.Buffer
	err := Zip(t.Context(), &out, section(archive), at, t.TempDir())
	return out.Bytes(), err
}

// contents returns the files of a .zip, with their modes.
func contents(t testing.TB, b []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range r.File {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name] = f.Mode().String() + " " + string(text)
	}
	return got
}

func zipOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, body := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestZip(t *testing.T) {
	inner := zipOf(t, map[string]string{"index.py": "inner"})
	bodies := map[string]string{
		"app/index.py": "1",
		"app/bin/run":  "2",
		"app/lib/a":    "3",
		"other/x":      "4",
		"app/x.zip":    string(inner),
	}
	repo := packed(t, bodies,
		tar.Header{Typeflag: tar.TypeDir, Name: "app/", Mode: 0o750}, regular("app/index.py", 0o600),
		regular("app/bin/run", 0o700), regular("./app/lib/a", 0o644), link(tar.TypeSymlink, "app/lib/b", "../index.py"),
		link(tar.TypeLink, "app/copy.py", "app/index.py"), regular("other/x", 0o600))
	cases := map[string]struct {
		reason  string
		archive []byte
		at      string
		want    map[string]string
	}{
		"Sparse": {
			reason:  "A file with holes is a file.",
			archive: gnuSparse(t, "data.bin", "end"), want: map[string]string{
				"data.bin": "-rw-r--r-- " + strings.Repeat("\x00", 8) + "end",
			},
		},
		"Folder": {
			reason: "A folder is deployed with modes that Lambda can read, and links that stay inside.", archive: repo,
			at: "./app", want: map[string]string{
				"index.py": "-rw-r--r-- 1", "bin/run": "-rwxr-xr-x 2", "lib/a": "-rw-r--r-- 3",
				"lib/b": "Lrwxrwxrwx ../index.py", "copy.py": "-rw-r--r-- 1",
			},
		},
		"Whole": {
			reason:  "Without a path, all of the archive is deployed.",
			archive: packed(t, map[string]string{"a": "1"}, regular("a", 0o600)),
			want:    map[string]string{"a": "-rw-r--r-- 1"},
		},
		"GitArchive": {
			reason: "The header in which git archive names the commit is no file.",
			archive: packed(t, map[string]string{"a": "1"}, tar.Header{
				Typeflag:   tar.TypeXGlobalHeader,
				Name:       "pax_global_header",
				PAXRecords: map[string]string{"comment": "abc"},
			}, regular("a", 0o600)),
			want: map[string]string{"a": "-rw-r--r-- 1"},
		},
		"ZipFile": {
			reason: "A .zip file in the archive is deployed as it is.", at: "app/x.zip",
			archive: packed(t, bodies, regular("app/x.zip", 0o600)),
			want:    map[string]string{"index.py": "-rw-rw-rw- inner"},
		},
		"Zip": {
			reason: "An archive that is a .zip is deployed as it is.", archive: inner,
			want: map[string]string{"index.py": "-rw-rw-rw- inner"},
		},
		"NamesElsewhere": {
			reason: "Files beside the folder may have any name that stays in the archive, such as that of a unit of systemd, " +
				"or in Latin-1.", at: "app",
			archive: packed(t, bodies, regular(`units/a\x2db.mount`, 0o600), regular("\xe9", 0o600),
				regular("app/lib/a", 0o600)),
			want: map[string]string{"lib/a": "-rw-r--r-- 3"},
		},
		"FolderOfZip": {
			reason:  "A folder of a .zip is packed again.",
			archive: zipOf(t, map[string]string{"app/a": "1", "b": "2"}),
			at:      "app/",
			want:    map[string]string{"a": "-rw-r--r-- 1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := unpacked(t, tc.archive, tc.at)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, contents(t, got)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSameBytes checks that the same files result in the same archive, whatever their order, times and owners.
func TestSameBytes(t *testing.T) {
	bodies := map[string]string{"a": "1", "b/c": "2"}
	later := regular("a", 0o640)
	later.ModTime, later.Uid, later.Uname = time.Unix(1_700_000_000, 0), 7, "me"
	one, err := unpacked(t, packed(t, bodies, regular("a", 0o600), regular("b/c", 0o600)), "")
	if err != nil {
		t.Fatal(err)
	}
	two, err := unpacked(
		t,
		packed(t, bodies, regular("./b/c", 0o644), later, tar.Header{Typeflag: tar.TypeDir, Name: "empty/"}),
		"",
	)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Errorf("the same files must always give the same archive: %x, %x", one, two)
	}
}

func TestRefused(t *testing.T) {
	many := make([]tar.Header, maxEntries+1)
	for i := range many {
		many[i] = tar.Header{Typeflag: tar.TypeDir, Name: "d/"}
	}
	big := regular("big", 0o600)
	big.Size = maxUnpacked + 1
	half := regular("half", 0o600)
	half.Size = maxUnpacked/2 + 1
	directory := map[string]string{}
	for range 1 {
		for i := range 60_000 {
			directory[strings.Repeat("x", 200)+string(rune('a'+i%26))+time.Duration(i).String()] = ""
		}
	}
	one := map[string]string{"a": "1"}
	cases := map[string]struct {
		reason  string
		archive []byte
		at      string
		want    string
	}{
		"Traversal": {
			reason:  "No name leaves the folder.",
			archive: packed(t, nil, regular("a/../../b", 0o600)),
			want:    "leaves its folder",
		},
		"TraversalElsewhere": {
			reason: "A hostile name refuses the archive, even beside the folder.", at: "app",
			archive: packed(t, nil, regular("../b", 0o600), regular("app/a", 0o600)), want: "leaves its folder",
		},
		"Absolute": {
			reason:  "No name is absolute.",
			archive: packed(t, nil, regular("/etc/passwd", 0o600)),
			want:    "absolute name",
		},
		"Backslash": {
			reason:  "A backslash is a separator elsewhere.",
			archive: packed(t, nil, regular(`..\b`, 0o600)),
			want:    "without backslashes",
		},
		"BackslashInZip": {
			reason: "Nor in a .zip that is deployed as it is.", archive: zipOf(t, map[string]string{`a\b`: "1"}),
			want: "without backslashes",
		},
		"Latin1": {
			reason:  "The names of a .zip are UTF-8.",
			archive: packed(t, nil, regular("\xe9", 0o600)), want: "must be UTF-8",
		},
		"LinkOut": {
			reason: "No link leaves the folder.",
			at:     "app",
			archive: packed(
				t,
				one,
				regular("a", 0o600),
				link(tar.TypeSymlink, "app/l", "../a"),
			),
			want: "outside of its folder",
		},
		"LinkAbsolute": {
			reason:  "No link is absolute.",
			archive: packed(t, nil, link(tar.TypeSymlink, "l", "/etc/passwd")),
			want:    "outside of its folder",
		},
		"LinkByLink": {
			reason:  "No link leaves the folder by another one.",
			archive: packed(t, nil, link(tar.TypeSymlink, "d/up", ".."), link(tar.TypeSymlink, "l", "d/up/../x")),
			want:    "only be at its start",
		},
		"ThroughLink": {
			reason: "No file is written through a link.", want: "not a folder",
			archive: packed(t, map[string]string{"l/a": "1"}, link(tar.TypeSymlink, "l", "d"), regular("l/a", 0o600)),
		},
		"HardLinkOut": {
			reason: "A hard link shares only a file of the folder.", at: "app", want: "no earlier file of the folder",
			archive: packed(t, one, regular("a", 0o600), link(tar.TypeLink, "app/l", "a")),
		},
		"HardLinkOutToNamesake": {
			reason: "A file of the folder is not taken for one of the same name at the top.", at: "app",
			want:    "no earlier file of the folder",
			archive: packed(t, one, regular("a", 0o600), regular("app/a", 0o600), link(tar.TypeLink, "app/l", "a")),
		},
		"HardLinkBomb": {
			reason: "Each hard link counts as a file.", want: "more than 250 MB",
			archive: packed(t, nil, half, link(tar.TypeLink, "again", "half")),
		},
		"Device": {
			reason:  "Devices are refused.",
			archive: packed(t, nil, link(tar.TypeChar, "dev", "")),
			want:    "neither a file",
		},
		"Fifo": {
			reason:  "Pipes are refused.",
			archive: packed(t, nil, link(tar.TypeFifo, "pipe", "")),
			want:    "neither a file",
		},
		"Twice": {
			reason:  "A name has one content.",
			archive: packed(t, one, regular("a", 0o600), regular("./a", 0o600)),
			want:    "twice",
		},
		"TwiceAtPath": {
			reason: "The file at the path has one content too, or an archive of copies would fill the disk.",
			archive: packed(
				t,
				map[string]string{"a.zip": string(zipOf(t, one))},
				regular("a.zip", 0o600),
				regular("./a.zip", 0o600),
			),
			at:   "a.zip",
			want: "twice",
		},
		"TarBomb": {
			reason:  "A file that is too large is not unpacked.",
			archive: packed(t, nil, big),
			want:    "more than 250 MB",
		},
		"ZipBomb": {
			reason: "A .zip that is too large is not deployed.", want: "more than 250 MB",
			archive: zipOf(t, map[string]string{"a": strings.Repeat("\x00", maxUnpacked+1)}),
		},
		"ZipBombInside": {
			reason: "A folder of a .zip is unpacked to the limit only.", at: "a", want: "more than 250 MB",
			archive: zipOf(t, map[string]string{"a/b": strings.Repeat("\x00", maxUnpacked+1)}),
		},
		"ZipDirectory": {
			reason:  "The directory of a .zip has a limit.",
			archive: zipOf(t, directory),
			want:    "larger than 12 MB",
		},
		"Entries": {
			reason:  "There are not too many entries.",
			archive: packed(t, nil, many...),
			want:    "too many entries",
		},
		"Truncated": {
			reason:  "A part of an archive is none.",
			archive: packed(t, one, regular("a", 0o600))[:40],
			want:    "not a valid",
		},
		"NoArchive": {reason: "Anything else is no archive.", archive: []byte("<html></html>"), want: "not a valid"},
		"Empty":     {reason: "Nothing is no archive.", want: "has no files"},
		"NoFolder": {
			reason:  "The error of a wrong path names what is there.",
			archive: packed(t, one, regular("a", 0o600)),
			at:      "b",
			want:    `no files in "b": at its top are ["a"]`,
		},
		"File": {
			reason:  "A file is not a folder.",
			archive: packed(t, one, regular("a", 0o600)),
			at:      "a",
			want:    `"a" is a file`,
		},
		"BadPath": {
			reason:  "The path of the user stays inside too.",
			archive: packed(t, one, regular("a", 0o600)),
			at:      "../a",
			want:    "must be relative",
		},
		"NotAZip": {
			reason:  "A .zip file has to be one.",
			archive: packed(t, map[string]string{"a.zip": "text"}, regular("a.zip", 0o600)),
			at:      "a.zip",
			want:    "not a valid .zip",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := unpacked(t, tc.archive, tc.at)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant %q, got %v, %d bytes", tc.reason, tc.want, err, len(got))
			}
		})
	}
}

// TestEnds checks that a context that is done ends the work.
func TestEnds(t *testing.T) {
	archive := packed(t, map[string]string{"a": "1"}, regular("a", 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Zip(ctx, io.Discard, section(archive), "", t.TempDir())
	if err == nil {
		t.Error("want the context's error")
	}
}

// TestNoTemporaryFolder checks that the error of a read-only file system says what to do.
func TestNoTemporaryFolder(t *testing.T) {
	archive := packed(t, map[string]string{"a": "1"}, regular("a", 0o600))
	err := Zip(t.Context(), io.Discard, section(archive), "",
		path.Join(t.TempDir(), "missing"))
	if err == nil || !strings.Contains(err.Error(), "give the provider's pod a writable folder") {
		t.Errorf("got %v", err)
	}
}

// TestTemporaryFileHasNoName checks that a provider that is killed while it packs leaves no file behind.
func TestTemporaryFileHasNoName(t *testing.T) {
	archive, dir := packed(t, map[string]string{"a": "1"}, regular("a", 0o600)), t.TempDir()
	list := writerFunc(func(p []byte) (int, error) {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("got %v, %v", left, err)
		}
		return len(p), nil
	})
	if err := Zip(t.Context(), list, section(archive), "", dir); err != nil {
		t.Error(err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestHostile makes random archives of hostile parts. What is accepted has only safe files, and all that it should
// have.
func TestHostile(t *testing.T) {
	const archives = 10_000
	accepted, random := 0, rand.New(rand.NewPCG(1, 2)) //nolint:gosec // A test.
	for range archives {
		archive, at := hostile(t, random)
		out, err := unpacked(t, archive, at)
		if err != nil {
			continue
		}
		accepted++
		checkSafe(t, out)
	}
	if accepted == 0 || accepted == archives {
		t.Errorf("%d of %d archives are accepted: the generator is wrong", accepted, archives)
	}
	t.Logf("%d of %d archives are accepted", accepted, archives)
}

// hostile returns a random archive, and a path in it.
func hostile(t testing.TB, r *rand.Rand) (archive []byte, at string) {
	t.Helper()
	names := []string{
		"a",
		"a/b",
		"a/b/c",
		"./a",
		"a//b",
		"b",
		"../a",
		"a/../b",
		"/a",
		`a\b`,
		"..",
		"a/..",
		".",
		"...",
		"\xff",
		strings.Repeat("n/", 300) + "n",
	}
	targets := []string{"a", "b", "../b", "../../b", "/a", "a/../../b", "", ".", "..", "b/c", "a/b"}
	flags := []byte{
		tar.TypeReg,
		tar.TypeReg,
		tar.TypeReg,
		tar.TypeSymlink,
		tar.TypeLink,
		tar.TypeDir,
		tar.TypeFifo,
		tar.TypeBlock,
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for range 1 + r.IntN(4) {
		h := tar.Header{Name: names[r.IntN(len(names))], Typeflag: flags[r.IntN(len(flags))], Mode: r.Int64N(0o10000)}
		if r.IntN(8) > 0 {
			h.Name = names[r.IntN(6)]
		}
		switch h.Typeflag {
		case tar.TypeSymlink, tar.TypeLink:
			h.Linkname = targets[r.IntN(len(targets))]
		case tar.TypeReg:
			h.Size = int64(r.IntN(3))
		}
		if err := w.WriteHeader(&h); err != nil {
			continue
		}
		_, _ = w.Write(make([]byte, h.Size))
	}
	_ = w.Close()
	archive = b.Bytes()
	if r.IntN(4) == 0 {
		for range 1 + r.IntN(3) {
			archive[r.IntN(len(archive))] = byte(r.IntN(256)) //nolint:gosec // A test.
		}
	}
	if r.IntN(4) == 0 {
		archive = archive[:r.IntN(len(archive))]
	}
	return archive, []string{"", "a", "a/b", "b"}[r.IntN(4)]
}

func checkSafe(t testing.TB, archive []byte) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(r.File) == 0 {
		t.Fatalf("an archive that is accepted has no files: %v", err)
	}
	kinds := map[string]fs.FileMode{}
	for _, f := range r.File {
		if _, twice := kinds[f.Name]; twice || !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`) {
			t.Fatalf("%q is accepted", f.Name)
		}
		kinds[f.Name] = f.Mode().Type()
		if f.Mode()&^(fs.ModeSymlink|0o777) != 0 {
			t.Fatalf("%q is accepted with mode %v", f.Name, f.Mode())
		}
		if f.Mode().Type() != fs.ModeSymlink {
			continue
		}
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		target, _ := io.ReadAll(body)
		if to := path.Join(
			path.Dir(f.Name),
			string(target),
		); path.IsAbs(string(target)) ||
			to != "." && !fs.ValidPath(to) {
			t.Fatalf("link %q to %q is accepted", f.Name, target)
		}
	}
	for name := range kinds {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, ok := kinds[dir]; ok {
				t.Fatalf("%q is accepted below %q", name, dir)
			}
		}
	}
}

// FuzzZip checks that no bytes make Zip panic or write what is not safe.
func FuzzZip(f *testing.F) {
	f.Add(
		packed(f, map[string]string{"app/a": "1"}, regular("app/a", 0o600), link(tar.TypeSymlink, "app/l", "a")),
		"app",
	)
	f.Add(zipOf(f, map[string]string{"app/a": "1"}), "app")
	f.Fuzz(func(t *testing.T, archive []byte, at string) {
		out, err := unpacked(t, archive, at)
		if err == nil && at != "" && !strings.HasSuffix(at, ".zip") && path.Clean(at) != "." {
			checkSafe(t, out)
		}
	})
}
