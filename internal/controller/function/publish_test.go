package function

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// withCode returns minimal settings with inline code, changed.
func withCode(change ...func(*v1beta1.FunctionSettings)) v1beta1.FunctionSettings {
	inline := func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "x"}}
	}
	return minimal(append([]func(*v1beta1.FunctionSettings){inline}, change...)...)
}

func publishes(p *v1beta1.FunctionSettings) { p.Publish = ptr.To(true) }

func remembers(p *v1beta1.FunctionSettings) { p.MemorySize = ptr.To[int32](512) }

func lastPublished(f *v1beta1.Function) string {
	return ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, "none")
}

// TestPublicationWithoutANumber checks that a version is found if AWS's answer to its publication lacks the number.
func TestPublicationWithoutANumber(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
	e.Converge(f)
	e.Double.Fail(
		awsdouble.Fault{Operation: "PublishVersion", Times: 1, Answer: func(status int, b []byte) (int, []byte) {
			return status, bytes.ReplaceAll(b, []byte(`"Version":"2"`), []byte(`"Version":""`))
		}},
	)
	f.Spec.ForProvider.FunctionSettings = withCode(publishes, remembers)
	f.Generation++
	e.Converge(f)
	if got := lastPublished(f); got != "2" {
		t.Errorf("want version 2, got %q", got)
	}
}

// TestPublicationOfARecreatedFunction checks that a function that someone deletes is created and published again, even
// if status is not written after its creation: it would have the versions of the deleted function.
func TestPublicationOfARecreatedFunction(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
	e.Converge(f)
	_, err := e.Lambda.DeleteFunction(t.Context(), &lambda.DeleteFunctionInput{FunctionName: ptr.To("f")})
	e.Must(err)
	for created := false; !created; {
		e.Advance(time.Minute)
		before := f.DeepCopy()
		_, err := e.Do(f)
		e.Must(err)
		if _, created = e.Double.Function("f"); created {
			f.Status = before.Status
		}
	}
	e.Converge(f)
	if got := e.versions(); !slices.Equal(got, []string{lastPublished(f)}) {
		t.Errorf("version %s, want the one of the new function, %q", lastPublished(f), got)
	}
}

func TestPublishOnEveryChange(t *testing.T) {
	other := func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{Inline: map[string]string{"index.py": "y"}}
	}
	cases := map[string]struct {
		reason  string
		change  []func(*v1beta1.FunctionSettings)
		calls   []string
		version string
	}{
		"Nothing": {
			reason: "What did not change is not published again.", change: []func(*v1beta1.FunctionSettings){publishes},
			version: "1",
		},
		"Configuration": {
			reason: "A change of the configuration is published once it has converged.",
			change: []func(*v1beta1.FunctionSettings){publishes, remembers},
			calls:  []string{"UpdateFunctionConfiguration", "PublishVersion"}, version: "2",
		},
		"Code": {
			reason: "So is a change of the code.",
			change: []func(*v1beta1.FunctionSettings){publishes, other},
			calls:  []string{"UpdateFunctionCode", "PublishVersion"}, version: "2",
		},
		"Both": {
			reason: "A change of both is one version.",
			change: []func(*v1beta1.FunctionSettings){publishes, remembers, other},
			calls:  []string{"UpdateFunctionConfiguration", "UpdateFunctionCode", "PublishVersion"}, version: "2",
		},
		"Beside": {
			reason: "What is no part of a version publishes none.",
			change: []func(*v1beta1.FunctionSettings){
				publishes, func(p *v1beta1.FunctionSettings) { p.Tags = map[string]string{"a": "b"} },
			},
			calls: []string{"TagResource"}, version: "1",
		},
		"NoMore": {
			reason: "Without publish nothing is published, and what was stays known.",
			change: []func(*v1beta1.FunctionSettings){remembers},
			calls:  []string{"UpdateFunctionConfiguration"}, version: "1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
			if diff := cmp.Diff([]string{"CreateFunction"}, e.Converge(f)); diff != "" || lastPublished(f) != "1" {
				t.Fatalf("a creation must publish version 1, got %s; calls: %s", lastPublished(f), diff)
			}
			apply(f, withCode(tc.change...))
			if diff := cmp.Diff(tc.calls, e.Converge(f)); diff != "" {
				t.Errorf("%s\ncalls: -want, +got:\n%s", tc.reason, diff)
			}
			if got := lastPublished(f); got != tc.version {
				t.Errorf("%s\nlatest published version %s, want %s", tc.reason, got, tc.version)
			}
			e.Double.ResetCalls()
			if done, err := e.Step(f); err != nil || !done || e.Double.Count("") != 1 {
				t.Errorf("a steady reconcile must be one GetFunction: done %t, %v, %v", done, err, e.Double.Calls())
			}
		})
	}
}

