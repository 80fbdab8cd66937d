package analysis

import (
	"strings"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// TestDial has a name that resolves to an address that is not allowed.
func TestDial(t *testing.T) {
	for _, allowed := range []string{"localhost", "*"} {
		c, err := newTransport(egress.Hosts{Allowed: []string{allowed}}).DialContext(t.Context(), "tcp", "localhost:1")
		if err == nil {
			_ = c.Close()
		}
		if err == nil || !strings.Contains(explain(err).Error(), "loopback") {
			t.Errorf("%s: got %v", allowed, err)
		}
	}
	transport := newTransport(egress.Hosts{Flag: hostFlag})
	if _, err := transport.DialContext(t.Context(), "tcp", "localhost:1"); err == nil ||
		!strings.Contains(err.Error(), "--analysis-host") {
		t.Errorf("got %v", err)
	}
}
