package conformance

import (
	"testing"
)

// TestRecordingsOfTheDoubleAreEqual compares the recordings of a run at the double with the double.
func TestRecordingsOfTheDoubleAreEqual(t *testing.T) {
	for name, recording := range fullRun(t).exchanges(t) {
		for _, d := range Compare(name, recording) {
			t.Error(d)
		}
	}
}