// TestSameCodeIsNotPublishedAgain checks that code is published once, however often it is sent: AWS takes each update as
// a change, also that of the code that it has, and would publish another version.
func TestSameCodeIsNotPublishedAgain(t *testing.T) {
	cases := map[string]struct {
		reason string
		happen func(*env, *v1beta1.Function)
		want   string
	}{
		"LostAnswer": {
			reason: "An object of which S3 stores no hash is deployed again after a lost answer.", want: "2",
			happen: func(e *env, f *v1beta1.Function) {
				f.Spec.ForProvider.Code.S3Key = ptr.To("k2.zip")
				e.Double.Fail(awsdouble.Fault{Operation: string(opUpdateCode), Drop: awsdouble.DropAfter, Times: 10})
			},
		},
		"KilledProvider": {
			reason: "So it is if status was not written after a deployment.", want: "2",
			happen: func(e *env, f *v1beta1.Function) {
				f.Spec.ForProvider.Code.S3Key = ptr.To("k2.zip")
				before := f.DeepCopy()
				if _, err := e.Do(f); err != nil {
					t.Error(err)
				}
				f.Status = before.Status
			},
		},
		"SameCode": {
			reason: "An object with the code that AWS has is deployed, and no version has other code.", want: "1",
			happen: func(e *env, f *v1beta1.Function) {
				b, err := archive.Zip(map[string][]byte{"index.py": []byte("k1.zip")})
				e.Must(err)
				e.Double.PutObject("bucket", "same.zip", b)
				f.Spec.ForProvider.Code.S3Key = ptr.To("same.zip")
			},
		},
		"ByHand": {
			reason: "Code that replaces what someone has deployed is published already.", want: "1",
			happen: func(e *env, _ *v1beta1.Function) {
				_, err := e.Lambda.UpdateFunctionCode(e.Context(), &lambda.UpdateFunctionCodeInput{
					FunctionName: ptr.To("f"), S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k2.zip"),
				})
				e.Must(err)
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.Publish = ptr.To(true)
				f.Spec.ForProvider.Code = &v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")}
			})
			e.Converge(f)
			tc.happen(e, f)
			f.Generation++
			for range 3 {
				e.Advance(time.Minute)
				_, _ = e.Do(f) //nolint:errcheck // That of the lost answer.
			}
			e.Double.ClearFaults()
			e.Converge(f)
			if all := e.versions(); lastPublished(f) != tc.want || all[len(all)-1] != tc.want {
				t.Errorf("%s\nversion %s is the last one of %v, want %s", tc.reason, lastPublished(f), all, tc.want)
			}
		})
	}
}

func TestPublishAnExistingVersion(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	e.Converge(f)
	apply(f, withCode(publishes))
	if diff := cmp.Diff([]string{"PublishVersion"}, e.Converge(f)); diff != "" || lastPublished(f) != "1" {
		t.Errorf(
			"publish that is set later must publish once, got version %s: -want, +got:\n%s", lastPublished(f), diff,
		)
	}
}

