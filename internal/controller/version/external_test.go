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
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/versions"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

func TestObserve(t *testing.T) {
	type (
		observation = testenv.Observation
		mg          = *v1beta1.Version
	)
	inOrder := observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonAvailable}
	has := func(of ...*types.FunctionConfiguration) func(env) {
		return func(e env) { e.Script = script(answers(of...)) }
	}
	other := func(c *types.FunctionConfiguration) { c.CodeSha256 = ptr.To("other") }
	updating := func(c *types.FunctionConfiguration) { c.LastUpdateStatus = types.LastUpdateStatusInProgress }
	creating := func(c *types.FunctionConfiguration) { c.State = types.StatePending }
	broken := func(c *types.FunctionConfiguration) {
		c.LastUpdateStatus, c.LastUpdateStatusReason = types.LastUpdateStatusFailed, ptr.To("no subnet")
	}
	secret := func(c *types.FunctionConfiguration) {
		c.Environment = &types.EnvironmentResponse{
			Error: &types.EnvironmentError{ErrorCode: ptr.To("AccessDeniedException"), Message: ptr.To("KMS says no")},
		}
	}
	nonInvocable := func(c *types.FunctionConfiguration) { c.State = types.StateActiveNonInvocable }
	variables := func(value string) func(*types.FunctionConfiguration) {
		return func(c *types.FunctionConfiguration) {
			c.Environment = &types.EnvironmentResponse{Variables: map[string]string{"A": value}}
		}
	}
	// read marks the version as read once, when its variables could be read.
	read := func(value string) func(*v1beta1.Version) {
		return func(v *v1beta1.Version) {
			v.Status.AtProvider.RevisionID = ptr.To("r3")
			v.Status.AtProvider.Fingerprint = ptr.To(contentOf(configuration("3", variables(value))).Fingerprint())
		}
	}
	const unread = "cannot publish: the variables of function f cannot be read, " +
		"so it is not known whether they have changed: KMS says no (AccessDeniedException); " +
		"grant the provider kms:Decrypt on their key, or set another kmsKeyArn on the function"
	spec := func(change func(*v1beta1.VersionParameters)) func(*v1beta1.Version) {
		return func(v *v1beta1.Version) { change(&v.Spec.ForProvider) }
	}
	pin := spec(func(p *v1beta1.VersionParameters) { p.CodeSHA256 = ptr.To("code") })
	onRequest := spec(func(p *v1beta1.VersionParameters) { p.PublishPolicy = ptr.To("OnRequest") })
	trigger := spec(func(p *v1beta1.VersionParameters) { p.PublishTrigger = ptr.To("v2") })
	byRef := spec(func(p *v1beta1.VersionParameters) { p.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"} })
	newEnv := func(t testing.TB) env {
		t.Helper()
		return newEnv(t).following(
			testenv.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error { return nil }},
		)
	}
	testenv.Observe(t, newEnv, map[string]testenv.ObserveCase[env, mg]{
		"First": {
			Reason: "Nothing is published yet.", Resource: testVersion(), AWS: has(configuration("$LATEST")),
			Want: observation{Ready: xpv2.ReasonCreating},
		},
		"FirstBusy": {
			Reason: "A function that is being created is waited for, without a call.", Resource: testVersion(),
			AWS: has(configuration("$LATEST", creating)),
			Want: observation{
				Exists: true, UpToDate: true, Ready: xpv2.ReasonCreating, Message: "function f is being created",
			},
		},
		"FirstUnready": {
			Reason: "A Function that is being created is awaited, which Ready reports.", Resource: testVersion(byRef),
			AWS: has(configuration("$LATEST")),
			Want: observation{
				Exists: true, UpToDate: true, Ready: xpv2.ReasonCreating, Message: "Function ns/cart is not Ready yet",
			},
		},
		"FirstUnreadable": {
			Reason: "What cannot be read is not published.", Resource: testVersion(),
			AWS: has(configuration("$LATEST", secret)),
			Want: observation{
				Err: "cannot publish: the variables of function f cannot be read, so it is not known whether they " +
					"have changed: KMS says no (AccessDeniedException); grant the provider kms:Decrypt", Stalls: true,
			},
		},
		"FirstManagedInstances": {
			Reason:   "ActiveNonInvocable is how $LATEST of a function on Lambda Managed Instances is in order.",
			Resource: testVersion(), AWS: has(configuration("$LATEST", nonInvocable)),
			Want: observation{Ready: xpv2.ReasonCreating},
		},
		"FirstPinned": {
			Reason: "Code with another hash than the requested one is not published.", Resource: testVersion(pin),
			AWS:  has(configuration("$LATEST", other)),
			Want: observation{Err: "cannot publish: function f has code other, but codeSha256 is code", Stalls: true},
		},
		"NoFunction": {Reason: "A function is needed.", Resource: testVersion(), AWS: has(), Want: observation{
			Err: "function f does not exist in eu-central-1", Stalls: true,
		}},
		"Steady": {
			Reason: "The version is what the function is.", Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST"), configuration("3")), Want: inOrder,
		},
		"Changed": {
			Reason: "The function has changed.", Resource: testVersion(at("3")),
			AWS:  has(configuration("$LATEST", other), configuration("3")),
			Want: observation{Exists: true, Ready: "Updating", Message: "publishing a new version: function changed"},
		},
		"ChangedBusy": {
			Reason:   "The version is published once the change of the function has converged.",
			Resource: testVersion(at("3")), AWS: has(configuration("$LATEST", other, updating), configuration("3")),
			Want: observation{Exists: true, UpToDate: true, Ready: "Updating", Message: "function f is being updated"},
		},
		"ChangedBroken": {
			Reason: "What failed is not published.", Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST", other, broken), configuration("3")),
			Want: observation{
				Exists: true, UpToDate: true, Ready: xpv2.ReasonUnavailable,
				Message: "cannot publish: the last update of function f failed: no subnet",
			},
		},
		"ChangedUnready": {
			Reason:   "A Function that is half way through a change is waited for.",
			Resource: testVersion(at("3"), byRef), AWS: has(configuration("$LATEST", other), configuration("3")),
			Want: observation{
				Exists: true, UpToDate: true, Ready: "Updating", Message: "Function ns/cart is not Ready yet",
			},
		},
		"Pinned": {
			Reason: "The requested version stays.", Resource: testVersion(at("3"), pin),
			AWS: has(configuration("$LATEST", other), configuration("3")), Want: inOrder,
		},
		"OnRequest": {
			Reason: "A change waits for a request.", Resource: testVersion(at("3"), onRequest),
			AWS: has(configuration("$LATEST", other), configuration("3")), Want: inOrder,
		},
		"Requested": {
			Reason: "A request publishes.", Resource: testVersion(at("3"), onRequest, trigger),
			AWS: has(configuration("$LATEST"), configuration("3")),
			Want: observation{
				Exists: true, Ready: "Updating", Message: "publishing a new version: publishTrigger changed",
			},
		},
		"Gone": {
			Reason: "A version that was deleted manually is published again.", Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST")), Want: observation{Ready: xpv2.ReasonCreating},
		},
		"Preparing": {
			Reason: "Ready reports AWS's state.", Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST"), configuration("3", creating, func(c *types.FunctionConfiguration) {
				c.StateReasonCode = types.StateReasonCodeCreating
			})),
			Want: observation{
				Exists: true, UpToDate: true, Ready: "Updating", Message: "AWS is preparing version 3: (Creating)",
			},
		},
		"Failed": {
			Reason:   "With its reason.",
			Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST"), configuration("3", func(c *types.FunctionConfiguration) {
				c.State, c.StateReason, c.StateReasonCode = types.StateFailed, ptr.To(
					"no snapshot",
				), types.StateReasonCodeFunctionError
			})),
			Want: observation{
				Exists:   true,
				UpToDate: true,
				Ready:    xpv2.ReasonUnavailable,
				Message: "version 3 failed: no snapshot (FunctionError); to publish another version, change the function's " +
					"code or configuration, or delete version 3 in AWS",
			},
		},
		"Imported": {
			Reason: "A version is imported by its number.", Resource: testVersion(testenv.Imported[mg]("3"), trigger),
			AWS: has(configuration("$LATEST"), configuration("3")), Want: inOrder,
		},
		"NoNumber": {
			Reason: "An alias is no version.", Resource: testVersion(testenv.Imported[mg]("live")),
			Want: observation{Err: `"live" is not a published version`, Calls: testenv.None},
		},
		"Latest": {
			Reason: "$LATEST is not a published version.", Resource: testVersion(testenv.Imported[mg]("$LATEST")),
			Want: observation{Err: `"$LATEST" is not a published version`, Calls: testenv.None},
		},
		"DeletedNever": {
			Reason: "What published nothing has nothing to delete.", Resource: testVersion(testenv.BeingDeleted),
			Want: observation{Calls: testenv.None},
		},
		"DeletedGone": {
			Reason: "A deletion ends when the version is gone.", Resource: testVersion(testenv.BeingDeleted, at("3")),
			AWS: has(),
		},
		"DeletedThere": {
			Reason: "An owned version is deleted.", Resource: testVersion(testenv.BeingDeleted, at("3")),
			AWS: has(configuration("3")), Want: observation{Exists: true},
		},
		"DeletedOthers": {
			Reason: "One that was there before is left.",
			Resource: testVersion(testenv.BeingDeleted, at("3"), func(v mg) {
				v.Status.AtProvider.History = nil
				meta.AddAnnotations(v, versions.Intent{Before: 3, Fingerprint: "x"}.Annotation(v))
				v.Status.AtProvider.PublishedFingerprint = ptr.To("x")
			}),
			AWS:  has(configuration("3")),
			Want: observation{Aborted: true},
		},
		"ObserveOnly": {
			Reason:   "Any version may be looked at.",
			Resource: testVersion(testenv.ObserveOnly, testenv.Imported[mg]("3")), AWS: has(configuration("3")),
			Want: inOrder,
		},
		"Unreadable": {
			Reason:   "Ready reports that it is not known whether the function has changed.",
			Resource: testVersion(at("3")), AWS: has(configuration("$LATEST", secret), configuration("3", secret)),
			Want: observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonUnavailable, Message: unread},
		},
		"UnreadableOnRequest": {
			Reason: "Spec requests no new version.", Resource: testVersion(at("3"), onRequest),
			AWS: has(configuration("$LATEST", secret), configuration("3", secret)), Want: inOrder,
		},
		"UnreadableRequested": {
			Reason: "What cannot be read is not published.", Resource: testVersion(at("3"), onRequest, trigger),
			AWS:  has(configuration("$LATEST", secret), configuration("3")),
			Want: observation{Exists: true, UpToDate: true, Ready: xpv2.ReasonUnavailable, Message: unread},
		},
		"UnreadableVersion": {
			Reason: "A version stays what it was while its variables could be read.", Resource: testVersion(
				at("3"), read("a"),
			), AWS: has(configuration("$LATEST", variables("a")), configuration("3", secret)),
			Want: inOrder,
		},
		"UnreadableVersionChanged": {
			Reason:   "A change is detected by comparing with the status from before the variables became unreadable.",
			Resource: testVersion(at("3"), read("a")),
			AWS:      has(configuration("$LATEST", variables("b")), configuration("3", secret)),
			Want: observation{
				Exists: true, Ready: "Updating", Message: "publishing a new version: function changed",
			},
		},
		"UnreadableObserveOnly": {
			Reason: "Any version may be looked at, whatever its key.", Resource: testVersion(
				testenv.ObserveOnly, testenv.Imported[mg]("3"),
			), AWS: has(configuration("3", secret)), Want: inOrder,
		},
		"UnreadableDeleted": {
			Reason: "A key that cannot be used keeps nothing from being deleted.", Resource: testVersion(
				testenv.BeingDeleted, at("3"),
			), AWS: has(configuration("3", secret)), Want: observation{Exists: true},
		},
		"ManagedInstances": {
			Reason: "A version is Ready when AWS is done with it.", Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST", nonInvocable), configuration("3")), Want: inOrder,
		},
		"VersionNonInvocable": {
			Reason:   "AWS documents no such state of a published version. If it occurs, it is not awaited forever.",
			Resource: testVersion(at("3")),
			AWS:      has(configuration("$LATEST", nonInvocable), configuration("3", nonInvocable)), Want: inOrder,
		},
		"VersionUpdating": {
			Reason:   "The state of a version counts: its last update may stay in progress when it is Active.",
			Resource: testVersion(at("3")),
			AWS: has(configuration("$LATEST"), configuration("3", func(c *types.FunctionConfiguration) {
				c.LastUpdateStatus = types.LastUpdateStatusInProgress
			})),
			Want: inOrder,
		},
		"Denied": {
			Reason: "AWS's error is returned.", Resource: testVersion(), AWS: func(e env) {
				e.Refuse(opGet, http.StatusForbidden, "AccessDeniedException", "no")
			}, Want: observation{Err: "cannot read function f"},
		},
	})
}

