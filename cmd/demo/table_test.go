package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// function returns a Function that is Ready and Synced, in a phase.
func function(name, phase string) *v1beta1.Function {
	f := &v1beta1.Function{ObjectMeta: metav1.ObjectMeta{Name: name}}
	f.SetConditions(xpv2.Available(), xpv2.ReconcileSuccess())
	f.Status.Phase = phase
	return f
}

// TestTable shows two functions in two steps: one changes in the second step, and the other is deleted.
func TestTable(t *testing.T) {
	header := "    AFTER  KIND                NAME              READY    SYNCED   STATE      EXTERNAL-NAME\n"
	want := header +
		"    0s     Function            one               True     True     Creating   \n" +
		"    0s     Function            two               True     True     Available  \n" +
		"    1s     Function            one               True     True     Available  \n" +
		header +
		"    300ms  Function            one               True     True     Updating   \n" +
		"    1s     Function            two                                 deleted\n"
	var out bytes.Buffer
	table, two := &table{out: &out}, function("two", "Available")
	table.show(resources{function("one", "Creating"), two}, 0)
	table.show(resources{function("one", "Available"), two}, time.Second)
	table.begin()
	table.show(resources{function("one", "Available"), two}, 0)
	table.show(resources{function("one", "Updating"), two}, 300*time.Millisecond)
	table.show(resources{function("one", "Updating")}, time.Second)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestFails(t *testing.T) {
	cases := map[string]struct {
		reason string
		code   string
		want   bool
	}{
		"Returns": {reason: "Code that only returns succeeds.", code: "def handler(event, context):\n    return 1\n"},
		"Raises": {
			reason: "Python raises.",
			code:   "def handler(event, context):\n    raise Exception(1)\n",
			want:   true,
		},
		"Throws":  {reason: "JavaScript throws.", code: "throw new Error()", want: true},
		"Comment": {reason: "A comment does nothing.", code: "# raise\ndef handler(event, context): pass\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := function("one", "Available")
			f.Spec.ForProvider.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index": tc.code}}
			if got := fails(f); got != tc.want {
				t.Errorf("%s fails() = %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}
