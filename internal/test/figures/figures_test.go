package main

import "testing"

// TestOneWay checks that the files of a package can be read one after the other: none needs one that needs it.
func TestOneWay(t *testing.T) {
	g, err := load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(g.needs); got < 100 {
		t.Fatalf("read %d files, far too few", got)
	}
	for _, file := range g.circles() {
		t.Errorf("%s needs itself through other files of its package: move what they need below both", file)
	}
}
