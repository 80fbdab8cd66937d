package version

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/versions"
)

func deleted(v *v1beta1.Version) {
	now := metav1.Now()
	v.DeletionTimestamp = &now
}

func noVersions(*lambda.ListVersionsByFunctionInput) (*lambda.ListVersionsByFunctionOutput, error) {
	return &lambda.ListVersionsByFunctionOutput{}, nil
}

func TestObserve(t *testing.T) {
	other := func(c *types.FunctionConfiguration) { c.CodeSha256 = ptr.To("other") }
	updating := func(c *types.FunctionConfiguration) { c.LastUpdateStatus = types.LastUpdateStatusInProgress }
	creating := func(c *types.FunctionConfiguration) { c.State = types.StatePending }
	broken := func(c *types.FunctionConfiguration) {
		c.LastUpdateStatus, c.LastUpdateStatusReason = types.LastUpdateStatusFailed, ptr.To("no subnet")
	}
	secret := func(c *types.FunctionConfiguration) {
		c.Environment = &types.EnvironmentResponse{Error: &types.EnvironmentError{ErrorCode: ptr.To("AccessDeniedException"), Message: ptr.To("KMS says no")}}
	}
	nonInvocable := func(c *types.FunctionConfiguration) { c.State = types.StateActiveNonInvocable }
	variables := func(value string) func(*types.FunctionConfiguration) {
		return func(c *types.FunctionConfiguration) {
			c.Environment = &types.EnvironmentResponse{Variables: map[string]string{"A": value}}
		}
	}
	// read has the version read once, when its variables could be.
	read := func(value string) func(*v1beta1.Version) {
		return func(v *v1beta1.Version) {
			v.Status.AtProvider.RevisionID = ptr.To("r3")
			v.Status.AtProvider.Fingerprint = ptr.To(contentOf(configuration("3", variables(value))).Fingerprint())
		}
	}
	const unread = "cannot publish: the variables of function f cannot be read, so it is not known whether they have changed: KMS says no (AccessDeniedException); " +
		"grant the provider kms:Decrypt on their key, or set another kmsKeyArn on the function"
	spec := func(change func(*v1beta1.VersionParameters)) func(*v1beta1.Version) {
		return func(v *v1beta1.Version) { change(&v.Spec.ForProvider) }
	}
	pin := spec(func(p *v1beta1.VersionParameters) { p.CodeSHA256 = ptr.To("code") })
	onRequest := spec(func(p *v1beta1.VersionParameters) { p.PublishPolicy = ptr.To("OnRequest") })
	trigger := spec(func(p *v1beta1.VersionParameters) { p.PublishTrigger = ptr.To("v2") })
	byRef := spec(func(p *v1beta1.VersionParameters) { p.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"} })
	cases := map[string]struct {
		reason   string
		version  *v1beta1.Version
		get      func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error)
		ready    xpv2.ConditionReason
		message  string
		held     bool
		exists   bool
		upToDate bool
		err      string
	}{
		"First": {reason: "Nothing is published yet.", version: testVersion(), get: answers(configuration("$LATEST")), ready: xpv2.ReasonCreating},
		"FirstBusy": {
			reason: "A function that is being created is waited for, without a call.", version: testVersion(), get: answers(configuration("$LATEST", creating)),
			exists: true, upToDate: true, ready: xpv2.ReasonCreating, message: "function f is being created",
		},
		"FirstUnready": {
			reason: "A Function that is half way through its creation is waited for, and that is told.", version: testVersion(byRef), get: answers(configuration("$LATEST")),
			exists: true, upToDate: true, ready: xpv2.ReasonCreating, message: "Function ns/cart is not Ready yet",
		},
		"FirstUnreadable": {
			reason: "What cannot be read is not published.", version: testVersion(), get: answers(configuration("$LATEST", secret)),
			err: "cannot publish: the variables of function f cannot be read, so it is not known whether they have changed: KMS says no (AccessDeniedException); grant the provider kms:Decrypt",
		},
		"FirstManagedInstances": {
			reason: "ActiveNonInvocable is how $LATEST of a function on Lambda Managed Instances is in order.", version: testVersion(), get: answers(configuration("$LATEST", nonInvocable)),
			ready: xpv2.ReasonCreating,
		},
		"FirstPinned": {
			reason: "Other code than that asked for is not published.", version: testVersion(pin), get: answers(configuration("$LATEST", other)),
			err: "cannot publish: function f has code other, but codeSha256 is code",
		},
		"NoFunction": {reason: "A function is needed.", version: testVersion(), get: answers(), err: "function f does not exist"},
		"Steady":     {reason: "The version is what the function is.", version: testVersion(at("3")), get: answers(configuration("$LATEST"), configuration("3")), exists: true, upToDate: true, ready: xpv2.ReasonAvailable},
		"Changed": {
			reason: "The function has changed.", version: testVersion(at("3")), get: answers(configuration("$LATEST", other), configuration("3")),
			exists: true, ready: "Updating", message: "function: version 3 -> a new version",
		},
		"ChangedBusy": {
			reason: "It is published once the change has settled.", version: testVersion(at("3")), get: answers(configuration("$LATEST", other, updating), configuration("3")),
			exists: true, upToDate: true, ready: "Updating", message: "function f is being updated",
		},
		"ChangedBroken": {
			reason: "What failed is not published.", version: testVersion(at("3")), get: answers(configuration("$LATEST", other, broken), configuration("3")),
			exists: true, upToDate: true, ready: xpv2.ReasonUnavailable, message: "cannot publish: the last update of function f failed: no subnet",
		},
		"ChangedUnready": {
			reason: "A Function that is half way through a change is waited for.", version: testVersion(at("3"), byRef), get: answers(configuration("$LATEST", other), configuration("3")),
			exists: true, upToDate: true, ready: "Updating", message: "Function ns/cart is not Ready yet",
		},
		"Pinned": {
			reason: "The version that was asked for stays.", version: testVersion(at("3"), pin), get: answers(configuration("$LATEST", other), configuration("3")),
			exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"OnRequest": {
			reason: "A change waits for a request.", version: testVersion(at("3"), onRequest), get: answers(configuration("$LATEST", other), configuration("3")),
			exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"Requested": {
			reason: "A request publishes.", version: testVersion(at("3"), onRequest, trigger), get: answers(configuration("$LATEST"), configuration("3")),
			exists: true, ready: "Updating", message: "publishTrigger: added v2",
		},
		"Gone": {reason: "A version that was deleted by hand is published anew.", version: testVersion(at("3")), get: answers(configuration("$LATEST")), ready: xpv2.ReasonCreating},
		"Preparing": {
			reason: "Ready is what AWS says.", version: testVersion(at("3")),
			get:    answers(configuration("$LATEST"), configuration("3", creating, func(c *types.FunctionConfiguration) { c.StateReasonCode = types.StateReasonCodeCreating })),
			exists: true, upToDate: true, ready: "Updating", message: "AWS is preparing version 3: (Creating)",
		},
		"Failed": {
			reason: "With its reason.", version: testVersion(at("3")),
			get: answers(configuration("$LATEST"), configuration("3", func(c *types.FunctionConfiguration) {
				c.State, c.StateReason, c.StateReasonCode = types.StateFailed, ptr.To("no snapshot"), types.StateReasonCodeFunctionError
			})),
			exists: true, upToDate: true, ready: xpv2.ReasonUnavailable, message: "version 3 failed: no snapshot (FunctionError)",
		},
		"Imported": {
			reason: "A version is taken over by its number.", version: testVersion(func(v *v1beta1.Version) { meta.SetExternalName(v, "3") }, trigger),
			get: answers(configuration("$LATEST"), configuration("3")), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"NoNumber": {
			reason: "An alias is no version.", version: testVersion(func(v *v1beta1.Version) { meta.SetExternalName(v, "live") }), err: `"live" is not a published version`,
		},
		"Latest": {
			reason: "$LATEST is not a published version.", version: testVersion(func(v *v1beta1.Version) { meta.SetExternalName(v, "$LATEST") }), err: `"$LATEST" is not a published version`,
		},
		"DeletedNever": {reason: "What published nothing has nothing to delete.", version: testVersion(deleted)},
		"DeletedGone":  {reason: "A deletion ends when the version is gone.", version: testVersion(deleted, at("3")), get: answers()},
		"DeletedThere": {reason: "A version of ours is deleted.", version: testVersion(deleted, at("3")), get: answers(configuration("3")), exists: true},
		"DeletedOthers": {
			reason: "One that was there before is left.", get: answers(configuration("3")),
			version: testVersion(deleted, at("3"), func(v *v1beta1.Version) {
				v.Status.AtProvider.History = nil
				meta.AddAnnotations(v, versions.Intent{Before: 3, Fingerprint: "x"}.Annotation(v))
				v.Status.AtProvider.PublishedFingerprint = ptr.To("x")
			}),
		},
		"ObserveOnly": {
			reason: "Any version may be looked at.", get: answers(configuration("3")),
			version: testVersion(func(v *v1beta1.Version) {
				v.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				meta.SetExternalName(v, "3")
			}),
			exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"Unreadable": {
			reason: "Whether the function has changed is not known, and that is told.", version: testVersion(at("3")),
			get: answers(configuration("$LATEST", secret), configuration("3", secret)), exists: true, upToDate: true, ready: xpv2.ReasonUnavailable, message: unread,
		},
		"UnreadableOnRequest": {
			reason: "Nothing is asked for.", version: testVersion(at("3"), onRequest),
			get: answers(configuration("$LATEST", secret), configuration("3", secret)), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"UnreadableRequested": {
			reason: "What cannot be read is not published.", version: testVersion(at("3"), onRequest, trigger),
			get: answers(configuration("$LATEST", secret), configuration("3")), exists: true, upToDate: true, ready: xpv2.ReasonUnavailable, message: unread,
		},
		"UnreadableVersion": {
			reason: "A version stays what it was while its variables could be read.", version: testVersion(at("3"), read("a")),
			get: answers(configuration("$LATEST", variables("a")), configuration("3", secret)), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"UnreadableVersionChanged": {
			reason: "So a change is known.", version: testVersion(at("3"), read("a")),
			get: answers(configuration("$LATEST", variables("b")), configuration("3", secret)), exists: true, ready: "Updating", message: "function: version 3 -> a new version",
		},
		"UnreadableObserveOnly": {
			reason: "Any version may be looked at, whatever its key.", get: answers(configuration("3", secret)),
			version: testVersion(func(v *v1beta1.Version) {
				v.Spec.ManagementPolicies = xpv2.ManagementPolicies{xpv2.ManagementActionObserve}
				meta.SetExternalName(v, "3")
			}),
			exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"UnreadableDeleted": {
			reason: "A key that cannot be used keeps nothing from being deleted.", version: testVersion(deleted, at("3")), get: answers(configuration("3", secret)), exists: true,
		},
		"ManagedInstances": {
			reason: "A version is Ready when AWS is done with it.", version: testVersion(at("3")),
			get: answers(configuration("$LATEST", nonInvocable), configuration("3")), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"VersionNonInvocable": {
			reason: "AWS documents no such state of a published version: should it have it, nobody waits for another one for ever.", version: testVersion(at("3")),
			get: answers(configuration("$LATEST", nonInvocable), configuration("3", nonInvocable)), exists: true, upToDate: true, ready: xpv2.ReasonAvailable,
		},
		"Denied": {
			reason: "What AWS refuses is told.", version: testVersion(),
			get: func(*lambda.GetFunctionInput) (*lambda.GetFunctionOutput, error) {
				return nil, steptest.APIError(http.StatusForbidden, "AccessDeniedException", "no")
			},
			err: "cannot read function f",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			turn := &managed.Attempt{}
			functions := steptest.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error { return nil }}
			e := testExternal(&fakeLambda{get: tc.get, list: noVersions}, functions, &inventory.Cache{})
			got, err := e.Observe(managed.WithAttempt(t.Context(), turn), tc.version)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\nerror %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\nerror %v", tc.reason, err)
			}
			if _, held := turn.Aborted(); got.ResourceExists != tc.exists || got.ResourceUpToDate != tc.upToDate || held != tc.held {
				t.Errorf("%s\nexists %t, up to date %t, held %t", tc.reason, got.ResourceExists, got.ResourceUpToDate, held)
			}
			ready := tc.version.GetCondition(xpv2.TypeReady)
			if ready.Reason != tc.ready || ready.Message != tc.message {
				t.Errorf("%s\nReady has reason %q, want %q; message %q, want %q", tc.reason, ready.Reason, tc.ready, ready.Message, tc.message)
			}
		})
	}
}

// A Function that stays as it is is looked at less and less often: it wakes the Version once
// it is Ready.
func TestWaitingForAFunction(t *testing.T) {
	unready := func(*testing.T) client.Reader {
		return steptest.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error { return nil }}
	}
	byRef := func(v *v1beta1.Version) {
		v.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"}
	}
	other := func(c *types.FunctionConfiguration) { c.CodeSha256 = ptr.To("other") }
	for name, v := range map[string]*v1beta1.Version{"First": testVersion(byRef), "Next": testVersion(byRef, at("3"))} {
		t.Run(name, func(t *testing.T) {
			api := &fakeLambda{get: answers(configuration("$LATEST", other), configuration("3")), list: noVersions}
			began, last, looks := time.Now(), time.Duration(0), 0
			for at := time.Duration(0); at < time.Hour; looks++ {
				turn := &managed.Attempt{Freshness: inventory.Freshness{Now: began.Add(at)}}
				o, err := testExternal(api, unready(t), &inventory.Cache{}).Observe(managed.WithAttempt(t.Context(), turn), v)
				if _, held := turn.Aborted(); err != nil || held || !o.ResourceUpToDate {
					t.Fatalf("held %t, %+v, %v", held, o, err)
				}
				if ready := v.GetCondition(xpv2.TypeReady); ready.Status == corev1.ConditionTrue || ready.Message != "Function ns/cart is not Ready yet" {
					t.Fatalf("Ready must say what is waited for: %+v", ready)
				}
				last = turn.RequeueDelay()
				at += max(last, time.Second)
			}
			if looks > 50 || last != 5*time.Minute {
				t.Errorf("%d looks in an hour, the last %s apart", looks, last)
			}
		})
	}
}

// Without a qualifier, DeleteFunction deletes the function and all of its versions.
func TestNothingIsDeletedWithoutAQualifier(t *testing.T) {
	for _, name := range []string{"", "$LATEST", "live", "0", "-1", " 3", "3,4"} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			api := &fakeLambda{delete: func(*lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error) {
				calls++
				return &lambda.DeleteFunctionOutput{}, nil
			}}
			v := testVersion(deleted)
			err := (&thing{api: api, cache: &inventory.Cache{}, function: "f"}).Delete(t.Context(), v, flow.Found[observed]{Name: name})
			if err == nil || calls > 0 {
				t.Errorf("a Version called %q deleted something: %d calls, error %v", name, calls, err)
			}
		})
	}
}

func TestDeletionsHaveTheirQualifier(t *testing.T) {
	var got []string
	api := &fakeLambda{
		get: answers(configuration("7")),
		delete: func(in *lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error) {
			got = append(got, ptr.Deref(in.FunctionName, "")+":"+ptr.Deref(in.Qualifier, "NONE"))
			return &lambda.DeleteFunctionOutput{}, nil
		},
	}
	v := testVersion(deleted, at("7"), func(v *v1beta1.Version) {
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](5)
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}, {Version: "2"}}
	})
	for range 3 {
		e := testExternal(api, nil, &inventory.Cache{})
		if o, err := e.Observe(t.Context(), v); err != nil || !o.ResourceExists {
			t.Fatalf("exists %t, %v", o.ResourceExists, err)
		}
		if _, err := e.Delete(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"f:2", "f:5", "f:7"}, got); diff != "" {
		t.Errorf("deletions: -want, +got:\n%s", diff)
	}
}

