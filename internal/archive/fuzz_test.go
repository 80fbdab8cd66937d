package archive

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzZip checks that any files result in the same archive each time, and that it contains them.
func FuzzZip(f *testing.F) {
	f.Add("index.py", "def handler(event, context): pass", "lib/a.py", "")
	f.Add("", "", "a", "b")
	f.Add("../../etc/passwd", "x", "/abs", "y")
	f.Add("dir/", "x", "ü💥", "\x00\xff")
	f.Fuzz(func(t *testing.T, name1, data1, name2, data2 string) {
		files := map[string][]byte{name1: []byte(data1), name2: []byte(data2)}
		b, err := Zip(files)
		if err != nil {
			return
		}
		again, err := Zip(files)
		if err != nil || !bytes.Equal(b, again) || Hash(b) != Hash(again) {
			t.Errorf("another archive of the same files: %v", err)
		}
		if !isZip(b) {
			t.Error("it is no archive")
		}
		r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil || len(r.File) != len(files) {
			t.Fatalf("it has other files: %v", err)
		}
		for _, file := range r.File {
			want, ok := files[file.Name]
			if !ok && utf8.ValidString(file.Name) {
				t.Errorf("it has a file %q", file.Name)
			}
			if got := unpacked(t, file); ok && !bytes.Equal(got, want) {
				t.Errorf("%q has %q", file.Name, got)
			}
		}
	})
}

func unpacked(t *testing.T, file *zip.File) []byte {
	t.Helper()
	if strings.HasSuffix(file.Name, "/") {
		return nil
	}
	r, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // Nothing is written.
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzIsZip checks that isZip does not unpack its input, and needs memory in proportion to the length of the input.
func FuzzIsZip(f *testing.F) {
	for _, files := range []map[string][]byte{
		nil,
		{"a": []byte("b")},
		{"a": nil, "b/c": bytes.Repeat([]byte("x"), 100)},
	} {
		b, err := Zip(files)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(bomb(f))
	f.Add([]byte("PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		// A directory entry has 46 bytes, and less than 1 KB as a zip.File.
		const perByte, atLeast = 64, 1 << 20
		if got := testing.AllocsPerRun(1, func() { isZip(b) }); got > float64(atLeast+perByte*len(b)) {
			t.Errorf("%d bytes take %g allocations", len(b), got)
		}
	})
}

// bomb returns an archive that is 1000 times as long when unpacked.
func bomb(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("bomb")
	if err == nil {
		_, err = f.Write(make([]byte, 1<<20))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
