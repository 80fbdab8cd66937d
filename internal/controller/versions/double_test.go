package versions

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const arn = "arn:aws:lambda:eu-central-1:123456789012:function:f"

// env returns a double with function f and its versions 1 to 4.
func env(t *testing.T) *testenv.AWS {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	w.AddFunction("f")
	for range 4 {
		w.Publish("f")
	}
	return w
}

// at returns a pruner of function f, with a history and the facts of a reconcile at the present time.
func (p Pruner) at(w *testenv.AWS, h *v1beta1.VersionHistory) Pruner {
	p.Function, p.History = FunctionOf("f", arn), h
	p.Facts.Fresh = readcache.Freshness{Now: w.Now(), Since: w.Now()}
	return p
}

// pruned returns the error of Prune.
func pruned(_ reconcile.Effects, err error) error { return err }

// uses are ways in which version 1 may be in use.
var uses = map[string]struct {
	use    func(w *testenv.AWS) error
	usedBy string
}{
	"Alias": {
		use: func(w *testenv.AWS) error {
			_, err := w.Lambda.CreateAlias(
				w.Context(),
				&lambda.CreateAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live"), FunctionVersion: ptr.To("1")},
			)
			return err
		},
		usedBy: "alias live",
	},
	"Weight": {
		use: func(w *testenv.AWS) error {
			_, err := w.Lambda.CreateAlias(w.Context(), &lambda.CreateAliasInput{
				FunctionName: ptr.To("f"), Name: ptr.To("live"), FunctionVersion: ptr.To("4"),
				RoutingConfig: &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"1": 0.1}},
			})
			return err
		},
		usedBy: "a weight of alias live",
	},
	"FunctionURLOfAnAlias": {
		use: func(w *testenv.AWS) error {
			w.AddAlias("f", "web", "1")
			_, err := w.Lambda.CreateFunctionUrlConfig(
				w.Context(),
				&lambda.CreateFunctionUrlConfigInput{
					FunctionName: ptr.To("f"),
					Qualifier:    ptr.To("web"),
					AuthType:     types.FunctionUrlAuthTypeNone,
				},
			)
			return err
		},
		usedBy: "alias web",
	},
	"ProvisionedConcurrency": {
		use: func(w *testenv.AWS) error {
			_, err := w.Lambda.PutProvisionedConcurrencyConfig(
				w.Context(),
				&lambda.PutProvisionedConcurrencyConfigInput{
					FunctionName:                    ptr.To("f"),
					Qualifier:                       ptr.To("1"),
					ProvisionedConcurrentExecutions: ptr.To[int32](1),
				},
			)
			return err
		},
		usedBy: "provisioned concurrency",
	},
	"EventInvokeConfig": {
		use: func(w *testenv.AWS) error {
			_, err := w.Lambda.PutFunctionEventInvokeConfig(
				w.Context(),
				&lambda.PutFunctionEventInvokeConfigInput{
					FunctionName:         ptr.To("f"),
					Qualifier:            ptr.To("1"),
					MaximumRetryAttempts: ptr.To[int32](0),
				},
			)
			return err
		},
		usedBy: "an event invoke config",
	},
	"EventSourceMapping": {
		use: func(w *testenv.AWS) error {
			_, err := w.Lambda.CreateEventSourceMapping(
				w.Context(),
				&lambda.CreateEventSourceMappingInput{
					FunctionName:   ptr.To(arn + ":1"),
					EventSourceArn: ptr.To("arn:aws:sqs:eu-central-1:123456789012:q"),
				},
			)
			return err
		},
		usedBy: "event source mapping ",
	},
	"Policy": {
		use: func(w *testenv.AWS) error {
			_, err := w.Lambda.AddPermission(
				w.Context(),
				&lambda.AddPermissionInput{
					FunctionName: ptr.To("f"),
					Qualifier:    ptr.To("1"),
					StatementId:  ptr.To("s"),
					Action:       ptr.To("lambda:InvokeFunction"),
					Principal:    ptr.To("s3.amazonaws.com"),
				},
			)
			return err
		},
		usedBy: "a resource policy",
	},
}

func TestUsedVersionsAreKept(t *testing.T) {
	for name, tc := range uses {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			w.Must(tc.use(w))
			p, h := Pruner{API: w.Lambda, Cache: w.Cache}, history("4", "3", "2", "1")
			ctx, events := w.Context(), []event.Event(nil)
			for range 2 {
				got, effects, err := p.at(w, h).Unused(ctx, Excess(h, ptr.To[int32](1), "4"))
				if err != nil || (got != "" && got != "2") {
					t.Fatalf("version 1 must be kept, got %q, %v", got, err)
				}
				events = append(events, effects.Events...)
			}
			if len(h.RetainedVersions) != 1 || h.RetainedVersions[0].Version != "1" ||
				!strings.HasPrefix(h.RetainedVersions[0].UsedBy, tc.usedBy) {
				t.Errorf("status must say that %s uses it, got %+v", tc.usedBy, h.RetainedVersions)
			}
			if len(events) != 1 || !strings.HasPrefix(events[0].Message, "Kept version 1 of function f: "+tc.usedBy) {
				t.Errorf("an event must say so once, got %v", events)
			}
			if got, err := p.at(w, nil).UsedBy(ctx, "1"); err != nil || !strings.HasPrefix(got, tc.usedBy) {
				t.Errorf("used by %q, %v, want %q", got, err, tc.usedBy)
			}
			if got, err := p.at(w, nil).UsedBy(ctx, "2"); err != nil || got != "" {
				t.Errorf("nothing uses version 2, got %q, %v", got, err)
			}
		})
	}
}