// TestWaitingForAFunction checks that a Function that is not Ready is read less and less
// often: it triggers a reconcile of the Version once it is Ready.
func TestWaitingForAFunction(t *testing.T) {
	unready := testenv.Functions{Answer: func(client.ObjectKey, *v1beta1.Function) error { return nil }}
	byRef := func(v *v1beta1.Version) {
		v.Spec.ForProvider.FunctionNameRef = &xpv2.NamespacedReference{Name: "cart"}
	}
	other := func(c *types.FunctionConfiguration) { c.CodeSha256 = ptr.To("other") }
	for name, v := range map[string]*v1beta1.Version{"First": testVersion(byRef), "Next": testVersion(byRef, at("3"))} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t).following(unready)
			e.Script = script(answers(configuration("$LATEST", other), configuration("3")))
			began, last, observations := time.Now(), time.Duration(0), 0
			for at := time.Duration(0); at < time.Hour; observations++ {
				f := reconcile.Facts{Fresh: readcache.Freshness{Now: began.Add(at)}}
				d := engine.Observe(t.Context(), e.Observer(), f, v)
				if d.Err != nil || d.Later != nil || !d.Exists || d.Call != nil {
					t.Fatalf("later %v, %+v, %v", d.Later, d.Outcome, d.Err)
				}
				if ready := v.GetCondition(xpv2.TypeReady); ready.Status == corev1.ConditionTrue ||
					ready.Message != "Function ns/cart is not Ready yet" {
					t.Fatalf("Ready must say what is waited for: %+v", ready)
				}
				last = d.After
				at += max(last, time.Second)
			}
			if observations > 50 || last != 5*time.Minute {
				t.Errorf("%d looks in an hour, the last %s apart", observations, last)
			}
		})
	}
}

