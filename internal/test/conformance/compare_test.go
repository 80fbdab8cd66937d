package conformance

import (
	"testing"
)

// TestRecordingsOfTheDoubleAreEqual compares the recordings of a run at the double with the double.
func TestRecordingsOfTheDoubleAreEqual(t *testing.T) {
	simulate(t, nil, nil, func(t *testing.T, s *simulation) {
		t.Helper()
		if len(s.recordings) < 15 {
			t.Fatalf("only %d scenarios were recorded", len(s.recordings))
		}
		for name, r := range s.recordings {
			exchanges, err := readExchanges(r.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range Compare(name, exchanges) {
				t.Error(d)
			}
		}
	})
}