func TestUnusedVersionsArePrunedOldestFirst(t *testing.T) {
	w := env(t)
	p, h := Pruner{API: w.Lambda, Cache: w.Cache}, history("4", "3", "2", "1")
	limit := ptr.To[int32](1)
	var gone []string
	w.Double.ResetCalls()
	for range 5 {
		ctx := w.Context()
		version, _, err := p.at(w, h).Unused(ctx, Excess(h, limit, "4"))
		w.Must(err)
		if version == "" {
			break
		}
		w.Must(pruned(p.at(w, h).Prune(ctx, version)))
		gone = append(gone, version)
	}
	if diff := cmp.Diff([]string{"1", "2"}, gone); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if _, there := w.Double.Function("f"); !there {
		t.Error("the function must stay")
	}
	w.Double.ResetCalls()
	ctx := w.Context()
	if version, _, err := p.at(w, h).
		Unused(ctx, Excess(h, limit, "4")); version != "" || err != nil ||
		w.Double.Count("") != 0 {
		t.Errorf("with nothing to prune AWS must not be asked: %q, %v, %v", version, err, w.Operations())
	}
}

// TestAnAliasThatWasUpdatedUsesNoOldVersion checks that a cached answer with a version in use is not
// used: after an alias has moved on, the version would be left behind when its resource is
// deleted.
func TestAnAliasThatWasUpdatedUsesNoOldVersion(t *testing.T) {
	w := env(t)
	w.AddAlias("f", "live", "1")
	p := Pruner{API: w.Lambda, Cache: w.Cache}
	used := func(want string) {
		t.Helper()
		ctx := w.Context()
		if got, err := p.at(w, nil).UsedBy(ctx, "1"); got != want || err != nil {
			t.Errorf("used by %q, %v, want %q", got, err, want)
		}
	}
	used("alias live")
	_, err := w.Lambda.UpdateAlias(
		t.Context(),
		&lambda.UpdateAliasInput{FunctionName: ptr.To("f"), Name: ptr.To("live"), FunctionVersion: ptr.To("4")},
	)
	w.Must(err)
	w.Advance(time.Second)
	used("")
	w.Double.ResetCalls()
	used("")
	if diff := cmp.Diff([]string{callMappings, callPolicy}, w.Operations()); diff != "" {
		t.Errorf("the lists of a moment ago do: -want, +got:\n%s", diff)
	}
}

// TestVersionsThatAWSDoesNotDeleteAreKept checks that a version that AWS refuses to delete is kept, and
// not deleted again and again. It is unknown whether AWS deletes a version together with
// configurations that AWS does not count as uses.
func TestVersionsThatAWSDoesNotDeleteAreKept(t *testing.T) {
	for name, e := range map[string]awsdouble.Error{
		"InUse":      {Status: http.StatusConflict, Code: "ResourceConflictException", Message: "Version is pointed by a Provisioned Concurrency alias"},
		"Replicated": {Status: http.StatusBadRequest, Code: "InvalidParameterValueException", Message: "Lambda was unable to delete f because it is a replicated function."},
	} {
		t.Run(name, func(t *testing.T) {
			w := env(t)
			w.Double.Fail(awsdouble.Fault{Operation: CallDelete, Error: e, Times: -1})
			p, h := Pruner{API: w.Lambda, Cache: w.Cache}, history("2", "1")
			for range 10 {
				ctx := w.Context()
				version, _, err := p.at(w, h).Unused(ctx, Excess(h, ptr.To[int32](0), "2"))
				w.Must(err)
				if version != "" {
					w.Must(pruned(p.at(w, h).Prune(ctx, version)))
				}
				w.Advance(3 * time.Second)
			}
			if got := w.Double.Count(
				CallDelete,
			); got != 1 || !Remembers(h, "1") ||
				h.RetainedVersions[0].UsedBy != e.Message {
				t.Errorf("%d deletions; history %+v", got, h)
			}
		})
	}
}

