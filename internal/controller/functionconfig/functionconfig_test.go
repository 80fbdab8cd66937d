package functionconfig

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

func TestName(t *testing.T) {
	written := func(name string) func(*samples.Sample) {
		return func(mg *samples.Sample) { meta.AddAnnotations(mg, ownership.Name(mg, name)) }
	}
	given := func(name string) func(*samples.Sample) {
		return func(mg *samples.Sample) { meta.SetExternalName(mg, name) }
	}
	pending := func(name string) func(*samples.Sample) {
		return func(mg *samples.Sample) {
			meta.AddAnnotations(mg, map[string]string{v1beta1.AnnotationParent: name})
		}
	}
	unanswered := func(name string) func(*samples.Sample) {
		return func(mg *samples.Sample) {
			pending(name)(mg)
			meta.SetExternalCreatePending(mg, time.Unix(1, 0))
		}
	}
	deleted := func(mg *samples.Sample) { mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }
	cart, live := ptr.To("cart"), ptr.To("live")
	cases := map[string]struct {
		reason string
		edit   []func(*samples.Sample)
		target Target
		want   string
		exists bool
		err    string
	}{
		"Spec": {
			reason: "Spec names the target.",
			target: Target{Function: cart, Qualifier: live, Default: functionname.Latest},
			want:   "cart:live",
			exists: true,
		},
		"Default": {
			reason: "No qualifier is the function itself.",
			target: Target{Function: cart, Default: functionname.Latest},
			want:   "cart:$LATEST",
			exists: true,
		},
		"NoDefault": {
			reason: "Where that has no name, it has none.",
			target: Target{Function: cart},
			want:   "cart",
			exists: true,
		},
		"Nothing": {reason: "The function is not named anywhere.", err: "set spec.forProvider.functionName"},
		"Given": {
			reason: "The external name of an import names the target.",
			edit:   []func(*samples.Sample){given("cart:live")},
			want:   "cart:live",
			exists: true,
		},
		"GivenDefault": {
			reason: "An import may leave the qualifier out.",
			edit:   []func(*samples.Sample){given("cart")},
			target: Target{Default: functionname.Latest},
			want:   "cart:$LATEST",
			exists: true,
		},
		"GivenWrong": {
			reason: "A name has a form.",
			edit:   []func(*samples.Sample){given("a:b:c")},
			err:    `is "a:b:c", which is not of the form function:qualifier`,
		},
		"Agreed": {
			reason: "Both say the same.",
			edit:   []func(*samples.Sample){written("cart:live")},
			target: Target{Function: cart, Qualifier: live},
			want:   "cart:live",
			exists: true,
		},
		"Moved": {
			reason: "What was made for one function would be left behind.",
			edit:   []func(*samples.Sample){written("basket:live")},
			target: Target{Function: cart, Qualifier: live},
			err:    `spec or the external name was changed from "basket:live" to "cart:live", which would leave "basket:live" behind`,
		},
		"MovedRefused": {
			reason: "What AWS has refused to make is not left behind.",
			edit:   []func(*samples.Sample){pending("basket:live")},
			target: Target{Function: cart, Qualifier: live},
			want:   "cart:live",
			exists: true,
		},
		"MovedUnanswered": {
			reason: "What may have been made for one function would be left behind.",
			edit:   []func(*samples.Sample){unanswered("basket:live")},
			target: Target{Function: cart, Qualifier: live},
			err:    `spec or the external name was changed from "basket:live" to "cart:live", which would leave "basket:live" behind`,
		},
		"Unanswered": {
			reason: "It is looked for, and created again.",
			edit:   []func(*samples.Sample){unanswered("cart:live")},
			target: Target{Function: cart, Qualifier: live},
			want:   "cart:live",
			exists: true,
		},
		"DeletedUnanswered": {
			reason: "What may have been made goes, whatever spec names now.",
			edit:   []func(*samples.Sample){unanswered("basket:live"), deleted},
			target: Target{Function: cart, Qualifier: live},
			want:   "basket:live",
			exists: true,
		},
		"Deleted": {
			reason: "References may be gone by then.",
			edit:   []func(*samples.Sample){written("cart:live"), deleted},
			want:   "cart:live",
			exists: true,
		},
		"DeletedMoved": {
			reason: "What was made is what goes.",
			edit:   []func(*samples.Sample){written("basket:live"), deleted},
			target: Target{Function: cart, Qualifier: live},
			want:   "basket:live",
			exists: true,
		},
		"DeletedGiven": {
			reason: "A configuration that was never owned, and that spec does not name, is not deleted.",
			edit:   []func(*samples.Sample){given("basket:live"), deleted},
			target: Target{Function: cart},
			want:   "basket:live",
		},
		"DeletedQualifier": {
			reason: "Nor is that of another qualifier.",
			edit:   []func(*samples.Sample){given("cart:canary"), deleted},
			target: Target{Function: cart, Qualifier: live},
			want:   "cart:canary",
		},
		"DeletedDefault": {
			reason: "Nor is that of a qualifier if spec names none.",
			edit:   []func(*samples.Sample){given("cart:canary"), deleted},
			target: Target{Function: cart, Default: functionname.Latest},
			want:   "cart:canary",
		},
		"DeletedImport": {
			reason: "A configuration that spec names is.",
			edit:   []func(*samples.Sample){given("cart"), deleted},
			target: Target{Function: cart, Default: functionname.Latest},
			want:   "cart:$LATEST",
			exists: true,
		},
		"DeletedUnmade": {
			reason: "What was never made is not deleted.",
			edit:   []func(*samples.Sample){deleted},
			target: Target{Function: cart},
		},
		"DeletedPending": {
			reason: "What may have been made is looked for.",
			edit:   []func(*samples.Sample){pending("cart:live"), deleted},
			want:   "cart:live",
			exists: true,
		},
		"DeletedPendingOfAlias": {
			reason: "The alias may be gone by then.",
			edit:   []func(*samples.Sample){pending("cart:live"), deleted},
			target: Target{Function: cart},
			want:   "cart:live",
			exists: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &samples.Sample{ObjectMeta: metav1.ObjectMeta{UID: "u1"}}
			for _, edit := range tc.edit {
				edit(mg)
			}
			got, exists, err := tc.target.Name(mg)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\ngot %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil || got.String() != tc.want || exists != tc.exists {
				t.Errorf("%s\ngot %s, %t, %v, want %s, %t", tc.reason, got, exists, err, tc.want, tc.exists)
			}
		})
	}
}
