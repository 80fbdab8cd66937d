package functionconfig

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
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
		"Spec":         {reason: "Spec names the target.", target: Target{Function: cart, Qualifier: live, Default: functionname.Latest}, want: "cart:live", exists: true},
		"Default":      {reason: "No qualifier is the function itself.", target: Target{Function: cart, Default: functionname.Latest}, want: "cart:$LATEST", exists: true},
		"NoDefault":    {reason: "Where that has no name, it has none.", target: Target{Function: cart}, want: "cart", exists: true},
		"Nothing":      {reason: "The function is not named anywhere.", err: "set spec.forProvider.functionName"},
		"Given":        {reason: "The external name of an import names the target.", edit: []func(*samples.Sample){given("cart:live")}, want: "cart:live", exists: true},
		"GivenDefault": {reason: "An import may leave the qualifier out.", edit: []func(*samples.Sample){given("cart")}, target: Target{Default: functionname.Latest}, want: "cart:$LATEST", exists: true},
		"GivenWrong":   {reason: "A name has a form.", edit: []func(*samples.Sample){given("a:b:c")}, err: `is "a:b:c", which is not of the form function:qualifier`},
		"Agreed":       {reason: "Both say the same.", edit: []func(*samples.Sample){written("cart:live")}, target: Target{Function: cart, Qualifier: live}, want: "cart:live", exists: true},
		"Moved": {
			reason: "What was made for one function would be left behind.",
			edit:   []func(*samples.Sample){written("basket:live")}, target: Target{Function: cart, Qualifier: live},
			err: `spec or the external name was changed from "basket:live" to "cart:live", which would leave "basket:live" behind`,
		},
		"Deleted":        {reason: "References may be gone by then.", edit: []func(*samples.Sample){written("cart:live"), deleted}, want: "cart:live", exists: true},
		"DeletedMoved":   {reason: "What was made is what goes.", edit: []func(*samples.Sample){written("basket:live"), deleted}, target: Target{Function: cart, Qualifier: live}, want: "basket:live", exists: true},
		"DeletedGiven":   {reason: "A configuration that was never owned, and that spec does not name, is not deleted.", edit: []func(*samples.Sample){given("basket:live"), deleted}, target: Target{Function: cart}, want: "basket:live"},
		"DeletedUnmade":  {reason: "What was never made is not deleted.", edit: []func(*samples.Sample){deleted}, target: Target{Function: cart}},
		"DeletedPending": {reason: "What may have been made is looked for.", edit: []func(*samples.Sample){pending("cart:live"), deleted}, want: "cart:live", exists: true},
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

func TestReads(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*samples.Sample)
		want   int
	}{
		"New":     {"Its creation will follow.", func(*samples.Sample) {}, 2},
		"Made":    {"It was made.", func(mg *samples.Sample) { meta.AddAnnotations(mg, ownership.Name(mg, "cart")) }, 1},
		"Deleted": {"Nothing will be made.", func(mg *samples.Sample) { mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, 1},
		"ObserveOnly": {"Nothing may be made.", func(mg *samples.Sample) {
			mg.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
		}, 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &samples.Sample{ObjectMeta: metav1.ObjectMeta{UID: "u1"}}
			tc.edit(mg)
			if got := Reads(mg, "List", "Create"); len(got) != tc.want || got[0] != "List" {
				t.Errorf("%s\ngot %v", tc.reason, got)
			}
		})
	}
}

// TestListWithoutEnd checks a list in which each page names a next one.
func TestListWithoutEnd(t *testing.T) {
	calls := 0
	r := &Reader[string]{Cache: &readcache.Cache{}, Operation: "ListThings", ARN: func(s string) *string { return &s }}
	r.Page = func(context.Context, string, *string) ([]string, *string, error) {
		calls++
		return []string{"arn"}, ptr.To("next"), nil
	}
	n, _ := functionname.Parse("cart")
	if _, _, err := r.Read(t.Context(), reconcile.Facts{}, &samples.Sample{}, n); err == nil || calls > lambdaapi.MostPages+1 {
		t.Errorf("%d pages were read, %v", calls, err)
	}
}

// pages returns two pages of ARNs of the function cart.
type pages struct {
	calls []string
	err   error
}

func (p *pages) page(_ context.Context, function string, marker *string) ([]string, *string, error) {
	p.calls = append(p.calls, function+"@"+ptr.Deref(marker, ""))
	const arn = "arn:aws:lambda:eu-central-1:123456789012:function:cart"
	if marker == nil {
		return []string{arn, arn + ":one"}, ptr.To("2"), p.err
	}
	return []string{arn + ":live"}, nil, p.err
}