func TestVersionsInUse(t *testing.T) {
	api := &fakeLambda{get: answers(configuration("7")), delete: func(*lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error) {
		return nil, steptest.APIError(http.StatusConflict, "ResourceConflictException", "Unable to delete version because the following aliases reference it: [live]")
	}}
	v := testVersion(deleted, at("7"), func(v *v1beta1.Version) {
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}}
	})
	turn := &managed.Attempt{Freshness: inventory.Freshness{Now: v.DeletionTimestamp.Time}}
	ctx := managed.WithAttempt(t.Context(), turn)
	step := func() error {
		e := testExternal(api, nil, &inventory.Cache{})
		if _, err := e.Observe(ctx, v); err != nil {
			return err
		}
		_, err := e.Delete(ctx, v)
		return err
	}
	if err := step(); err != nil || len(turn.Events()) > 0 || len(v.Status.AtProvider.History) != 2 {
		t.Errorf("what uses it may be deleted in a moment, too, got %v, %v", err, turn.Events())
	}
	if wait, held := turn.Aborted(); !held || wait > 10*time.Second {
		t.Errorf("it must be looked at again soon, held %t for %s", held, wait)
	}
	turn = &managed.Attempt{Freshness: inventory.Freshness{Now: v.DeletionTimestamp.Add(time.Minute)}}
	ctx = managed.WithAttempt(t.Context(), turn)
	if err := step(); err != nil {
		t.Errorf("an earlier version that is in use must be kept, got %v", err)
	}
	if events := turn.Events(); len(events) != 1 || !strings.Contains(events[0].Message, "Kept version 5 of function f: Unable to delete version because the following aliases reference it: [live]") {
		t.Errorf("an event must say so, got %v", events)
	}
	if err := step(); err == nil || !strings.Contains(err.Error(), "cannot delete version 7 of function f") {
		t.Errorf("the version itself must be waited for, got %v", err)
	}
}

