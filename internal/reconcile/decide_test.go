package reconcile

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

const generation = 2

// seen returns all Ready conditions that a decision may start from.
func seen() []xpv2.Condition {
	out := []xpv2.Condition{{}}
	for g := int64(1); g <= generation; g++ {
		out = append(
			out,
			Available(g),
			Creating(g, ""),
			Creating(g, "AWS is at it"),
			Updating(g, "changing memorySize"),
			Unavailable(g, "no such subnet"),
			Unavailable(g, NeverShownMessage),
			Differing(g, "memorySize 128 -> 256"),
		)
	}
	return out
}

// product calls visit with each combination of inputs.
func product(visit func(Input)) {
	both := []bool{false, true}
	for _, ready := range seen() {
		for _, failure := range []Failure{Succeeded, Passing, Awaited, Refused, Stuck} {
			for _, deleted := range both {
				for _, paused := range both {
					for _, changed := range both {
						for _, unseen := range both {
							for _, differs := range []string{"", "tags[team]"} {
								f := Input{
									Generation: generation,
									Deleted:    deleted,
									Paused:     paused,
									Ready:      ready,
									Differs:    differs,
									Changed:    changed,
									Unseen: unseen &&
										(ready.Reason == xpv2.ReasonCreating || IsNeverShown(ready)),
									Failure:    failure,
									Observed:   ready.ObservedGeneration,
									Reconciled: 1,
								}
								if ready.Status != corev1.ConditionTrue && ready.ObservedGeneration < generation {
									f.Reconciled = 0 // Nothing was ever served.
								}
								if failure != Succeeded {
									f.Error = "cannot: AWS says no"
								}
								if possible(f) {
									visit(f)
								}
							}
						}
					}
				}
			}
		}
	}
}

// possible reports whether a reconcile can have this input: one without an error has observed
// AWS, and one that is paused has done nothing.
func possible(f Input) bool {
	switch {
	case f.Paused:
		return f.Failure == Succeeded && !f.Changed && f.Differs == ""
	case f.Failure == Succeeded && !f.Deleted:
		return f.Ready.ObservedGeneration == generation && f.Ready.Reason != v1beta1.ReasonDiffers
	}
	return true
}

