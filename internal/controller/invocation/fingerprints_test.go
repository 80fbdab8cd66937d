package invocation

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestFingerprintsAreRemembered checks that the fingerprint of a Secret's payload is
// cached, and equal to the uncached one.
func TestFingerprintsAreRemembered(t *testing.T) {
	f, p := newFingerprints(), v1beta1.InvocationParameters{FunctionName: ptr.To("f")}
	secret := event{payload: []byte(`{"password":"a"}`), secret: true}
	want, err := fingerprint("u1", p, secret)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 1000 {
		if got, err := f.fingerprint("u1", p, secret); err != nil || got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a thousand looks took %s", took)
	}
	cases := map[string]struct {
		reason string
		uid    string
		p      v1beta1.InvocationParameters
		e      event
	}{
		"Content":  {reason: "The Secret has changed.", uid: "u1", p: p, e: event{payload: []byte(`{"password":"b"}`), secret: true}},
		"Function": {reason: "A change of spec changes the fingerprint.", uid: "u1", p: v1beta1.InvocationParameters{FunctionName: ptr.To("g")}, e: secret},
		"Resource": {reason: "The fingerprint is of another resource.", uid: "u2", p: p, e: secret},
		"Plain":    {reason: "The payload is no longer secret.", uid: "u1", p: p, e: event{payload: secret.payload}},
		"Back":     {reason: "The same input has the same fingerprint again.", uid: "u1", p: p, e: secret},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want, err := fingerprint(tc.uid, tc.p, tc.e)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := f.fingerprint(tc.uid, tc.p, tc.e); err != nil || got != want {
				t.Errorf("%s: got %q, %v, want %q", tc.reason, got, err, want)
			}
		})
	}
}

func TestFingerprintsAreBounded(t *testing.T) {
	f := newFingerprints()
	for i := range maxFingerprints {
		f.last[fmt.Sprint(i)] = fingerprinted{}
	}
	if _, err := f.fingerprint("u1", v1beta1.InvocationParameters{}, event{secret: true}); err != nil || len(f.last) > maxFingerprints {
		t.Errorf("%d are remembered, %v", len(f.last), err)
	}
}