// TestNothingIsDeletedWithoutAQualifier checks that DeleteFunction is called with a
// qualifier, because without one it deletes the function and all of its versions.
func TestNothingIsDeletedWithoutAQualifier(t *testing.T) {
	for _, name := range []string{"", "$LATEST", "live", "0", "-1", " 3", "3,4"} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			v := testVersion(testenv.BeingDeleted)
			th := &external{api: e.Lambda, cache: e.Cache, function: "f"}
			_, err := th.delete(t.Context(), v, found{Name: name})
			if err == nil || e.Double.Count(opDelete) > 0 {
				t.Errorf("a Version called %q deleted something: %v, error %v", name, e.Operations(), err)
			}
		})
	}
}

func TestDeletionsHaveTheirQualifier(t *testing.T) {
	var got []string
	r := newEnv(t)
	r.Script = script(answers(configuration("7")))
	r.Script[opDelete] = testenv.Scripted(func(in *lambda.DeleteFunctionInput) (*lambda.DeleteFunctionOutput, error) {
		got = append(got, ptr.Deref(in.FunctionName, "")+":"+ptr.Deref(in.Qualifier, "NONE"))
		return &lambda.DeleteFunctionOutput{}, nil
	})
	v := testVersion(testenv.BeingDeleted, at("7"), func(v *v1beta1.Version) {
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](5)
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}, {Version: "2"}}
	})
	for range 3 {
		if o, err := r.Do(v); o != testenv.Deleted || err != nil {
			t.Fatalf("%s, %v", o, err)
		}
	}
	if diff := cmp.Diff([]string{"f:2", "f:5", "f:7"}, got); diff != "" {
		t.Errorf("deletions: -want, +got:\n%s", diff)
	}
}