// TestPublishOn checks what is published after someone changed in AWS a setting that spec
// does not set.
func TestPublishOn(t *testing.T) {
	timeout := func(seconds int32) func(p *v1beta1.FunctionSettings) {
		return func(p *v1beta1.FunctionSettings) { p.Timeout = ptr.To(seconds) }
	}
	cases := map[string]struct {
		reason    string
		publishOn *string
		change    []func(*v1beta1.FunctionSettings)
		calls     []string
		version   string
	}{
		"ByHand": {
			reason: "A manual change is not published by default.", version: "1",
		},
		"AnyChange": {
			reason: "With publishOn AnyChange, a manual change is published.", publishOn: ptr.To("AnyChange"),
			calls: []string{"PublishVersion"}, version: "2",
		},
		"ThenSpec": {
			reason: "The next change of spec is published, with all that the function has then.",
			change: []func(*v1beta1.FunctionSettings){remembers},
			calls:  []string{"UpdateFunctionConfiguration", "PublishVersion"}, version: "2",
		},
		"ThenTheSameInSpec": {
			reason: "What spec takes over from the hand is published.",
			change: []func(*v1beta1.FunctionSettings){timeout(33)},
			calls:  []string{"PublishVersion"}, version: "2",
		},
		"ThenOtherwiseInSpec": {
			reason: "What was published already is not published again.",
			change: []func(*v1beta1.FunctionSettings){timeout(3)},
			calls:  []string{"UpdateFunctionConfiguration"}, version: "1",
		},
		"ThenTags": {
			reason: "What is no part of a version publishes none.", change: []func(*v1beta1.FunctionSettings){
				func(p *v1beta1.FunctionSettings) { p.Tags = map[string]string{"a": "b"} },
			},
			calls: []string{"TagResource"}, version: "1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) {
				f.Spec.ForProvider.FunctionSettings = withCode(publishes)
				f.Spec.ForProvider.PublishOn = tc.publishOn
			})
			e.Converge(f)
			if _, err := e.Lambda.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{
				FunctionName: ptr.To("f"), Timeout: ptr.To[int32](33),
			}); err != nil {
				t.Fatal(err)
			}
			e.Advance(time.Minute)
			calls := e.Converge(f)
			if tc.change != nil {
				if len(calls) > 0 {
					t.Errorf("a change by hand alone caused %v", calls)
				}
				apply(f, withCode(append(tc.change, publishes)...))
				calls = e.Converge(f)
			}
			if diff := cmp.Diff(tc.calls, calls); diff != "" || lastPublished(f) != tc.version {
				t.Errorf(
					"%s\nversion %s, want %s; calls: -want, +got:\n%s", tc.reason, lastPublished(f), tc.version, diff,
				)
			}
			e.Advance(time.Minute)
			if calls := e.Converge(f); len(calls) > 0 {
				t.Errorf("a converged function caused %v", calls)
			}
		})
	}
}

func TestPublishSurvivesLostAnswersAndRestarts(t *testing.T) {
	for _, drop := range []awsdouble.Drop{awsdouble.DropBefore, awsdouble.DropAfter} {
		t.Run(fmt.Sprint(drop), func(t *testing.T) {
			e := newEnv(t)
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
			e.Converge(f)
			apply(f, withCode(publishes, remembers))
			e.Double.Fail(awsdouble.Fault{Operation: "PublishVersion", Drop: drop, Times: 5})
			for range 10 {
				before := f.DeepCopy()
				if _, err := e.Step(f); err != nil {
					// The status of a failed reconcile may not have been written.
					f.Status = before.Status
					break
				}
				e.Advance(2 * time.Second)
			}
			e.Double.ClearFaults()
			e.Converge(f)
			out, err := e.Lambda.ListVersionsByFunction(
				t.Context(), &lambda.ListVersionsByFunctionInput{FunctionName: ptr.To("f")},
			)
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Versions) != 3 || lastPublished(f) != "2" {
				t.Errorf(
					"one change must be one version whatever gets lost: latest %s of %d", lastPublished(f),
					len(out.Versions)-1,
				)
			}

			f.Status.AtProvider = v1beta1.FunctionObservation{}
			e.Converge(f)
			if got := lastPublished(f); got != "2" {
				t.Errorf("a status that was lost must come back with the same version, got %s", got)
			}
		})
	}
}

