// Package configuredtest has what tests of kinds need that configure a function: a
// double with a function in it, and the runtime's steps.
package configuredtest

import (
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/inventory"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
)

// What a rig has in AWS.
const (
	// Region of everything.
	Region = "eu-central-1"

	// Function is the name of the function.
	Function = "cart"

	// FunctionARN is its ARN.
	FunctionARN = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

	// Alias of version 1.
	Alias = "live"

	// zipped is an empty zip.
	zipped = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
)

// Start is when tests begin, by the double's clock.
var Start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A Rig is a double with a function that has versions 1 and 2, and an alias.
type Rig struct {
	testing.TB

	Double *awsdouble.Server
	AWS    *lambda.Client
	Cache  *inventory.Cache

	mu  sync.Mutex
	now time.Time
}

// New rig, whose provisioned concurrency takes the given time.
func New(t testing.TB, provision time.Duration) *Rig {
	t.Helper()
	r := &Rig{TB: t, Cache: &inventory.Cache{}, now: Start}
	r.Double = awsdouble.New(awsdouble.Options{Now: r.Now, ProvisionDuration: provision})
	r.Double.Start()
	t.Cleanup(r.Double.Close)
	r.AWS = lambda.NewFromConfig(r.Double.Config(Region))
	name := aws.String(Function)
	_, err := r.AWS.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: name, Role: aws.String("arn:aws:iam::123456789012:role/r"), Handler: aws.String("index.handler"),
		Runtime: types.RuntimePython313, Code: &types.FunctionCode{ZipFile: []byte(zipped)},
	})
	r.must(err)
	for _, description := range []string{"one", "two"} {
		_, err := r.AWS.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{FunctionName: name, Description: &description})
		r.must(err)
		_, err = r.AWS.PublishVersion(t.Context(), &lambda.PublishVersionInput{FunctionName: name})
		r.must(err)
	}
	_, err = r.AWS.CreateAlias(t.Context(), &lambda.CreateAliasInput{FunctionName: name, Name: aws.String(Alias), FunctionVersion: aws.String("1")})
	r.must(err)
	r.Double.ResetCalls()
	return r
}

func (r *Rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// Now is the time by the double's clock.
func (r *Rig) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Pass some time.
func (r *Rig) Pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// Delete marks a resource as a user does who deletes it.
func Delete(mg metav1.Object) { mg.SetDeletionTimestamp(&metav1.Time{Time: Start}) }

// An Outcome is what a step has done.
type Outcome string

// The outcomes of a step.
const (
	Created Outcome = "Created"
	Updated Outcome = "Updated"
	Deleted Outcome = "Deleted"
	Gone    Outcome = "Gone"
	Absent  Outcome = "Absent"
	Waits   Outcome = "Waits"
	Settled Outcome = "Settled"
)

// Step does what the runtime does in one reconcile of a resource. Whatever was read
// before is too old, unless the cache has it from the same moment.
func Step[T managed.Managed](r *Rig, mg T, e xpmanaged.TypedExternalClient[T]) (Outcome, error) {
	r.Helper()
	now := r.Now()
	ctx := managed.WithTurn(r.Context(), &managed.Turn{Fresh: inventory.Fresh{Now: now, Since: now}})
	o, err := e.Observe(ctx, mg)
	switch {
	case err != nil:
		return "", err
	case meta.WasDeleted(mg) && !o.ResourceExists:
		return Gone, nil
	case meta.WasDeleted(mg):
		_, err = e.Delete(ctx, mg)
		return Deleted, err
	case !o.ResourceExists && o.ResourceUpToDate:
		return Absent, nil
	case !o.ResourceExists:
		meta.SetExternalCreatePending(mg, now)
		_, err = e.Create(ctx, mg)
		return Created, err
	case !o.ResourceUpToDate:
		_, err = e.Update(ctx, mg)
		return Updated, err
	case mg.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue:
		return Waits, nil
	}
	return Settled, nil
}

// Settle steps until nothing is left to do, and tells what was done on the way.
func Settle[T managed.Managed](r *Rig, mg T, connect func() xpmanaged.TypedExternalClient[T]) []Outcome {
	r.Helper()
	const patience = 10
	var done []Outcome
	for range patience {
		o, err := Step(r, mg, connect())
		if err != nil {
			r.Fatalf("after %v: %v", done, err)
		}
		if o == Settled || o == Gone || o == Absent || o == Waits {
			return append(done, o)
		}
		done = append(done, o)
	}
	r.Fatalf("no end: %v", done)
	return nil
}