// TestEmulators checks emulators that lack a list, or return a list for the function instead
// of the version.
func TestEmulators(t *testing.T) {
	w := env(t)
	_, err := w.Lambda.CreateEventSourceMapping(
		t.Context(),
		&lambda.CreateEventSourceMappingInput{
			FunctionName:   ptr.To(arn),
			EventSourceArn: ptr.To("arn:aws:sqs:eu-central-1:123456789012:q"),
		},
	)
	w.Must(err)
	for _, op := range []string{callAliases, callProvisioned, callInvoke} {
		w.Double.Fail(
			awsdouble.Fault{
				Operation: op,
				Error: awsdouble.Error{
					Status:  http.StatusNotFound,
					Code:    "ResourceNotFoundException",
					Message: "no such path",
				},
				Times: -1,
			},
		)
	}
	p, h := Pruner{API: unqualified{w.Lambda}, Cache: w.Cache}, history("2", "1")
	ctx := w.Context()
	if got, _, err := p.at(w, h).Unused(ctx, Excess(h, ptr.To[int32](0), "2")); got != "1" || err != nil {
		t.Errorf(
			"got %q, %v: what is not there uses nothing, and a mapping of the function is none of its version",
			got,
			err,
		)
	}
}

// unqualified lists a function's mappings whatever the qualifier.
type unqualified struct{ *lambda.Client }

func (u unqualified) ListEventSourceMappings(
	ctx context.Context,
	in *lambda.ListEventSourceMappingsInput,
	opts ...func(*lambda.Options),
) (*lambda.ListEventSourceMappingsOutput, error) {
	in.FunctionName = ptr.To(arn)
	return u.Client.ListEventSourceMappings(ctx, in, opts...)
}

func (u unqualified) GetPolicy(
	context.Context,
	*lambda.GetPolicyInput,
	...func(*lambda.Options),
) (*lambda.GetPolicyOutput, error) {
	return &lambda.GetPolicyOutput{Policy: ptr.To(`{"Version":"2012-10-17","Statement":[]}`)}, nil
}

func TestVersionsWithUnknownUsesAreNotPruned(t *testing.T) {
	for _, op := range []string{callAliases, callProvisioned, callInvoke, callMappings, callPolicy} {
		t.Run(op, func(t *testing.T) {
			w := env(t)
			w.Double.Fail(
				awsdouble.Fault{
					Operation: op,
					Error: awsdouble.Error{
						Status:  http.StatusForbidden,
						Code:    "AccessDeniedException",
						Message: "not authorized",
					},
					Times: -1,
				},
			)
			p, h := Pruner{API: w.Lambda, Cache: w.Cache}, history("2", "1")
			ctx := w.Context()
			got, _, err := p.at(w, h).Unused(ctx, Excess(h, ptr.To[int32](0), "2"))
			if got != "" || err == nil ||
				!strings.Contains(
					err.Error(),
					"cannot tell which versions of function f are in use, so none is deleted",
				) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestQuestionsWaitForTheirQuota(t *testing.T) {
	w := env(t)
	w.Double.ResetCalls()
	h := history("2", "1")
	p := Pruner{API: w.Lambda, Cache: w.Cache}.at(w, h)
	var reserved []string
	p.Facts.ReserveFn = func(ops ...string) time.Duration {
		reserved = ops
		return time.Second
	}
	got, _, err := p.Unused(t.Context(), Excess(h, ptr.To[int32](0), "2"))
	later := (*reconcile.LaterError)(nil)
	if !errors.As(err, &later) || later.After != time.Second || got != "" || w.Double.Count("") > 0 {
		t.Errorf("got %q, %v, calls %v", got, err, w.Operations())
	}
	if diff := cmp.Diff(
		[]string{callAliases, callProvisioned, callInvoke, callMappings, callPolicy},
		reserved,
	); diff != "" {
		t.Errorf("reserved: -want, +got:\n%s", diff)
	}
}

func TestNothingIsDeletedWithoutAQualifier(t *testing.T) {
	w := env(t)
	w.Double.ResetCalls()
	p := Pruner{API: w.Lambda, Cache: w.Cache}.at(w, &v1beta1.VersionHistory{})
	for _, name := range []string{"", "$LATEST", "live", "0"} {
		if err := p.Delete(t.Context(), name); err == nil {
			t.Errorf("%q must be refused", name)
		}
		if _, err := p.Prune(t.Context(), name); err == nil {
			t.Errorf("%q must be refused", name)
		}
	}
	if got := w.Double.Count(""); got > 0 {
		t.Errorf("%d calls", got)
	}
}

func TestFunctionOf(t *testing.T) {
	want := Function{Name: "f", ARN: arn}
	for _, of := range []string{arn, arn + ":3", arn + ":$LATEST", arn + ":$LATEST.PUBLISHED"} {
		if got := FunctionOf("f", of); got != want {
			t.Errorf("%s: got %+v", of, got)
		}
	}
	if got := FunctionOf("f", ""); got.ARN != "f" {
		t.Errorf("without an ARN the name must do, got %+v", got)
	}
}