// What keeps versions from being pruned, such as a missing right, is told. It does not keep
// aliases from moving to a version that AWS has prepared.
func TestPruningKeepsNothingElseFromBeingDone(t *testing.T) {
	api := &fakeLambda{get: answers(configuration("$LATEST"), configuration("7"))}
	api.mappings = func(*lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error) {
		return nil, steptest.APIError(http.StatusForbidden, "AccessDeniedException", "no")
	}
	v := testVersion(at("7"), func(v *v1beta1.Version) {
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
		v.Status.AtProvider.State, v.Status.AtProvider.PreparedVersion = ptr.To("Pending"), ptr.To("5")
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}}
	})
	_, err := testExternal(api, nil, &inventory.Cache{}).Observe(t.Context(), v)
	if err == nil || !strings.Contains(err.Error(), "cannot tell which versions of function f are in use, so none is deleted") {
		t.Errorf("what is missing must be told, got %v", err)
	}
	if s := v.Status.AtProvider; *s.State != "Active" || *s.PreparedVersion != "7" || v.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		t.Errorf("the version is there all the same: %s, prepared %s, %+v", *s.State, *s.PreparedVersion, v.GetCondition(xpv2.TypeReady))
	}
}

// AWS deletes a version that a mapping uses, and the mapping then fails: it is left as well.
func TestEarlierVersionsInUseAreLeft(t *testing.T) {
	now := metav1.Now()
	api := &fakeLambda{get: answers(configuration("7"))}
	api.mappings = func(in *lambda.ListEventSourceMappingsInput) (*lambda.ListEventSourceMappingsOutput, error) {
		return &lambda.ListEventSourceMappingsOutput{EventSourceMappings: []types.EventSourceMappingConfiguration{{UUID: ptr.To("m"), FunctionArn: in.FunctionName}}}, nil
	}
	v := testVersion(deleted, at("7"), func(v *v1beta1.Version) {
		v.DeletionTimestamp = &now
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
		v.Status.AtProvider.FunctionArn = ptr.To(testARN + ":7")
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}}
	})
	turn := &managed.Attempt{Freshness: inventory.Freshness{Now: now.Add(time.Hour)}}
	ctx := managed.WithAttempt(t.Context(), turn)
	e := testExternal(api, nil, &inventory.Cache{})
	if _, err := e.Observe(ctx, v); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, v); err != nil {
		t.Errorf("an earlier version that is in use must be left, got %v", err)
	}
	if events := turn.Events(); len(events) != 1 || events[0].Message != "Kept version 5 of function f: event source mapping m uses it" {
		t.Errorf("an event must say so, got %v", events)
	}
	if diff := cmp.Diff([]v1beta1.PublishedVersion{{Version: "7"}}, v.Status.AtProvider.History); diff != "" {
		t.Errorf("history: -want, +got:\n%s", diff)
	}
}

