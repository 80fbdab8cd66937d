package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorLines(t *testing.T) {
	var shown bytes.Buffer
	e := &errorLines{to: indented{&shown}}
	const failed = `time=2026-11-21T11:39:09.899Z level=ERROR msg="it failed" logger=provider-lambda` + "\n"
	log := "time=2026-11-21T11:39:08.899Z level=DEBUG msg=Reconciling logger=provider-lambda\n" + failed +
		"a stack\n" +
		`time=2026-11-21T11:39:10.899Z level=INFO msg="says level=ERROR" logger=provider-lambda` + "\n"
	for _, b := range []byte(log) { // A log may be read at any point.
		if n, err := e.Write([]byte{b}); n != 1 || err != nil {
			t.Fatalf("Write() = %d, %v", n, err)
		}
	}
	if diff := cmp.Diff("    "+failed, shown.String()); diff != "" {
		t.Errorf("shown of the log: -want, +got:\n%s", diff)
	}
}

func TestTail(t *testing.T) {
	folder := t.TempDir()
	first, second := filepath.Join(folder, "first"), filepath.Join(folder, "second")
	files := []string{first}
	var got bytes.Buffer
	l := &tail{files: func() []string { return files }, to: &got, read: map[string]int64{}}
	poll := func(want string) {
		t.Helper()
		if err := l.poll(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("copied: -want, +got:\n%s", diff)
		}
	}

	poll("") // The file does not exist yet.
	add(t, first, "a")
	poll("a")
	poll("a")
	files = []string{second}
	add(t, second, "b")
	poll("ab")
	add(t, first, "c") // The last lines of a process, after another has replaced it.
	poll("abc")
}

func add(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