// object returns a resource with the decided status.
func object(f Input, d Decision) *samples.Sample {
	o := &samples.Sample{ObjectMeta: metav1.ObjectMeta{Name: "cart", Generation: f.Generation}}
	if f.Deleted {
		o.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	switch {
	case f.Paused:
		o.SetConditions(xpv2.ReconcilePaused())
	case f.Failure != Succeeded:
		o.SetConditions(xpv2.ReconcileError(errors.New("observe failed: " + f.Error)))
	default:
		o.SetConditions(xpv2.ReconcileSuccess())
	}
	if f.Failure == Stuck {
		o.SetConditions(Stalled(f.Generation, f.Error))
	}
	if d.Ready.Type != "" {
		o.SetConditions(d.Ready)
	}
	o.SetObservedGeneration(d.Observed)
	o.SetSummary(v1beta1.Summary{Phase: d.Phase, Message: d.Message})
	return o
}

func TestDecideNeverContradictsItself(t *testing.T) {
	n := 0
	product(func(f Input) {
		n++
		d := Decide(f)
		wrong := func(format string, args ...any) {
			t.Errorf("%s\nfacts %+v\ndecision %+v", fmt.Sprintf(format, args...), f, d)
		}
		if err := samples.Contradiction(object(f, d)); err != nil {
			wrong("%v", err)
		}
		if d.Ready.Status == corev1.ConditionTrue && (f.Failure != Succeeded && f.Failure != Passing) {
			wrong("Ready is True beside an error that is of this resource")
		}
		if d.Ready.Status == corev1.ConditionTrue && !f.Paused && f.Ready.Status != corev1.ConditionTrue {
			wrong("Ready is True without AWS having been seen to serve it")
		}
		if f.Failure != Succeeded && d.Message == "" {
			wrong("an error is not told")
		}
		if d.Ready.Status == corev1.ConditionFalse && d.Message == "" && d.Ready.Message != "" {
			wrong("the message of Ready is not that of the summary")
		}
		if f.Failure != Succeeded && d.Ready.Status == corev1.ConditionFalse && d.Ready.Message == "" {
			wrong("Ready does not say why")
		}
		if want := f.Generation; !f.Paused && d.Observed != want {
			wrong("observed generation %d, want %d", d.Observed, want)
		}
		if f.Paused && d.Observed != f.Observed {
			wrong("nothing was looked at")
		}
		if f.Deleted != (d.Phase == v1beta1.PhaseDeleting) {
			wrong("a deletion is told wherever there is one, and nowhere else")
		}
		if again := Decide(
			next(f, d),
		); !f.Paused && f.Failure != Succeeded &&
			cmp.Diff(d, again, cmpopts.IgnoreFields(xpv2.Condition{}, "LastTransitionTime")) != "" {
			wrong("the same error once more is told otherwise: %+v", again)
		}
	})
	if n < 500 {
		t.Errorf("only %d cases", n)
	}
}

// next returns the input of a reconcile that ends with the same error before it can observe
// AWS.
func next(f Input, d Decision) Input {
	f.Ready, f.Observed, f.Reconciled = d.Ready, d.Observed, d.Reconciled
	f.Unseen = f.Unseen && (d.Ready.Reason == xpv2.ReasonCreating || IsNeverShown(d.Ready))
	return f
}

func TestDecide(t *testing.T) {
	const message = "cannot: AWS says no"
	cases := map[string]struct {
		reason string
		input  Input
		want   Decision
	}{
		"Served": {
			reason: "AWS serves what the spec asks for.",
			input:  Input{Generation: 2, Ready: Available(2), Observed: 1, Reconciled: 1},
			want:   Decision{Ready: Available(2), Phase: "Available", Observed: 2, Reconciled: 2},
		},
		"ServedOutage": {
			reason: "An outage of AWS takes nothing away from what was served.",
			input: Input{
				Generation: 2,
				Ready:      Available(2),
				Failure:    Passing,
				Error:      message,
				Observed:   2,
				Reconciled: 2,
			},
			want: Decision{Ready: Available(2), Phase: "Available", Message: message, Observed: 2, Reconciled: 2},
		},
		"ChangedOutage": {
			reason: "What the spec asks for now was never seen.",
			input: Input{
				Generation: 2,
				Ready:      Available(1),
				Failure:    Passing,
				Error:      message,
				Observed:   1,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Updating(1, message),
				Phase:      "Updating",
				Message:    message,
				Observed:   2,
				Reconciled: 1,
			},
		},
		"ServedRefused": {
			reason: "Ready and phase agree that something is wrong.",
			input: Input{
				Generation: 2,
				Ready:      Available(2),
				Failure:    Refused,
				Error:      message,
				Observed:   2,
				Reconciled: 2,
			},
			want: Decision{
				Ready:      Unavailable(2, message),
				Phase:      "Error",
				Message:    message,
				Observed:   2,
				Reconciled: 2,
			},
		},
		"CreationRefused": {
			reason: "What AWS refuses to create is not being created.",
			input:  Input{Generation: 1, Ready: Creating(1, ""), Failure: Refused, Error: message},
			want:   Decision{Ready: Unavailable(1, message), Phase: "Error", Message: message, Observed: 1},
		},
		"CreationRefusedForGood": {
			reason: "Once only the user can help, the generation is converged.",
			input:  Input{Generation: 1, Ready: Creating(1, ""), Failure: Stuck, Error: message},
			want: Decision{
				Ready:      Unavailable(1, message),
				Phase:      "Error",
				Message:    message,
				Observed:   1,
				Reconciled: 1,
			},
		},
		"CreatedUnseen": {
			reason: "What AWS has created without showing it is not forgotten over an error.",
			input: Input{
				Generation: 1,
				Ready:      Creating(1, "AWS has created it"),
				Unseen:     true,
				Failure:    Refused,
				Error:      message,
				Observed:   1,
			},
			want: Decision{Ready: Creating(1, message), Phase: "Creating", Message: message, Observed: 1},
		},
		"CreatedUnseenForGood": {
			reason: "The phase says that only the user can help, while Ready still records that AWS has created it.",
			input: Input{
				Generation: 1,
				Ready:      Creating(1, "AWS has created it"),
				Unseen:     true,
				Failure:    Stuck,
				Error:      message,
				Observed:   1,
			},
			want: Decision{Ready: Creating(1, message), Phase: "Error", Message: message, Observed: 1, Reconciled: 1},
		},
		"Awaited": {
			reason: "What was applied together is waited for.",
			input:  Input{Generation: 1, Failure: Awaited, Error: message},
			want:   Decision{Ready: Creating(1, message), Phase: "Pending", Message: message, Observed: 1},
		},
		"AwaitedAgain": {
			reason: "What was there waits for nothing: something is broken.",
			input: Input{
				Generation: 1,
				Ready:      Available(1),
				Failure:    Awaited,
				Error:      message,
				Observed:   1,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Unavailable(1, message),
				Phase:      "Error",
				Message:    message,
				Observed:   1,
				Reconciled: 1,
			},
		},
		"UpdateRefused": {
			reason: "AWS took no change.",
			input: Input{
				Generation: 2,
				Ready:      Updating(2, "changing role"),
				Failure:    Refused,
				Error:      message,
				Observed:   1,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Unavailable(2, message),
				Phase:      "Error",
				Message:    message,
				Observed:   2,
				Reconciled: 1,
			},
		},
		"UpdateFailed": {
			reason: "AWS took the change and failed.",
			input: Input{
				Generation: 2,
				Ready:      Unavailable(2, "update failed: no such subnet"),
				Observed:   2,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Unavailable(2, "update failed: no such subnet"),
				Phase:      "Error",
				Message:    "update failed: no such subnet",
				Observed:   2,
				Reconciled: 2,
			},
		},
		"Updated": {
			reason: "A call was made just now.",
			input: Input{
				Generation: 2,
				Ready:      Updating(2, "changing role"),
				Changed:    true,
				Observed:   1,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Updating(2, "changing role"),
				Phase:      "Updating",
				Message:    "changing role",
				Observed:   2,
				Reconciled: 1,
			},
		},
		"SentWhileAvailable": {
			reason: "What was sent for this generation is yet to be seen.",
			input:  Input{Generation: 2, Ready: Available(2), Changed: true, Observed: 1, Reconciled: 1},
			want:   Decision{Ready: Updating(2, ""), Phase: "Updating", Observed: 2, Reconciled: 1},
		},
		"Differs": {
			reason: "AWS serves something else, and nothing may change it.",
			input: Input{
				Generation: 2,
				Ready:      Available(2),
				Differs:    "memorySize 128 -> 256",
				Observed:   2,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Differing(2, "memorySize 128 -> 256"),
				Phase:      "Differs",
				Message:    "memorySize 128 -> 256",
				Observed:   2,
				Reconciled: 2,
			},
		},
		"RolledBack": {
			reason: "AWS serves the version before the one that failed.",
			input:  Input{Generation: 2, Ready: RolledBack(2, "version 1 serves"), Observed: 2, Reconciled: 1},
			want: Decision{
				Ready:      RolledBack(2, "version 1 serves"),
				Phase:      "RolledBack",
				Message:    "version 1 serves",
				Observed:   2,
				Reconciled: 2,
			},
		},
		"DeletionRefused": {
			reason: "The failure of the deletion comes first.",
			input: Input{
				Generation: 2,
				Deleted:    true,
				Ready:      Available(1),
				WaitsFor:   "leaving its VPC",
				Failure:    Refused,
				Error:      message,
				Observed:   1,
				Reconciled: 1,
			},
			want: Decision{
				Ready:      Deleting(2, message),
				Phase:      "Deleting",
				Message:    message,
				Observed:   2,
				Reconciled: 1,
			},
		},
		"DeletionWaits": {
			reason: "Ready reports what the deletion waits for.",
			input: Input{
				Generation: 2,
				Deleted:    true,
				Ready:      Available(1),
				WaitsFor:   "leaving its VPC",
				Observed:   1,
				Reconciled: 1,
				Changed:    true,
			},
			want: Decision{
				Ready:      Deleting(2, "leaving its VPC"),
				Phase:      "Deleting",
				Message:    "leaving its VPC",
				Observed:   2,
				Reconciled: 1,
			},
		},
		"Paused": {
			reason: "Nothing was looked at.",
			input:  Input{Generation: 2, Paused: true, Ready: Available(1), Observed: 1, Reconciled: 1},
			want:   Decision{Ready: Available(1), Phase: "Available", Observed: 1, Reconciled: 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(
				tc.want,
				Decide(tc.input),
				cmpopts.IgnoreFields(xpv2.Condition{}, "LastTransitionTime"),
			); diff != "" {
				t.Errorf("%s\n-want +got: %s", tc.reason, diff)
			}
		})
	}
}
