package layerversion

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRedact checks that inline code, which may contain secrets, is not logged.
func TestRedact(t *testing.T) {
	const secret = "hunter2"
	l := testLayer()
	l.Spec.ForProvider.Content = inline("password = '" + secret + "'")
	shown := l.DeepCopy()
	redact(shown)
	b, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), secret) || len(shown.Spec.ForProvider.Content.Inline) == 0 {
		t.Errorf("want names and no contents, got %s", b)
	}
	shown.Spec.ForProvider.Content = nil
	redact(shown)
}
