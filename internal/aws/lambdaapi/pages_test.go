package lambdaapi

import (
	"strings"
	"testing"
)

func TestPages(t *testing.T) {
	var p Pages
	for i := range MostPages {
		if err := p.Next("aliases"); err != nil {
			t.Fatalf("page %d: %v", i+1, err)
		}
	}
	if err := p.Next("aliases"); err == nil ||
		!strings.Contains(err.Error(), "the list of aliases has more than 200 pages") {
		t.Errorf("a list without end comes to one, got %v", err)
	}
}