func TestPublishWaitsForAWS(t *testing.T) {
	snapshots := func(p *v1beta1.FunctionSettings) {
		publishes(p)
		p.SnapStart = &v1beta1.SnapStart{ApplyOn: "PublishedVersions"}
	}
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(snapshots) })
	e.Converge(f)
	apply(f, withCode(snapshots, remembers))
	preparing := false
	for range 10 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		if f.Status.AtProvider.PublishingVersion != nil {
			preparing = true
			if got := lastPublished(f); got != "1" {
				t.Errorf("a version that AWS is preparing must not be followed yet, got %s", got)
			}
		}
		e.Advance(time.Second / 2)
	}
	if !preparing || lastPublished(f) != "2" || f.Status.AtProvider.PublishingVersion != nil {
		t.Errorf(
			"preparing %t, latest %s, still preparing %v", preparing, lastPublished(f),
			f.Status.AtProvider.PublishingVersion,
		)
	}

	e.Double.FailVersion("f", "The snapshot could not be made.", "FunctionError")
	apply(f, withCode(snapshots, func(p *v1beta1.FunctionSettings) { p.Timeout = ptr.To[int32](77) }))
	for range 10 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		e.Advance(time.Second)
	}
	ready := f.GetCondition(xpv2.TypeReady)
	if !strings.Contains(
		ready.Message,
		"version 3 failed: The snapshot could not be made. (FunctionError); to publish another",
	) ||
		lastPublished(f) != "2" {
		t.Errorf("a version that failed must be told and not followed: latest %s, %v", lastPublished(f), ready)
	}
	if got := e.Double.Count("PublishVersion"); got != 2 {
		t.Errorf("what failed must not be published over and over, got %d calls", got)
	}

	f.Spec.ForProvider.Publish = ptr.To(false)
	f.Generation++
	if calls := e.Converge(f); len(calls) != 0 || lastPublished(f) != "2" {
		t.Errorf("without publishing, a version that failed is no error: latest %s, calls %v", lastPublished(f), calls)
	}
	f.Spec.ForProvider.Publish = ptr.To(true)
	f.Generation++
	for range 3 {
		e.Advance(time.Second)
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
	}
	if ready := f.GetCondition(xpv2.TypeReady); !strings.Contains(ready.Message, "version 3 failed: ") ||
		lastPublished(f) != "2" {
		t.Errorf(
			"AWS returns the failed version again, which must be told and not followed: latest %s, %v",
			lastPublished(f),
			ready,
		)
	}
}

func TestFailedUpdateIsNotPublished(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
	e.Converge(f)
	e.Double.FailUpdate("f", "No such subnet.", "InvalidSubnet")
	apply(f, withCode(publishes, remembers))
	for range 10 {
		if _, err := e.Step(f); err != nil {
			t.Fatal(err)
		}
		e.Advance(2 * time.Second)
	}
	if got := e.Double.Count("PublishVersion"); got != 0 {
		t.Errorf("an update that failed must not be published, got %d calls", got)
	}
}

// TestPublishToChanges checks that what is published already is published again where spec wants it now, once.
func TestPublishToChanges(t *testing.T) {
	e := newEnv(t)
	f := testFunction(onManagedInstances)
	e.Converge(f)
	for _, c := range []struct {
		to   *string
		want string
	}{{ptr.To("LATEST_PUBLISHED"), functionname.LatestPublished}, {nil, "1"}} {
		f.Spec.ForProvider.PublishTo = c.to
		f.Generation++
		if diff := cmp.Diff([]string{string(opPublish)}, e.Converge(f)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", c.want, diff)
		}
		if got := ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, ""); got != c.want {
			t.Errorf("the latest version is %s, want %s", got, c.want)
		}
		if again := e.Converge(f); len(again) > 0 {
			t.Errorf("%s: nothing is left to do: %v", c.want, again)
		}
	}
}

// TestCodeThatAWSDoesNotShowIsNotPublishedAgain checks that code that is sent again, because an emulator shows no hash of
// it, is not published again.
func TestCodeThatAWSDoesNotShowIsNotPublishedAgain(t *testing.T) {
	e := newEnv(t)
	f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = withCode(publishes) })
	noHash := testenv.Without("CodeSha256", "CodeSize", "Code")
	e.ReconcileForAnHour(f, testenv.Answers{opGet: noHash, opCreate: noHash, string(opUpdateCode): noHash},
		append([]string{opCreate}, slices.Repeat([]string{string(opUpdateCode)}, 6)...), testenv.NotVisible)
	if got := lastPublished(f); got != "1" {
		t.Errorf("want that only the creation is published, got version %q", got)
	}
}