func (p *pages) reader() *Reader[string] {
	return &Reader[string]{Cache: &readcache.Cache{}, Operation: "ListThings", Page: p.page, ARN: func(s string) *string { return &s }}
}

func TestReader(t *testing.T) {
	now := time.Unix(100, 0)
	var reserved []string
	f := reconcile.Facts{Fresh: readcache.Freshness{Now: now, Since: now}, ReserveFn: func(ops ...string) time.Duration {
		reserved = append(reserved, ops...)
		return 0
	}}
	p := &pages{}
	r := p.reader()
	for text, want := range map[string]bool{"cart": true, "cart:live": true, "cart:other": false} {
		n, _ := functionname.Parse(text)
		if _, exists, err := r.Read(t.Context(), f, &samples.Sample{}, n); exists != want || err != nil {
			t.Errorf("%s: exists %t, %v, want %t", text, exists, err, want)
		}
	}
	if len(p.calls) != 2 || p.calls[1] != "cart@2" {
		t.Errorf("calls %v, want all pages once for all names", p.calls)
	}
	if len(reserved) != 1 || reserved[0] != "ListThings" {
		t.Errorf("reserved %v, want the second page", reserved)
	}
	r.Forget(functionname.Name{Function: "cart", Qualifier: "one"})
	if _, _, err := r.Read(t.Context(), f, &samples.Sample{}, functionname.Name{Function: "cart"}); err != nil || len(p.calls) != 4 {
		t.Errorf("calls %v, %v, want them anew after a change", p.calls, err)
	}
}

// TestReaderAsksForOne checks that the single configuration is read if the list may be
// incomplete.
func TestReaderAsksForOne(t *testing.T) {
	wrote := &samples.Sample{ObjectMeta: metav1.ObjectMeta{UID: "u1"}}
	meta.AddAnnotations(wrote, ownership.Name(wrote, "cart:other"))
	deleted := wrote.DeepCopyObject().(*samples.Sample) //nolint:forcetypeassert // It is one.
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	gone := &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "gone"}
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException", Message: "no"}
	boom := errors.New("boom")
	cases := map[string]struct {
		reason      string
		mg          *samples.Sample
		list, get   error
		calls, want bool
		err         error
	}{
		"NotMade": {reason: "A configuration that was never created is not read alone.", mg: &samples.Sample{}},
		"Made":    {reason: "A configuration that was created is read alone if the list lacks it.", mg: wrote, calls: true, want: true},
		"Gone":    {reason: "A configuration that was created, and that AWS does not return, does not exist.", mg: wrote, get: gone, calls: true},
		"Deleted": {reason: "A resource that is being deleted, and that the list lacks, does not exist.", mg: deleted},
		"NoList":  {reason: "Without a list, nothing is known.", mg: &samples.Sample{}, list: &smithy.GenericAPIError{Code: "UnknownOperationException"}, calls: true, want: true},
		"Denied":  {reason: "Without permission to read it alone, the list decides.", mg: wrote, get: denied, calls: true},
		"Failed":  {reason: "Nothing is known.", mg: wrote, get: boom, calls: true, err: boom},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, called := &pages{err: tc.list}, false
			r := p.reader()
			r.Get = func(context.Context, functionname.Name) (string, error) {
				called = true
				return "x", tc.get
			}
			_, exists, err := r.Read(t.Context(), reconcile.Facts{}, tc.mg, functionname.Name{Function: "cart", Qualifier: "other"})
			if exists != tc.want || called != tc.calls || !errors.Is(err, tc.err) {
				t.Errorf("%s\nexists %t, asked %t, error %v", tc.reason, exists, called, err)
			}
		})
	}
}

func TestReaderErrors(t *testing.T) {
	gone := &pages{err: &smithy.GenericAPIError{Code: "ResourceNotFoundException", Message: "Function does not exist"}}
	if _, exists, err := gone.reader().Read(t.Context(), reconcile.Facts{}, &samples.Sample{}, functionname.Name{Function: "cart"}); exists || err != nil {
		t.Errorf("exists %t, %v: a function that is not there has nothing", exists, err)
	}
	broken := &pages{err: errors.New("broken")}
	if _, _, err := broken.reader().Read(t.Context(), reconcile.Facts{}, &samples.Sample{}, functionname.Name{Function: "cart"}); !errors.Is(err, broken.err) {
		t.Errorf("got %v, want what went wrong", err)
	}
	if len(broken.calls) != 1 {
		t.Errorf("calls %v, want no page after one that failed", broken.calls)
	}
}
