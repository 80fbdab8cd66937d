package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	file, page := filepath.Join(t.TempDir(), "figures"), filepath.Join(t.TempDir(), "page.md")
	write := func(name, s string) {
		if err := os.WriteFile(name, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, `{"campaign":"Outages","figures":{"hours":3},"findings":1}
{"campaign":"A kill at every call","figures":{"points":1234567,"kinds":15},"findings":0}
`)
	write(page, "before\n"+begin+"old\n"+end+"after\n")
	for range 2 { // A second run changes nothing.
		if err := run([]string{file, page}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + begin + `| Campaign | Figures | Findings |
| --- | --- | --- |
| A kill at every call | 15 kinds, 1,234,567 points | 0 |
| Outages | 3 hours | 1 |
` + end + "after\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	write(page, "no marks\n")
	if err := run([]string{file, page}); err == nil {
		t.Error("a page without marks is to be refused")
	}
}
