package lambdaapi

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
)

func TestAbsent(t *testing.T) {
	cases := map[string]struct {
		reason    string
		got, want *string
	}{
		"Nil":       {reason: "What AWS leaves out is absent.", got: NonEmpty(nil)},
		"Empty":     {reason: "An empty string counts as absent.", got: NonEmpty(ptr.To(""))},
		"There":     {reason: "The rest is as it is.", got: NonEmpty(ptr.To("x")), want: ptr.To("x")},
		"NoText":    {reason: "An empty text is absent.", got: Text("")},
		"NoEnum":    {reason: "An enum that AWS leaves out is absent.", got: Text(types.State(""))},
		"EnumThere": {reason: "An enum is its text.", got: Text(types.StateActive), want: ptr.To("Active")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("%s\n-want +got: %s", tc.reason, diff)
			}
		})
	}
}

// TestModified has the forms of AWS and of emulators.
func TestModified(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678000000, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-02T03:04:05.678+0000": at, "2026-01-02T03:04:05.678000+0000": at, "2026-01-02T03:04:05.678Z": at,
		"2026-01-02T03:04:05+0000": at.Truncate(time.Second), "yesterday": {}, "": {},
	} {
		if got := Modified(&text); !got.Equal(want) {
			t.Errorf("Modified(%q) = %v, want %v", text, got, want)
		}
	}
	if got := Modified(nil); !got.IsZero() {
		t.Errorf("Modified(nil) = %v", got)
	}
}

func TestDecimal(t *testing.T) {
	for f, want := range map[float64]string{2.0: "2", 0.25: "0.25", 70.5: "70.5"} {
		if got := Decimal(f); got != want {
			t.Errorf("Decimal(%v) = %q, want %q", f, got, want)
		}
	}
}