func TestVersionsInUse(t *testing.T) {
	r := newEnv(t)
	r.Script = script(answers(configuration("7")))
	r.Script[opDelete] = testenv.Returns[lambda.DeleteFunctionOutput](
		nil,
		testenv.APIError(
			http.StatusConflict, "ResourceConflictException",
			"Unable to delete version because the following aliases reference it: [live]",
		),
	)
	v := testVersion(testenv.BeingDeleted, at("7"), func(v *v1beta1.Version) {
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}}
	})
	_, aborted, err := r.Attempt(v)
	if err != nil || len(r.Done.Events) > 0 || len(v.Status.AtProvider.History) != 2 {
		t.Errorf("what uses it may be deleted in a moment, too, got %v, %v", err, r.Done.Events)
	}
	if !aborted || r.Done.Later.After > 10*time.Second {
		t.Errorf("it must be looked at again soon, aborted %t, %v", aborted, r.Done.Later)
	}
	r.Advance(time.Minute)
	if _, err := r.Do(v); err != nil {
		t.Errorf("an earlier version that is in use must be kept, got %v", err)
	}
	if events := r.Done.Events; len(events) != 1 ||
		!strings.Contains(
			events[0].Message,
			"Kept version 5 of function f: Unable to delete version because the following aliases reference it: [live]",
		) {
		t.Errorf("an event must say so, got %v", events)
	}
	if _, err := r.Do(v); err == nil || !strings.Contains(err.Error(), "cannot delete version 7 of function f") {
		t.Errorf("the version itself must be waited for, got %v", err)
	}
}