func TestWhatIsPublishedIsWhatWasSeen(t *testing.T) {
	var in *lambda.PublishVersionInput
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.Description, v.Spec.ForProvider.CodeSHA256, v.Spec.ForProvider.PublishTo = ptr.To("d"), ptr.To("code"), ptr.To("LATEST_PUBLISHED")
	})
	api := &fakeLambda{get: answers(configuration("$LATEST")), list: noVersions, publish: func(got *lambda.PublishVersionInput) (*lambda.PublishVersionOutput, error) {
		in = got
		if v.GetAnnotations()[ownership.AnnotationIntent] == "" {
			t.Error("what is to be published must be noted before")
		}
		return nil, steptest.APIError(http.StatusPreconditionFailed, "PreconditionFailedException", "stale")
	}}
	turn := &managed.Attempt{}
	ctx := managed.WithAttempt(t.Context(), turn)
	e := testExternal(api, nil, &inventory.Cache{})
	if _, err := e.Observe(ctx, v); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Create(ctx, v); err != nil {
		t.Errorf("a change since must be no error, got %v", err)
	}
	if _, held := turn.Aborted(); !held {
		t.Error("the function must be looked at again")
	}
	want := lambda.PublishVersionInput{
		FunctionName: ptr.To("f"), Description: ptr.To("d"), CodeSha256: ptr.To("code"), PublishTo: types.FunctionVersionLatestPublishedLatestPublished, RevisionId: ptr.To("r$LATEST"),
	}
	if diff := cmp.Diff(want, *in, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "noSmithyDocumentSerde" }, cmp.Ignore())); diff != "" {
		t.Errorf("PublishVersion: -want, +got:\n%s", diff)
	}
}