// TestPruningKeepsNothingElseFromBeingDone checks that an error of pruning, such as a
// missing permission, is reported, and does not prevent aliases from moving to a version
// that AWS has prepared.
func TestPruningKeepsNothingElseFromBeingDone(t *testing.T) {
	e := newEnv(t)
	e.Script = script(answers(configuration("$LATEST"), configuration("7")))
	e.Script["ListEventSourceMappings"] = testenv.Returns[lambda.ListEventSourceMappingsOutput](
		nil, testenv.APIError(http.StatusForbidden, "AccessDeniedException", "no"),
	)
	v := testVersion(at("7"), func(v *v1beta1.Version) {
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
		v.Status.AtProvider.State, v.Status.AtProvider.PreparedVersion = ptr.To("Pending"), ptr.To("5")
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}}
	})
	_, err := e.Do(v)
	if err == nil ||
		!strings.Contains(err.Error(), "cannot tell which versions of function f are in use, so none is deleted") {
		t.Errorf("what is missing must be told, got %v", err)
	}
	if s := v.Status.AtProvider; *s.State != "Active" || *s.PreparedVersion != "7" ||
		v.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		t.Errorf(
			"the version is there all the same: %s, prepared %s, %+v", *s.State, *s.PreparedVersion,
			v.GetCondition(xpv2.TypeReady),
		)
	}
}

// TestEarlierVersionsInUseAreLeft checks that a version that a mapping uses is kept: AWS
// would delete it, and the mapping would then fail.
func TestEarlierVersionsInUseAreLeft(t *testing.T) {
	r := newEnv(t)
	now := metav1.NewTime(r.Now())
	r.Script = script(answers(configuration("7")))
	r.Script["ListEventSourceMappings"] = testenv.Scripted(func(in *lambda.ListEventSourceMappingsInput) (
		*lambda.ListEventSourceMappingsOutput, error,
	) {
		return &lambda.ListEventSourceMappingsOutput{EventSourceMappings: []types.EventSourceMappingConfiguration{
			{UUID: ptr.To("m"), FunctionArn: in.FunctionName},
		}}, nil
	})
	v := testVersion(testenv.BeingDeleted, at("7"), func(v *v1beta1.Version) {
		v.DeletionTimestamp = &now
		v.Spec.ForProvider.HistoryLimit = ptr.To[int32](0)
		v.Status.AtProvider.FunctionArn = ptr.To(testARN + ":7")
		v.Status.AtProvider.History = []v1beta1.PublishedVersion{{Version: "7"}, {Version: "5"}}
	})
	r.Advance(time.Hour)
	if _, err := r.Do(v); err != nil {
		t.Errorf("an earlier version that is in use must be left, got %v", err)
	}
	if events := r.Done.Events; len(events) != 1 ||
		events[0].Message != "Kept version 5 of function f: event source mapping m uses it" {
		t.Errorf("an event must say so, got %v", events)
	}
	if diff := cmp.Diff([]v1beta1.PublishedVersion{{Version: "7"}}, v.Status.AtProvider.History); diff != "" {
		t.Errorf("history: -want, +got:\n%s", diff)
	}
}

func TestPublishedContentIsTheObservedOne(t *testing.T) {
	var in *lambda.PublishVersionInput
	v := testVersion(func(v *v1beta1.Version) {
		v.Spec.ForProvider.Description, v.Spec.ForProvider.CodeSHA256, v.Spec.ForProvider.PublishTo = ptr.To(
			"d",
		), ptr.To("code"), ptr.To("LATEST_PUBLISHED")
	})
	r := newEnv(t)
	r.Script = script(answers(configuration("$LATEST")))
	r.Script[opPublish] = testenv.Scripted(func(got *lambda.PublishVersionInput) (*lambda.PublishVersionOutput, error) {
		in = got
		if v.GetAnnotations()[v1beta1.AnnotationIntent] == "" {
			t.Error("what is to be published must be noted before")
		}
		return nil, testenv.APIError(http.StatusPreconditionFailed, "PreconditionFailedException", "stale")
	})
	o, aborted, err := r.Attempt(v)
	if o != testenv.Created || err != nil {
		t.Errorf("a change since must be no error, got %s, %v", o, err)
	}
	if !aborted {
		t.Error("the function must be looked at again")
	}
	want := lambda.PublishVersionInput{
		FunctionName: ptr.To("f"), Description: ptr.To("d"), CodeSha256: ptr.To("code"),
		PublishTo: types.FunctionVersionLatestPublishedLatestPublished, RevisionId: ptr.To("r$LATEST"),
	}
	if diff := cmp.Diff(
		want, *in, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "noSmithyDocumentSerde" }, cmp.Ignore()),
	); diff != "" {
		t.Errorf("PublishVersion: -want, +got:\n%s", diff)
	}
}
