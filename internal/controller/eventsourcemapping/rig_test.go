package eventsourcemapping

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ktypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/tagmemory"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

const (
	testCluster = "cluster-1"
	testQueue   = "arn:aws:sqs:eu-central-1:123456789012:q"
	testStream  = "arn:aws:kinesis:eu-central-1:123456789012:stream/s"
	testMSK     = "arn:aws:kafka:eu-central-1:123456789012:cluster/c/0"
	testBroker  = "arn:aws:mq:eu-central-1:123456789012:broker:b:b-0"
	testDocDB   = "arn:aws:rds:eu-central-1:123456789012:cluster:c"
	testSecret  = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:"
	testKey     = "arn:aws:kms:eu-central-1:123456789012:key/"
)

var testNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a settable clock.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// noFields are the fields of other objects where a test has none.
type noFields func(v1beta1.FieldSelector) (string, error)

func (f noFields) Get(_ context.Context, _ string, s v1beta1.FieldSelector) (string, error) {
	if f == nil {
		return "", errors.New("there are no fields")
	}
	return f(s)
}

// rig is a double with the real SDK before it, and a reconciler that does what the
// runtime does, a step at a time.
type rig struct {
	t      testing.TB
	clock  *clock
	double *awsdouble.Server
	lambda *lambda.Client
	tags   *tagmemory.Memory
	sent   *attempts
	fields noFields
}

// newRig has functions f and g in AWS, and mappings that take a second for each change.
func newRig(t testing.TB) *rig {
	t.Helper()
	c := &clock{now: testNow}
	d := awsdouble.New(awsdouble.Options{Now: c.Now, CreateDuration: time.Second, UpdateDuration: time.Second})
	d.Start()
	t.Cleanup(d.Close)
	r := &rig{t: t, clock: c, double: d}
	r.restart()
	for _, name := range []string{"f", "g"} {
		_, err := r.lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
			FunctionName: ptr.To(name), Role: ptr.To("arn:aws:iam::123456789012:role/r"), PackageType: types.PackageTypeImage,
			Code: &types.FunctionCode{ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/r:1")},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	d.ResetCalls()
	return r
}

// restart the provider: all that it remembers in memory is gone.
func (r *rig) restart() {
	r.lambda = lambda.NewFromConfig(r.double.Config(steptest.Region), func(o *lambda.Options) { o.Retryer = aws.NopRetryer{} })
	r.tags, r.sent = tagmemory.New(r.clock.Now), newAttempts()
}

func (r *rig) external() *flow.External[*v1beta1.EventSourceMapping, observed] {
	return flow.New(r.thing(r.lambda), flow.Calls{Create: opCreate, Delete: opDelete})
}

// ignoring is an owner whose config ignores a tag.
func ignoring(tag string) tagging.Owner {
	return tagging.Owner{Kind: kind, ClusterID: testCluster, Config: "default", Ignore: func(k string) bool { return k == tag }}
}

func (r *rig) thing(api lambdaAPI) *thing {
	return &thing{
		api: api, fields: r.fields, tags: r.tags, sent: r.sent, now: r.clock.Now,
		owner: ignoring("ignored"),
	}
}

// step is one reconcile, with what the runtime annotates around a creation. It tells
// whether there was nothing to do.
func (r *rig) step(m *v1beta1.EventSourceMapping) (settled bool, err error) {
	turn := &managed.Turn{}
	ctx := managed.WithTurn(r.t.Context(), turn)
	e := r.external()
	obs, err := e.Observe(ctx, m)
	if _, held := turn.Held(); err != nil || held {
		return false, err
	}
	switch {
	case meta.WasDeleted(m) && !obs.ResourceExists:
		return true, nil
	case meta.WasDeleted(m):
		_, err = e.Delete(ctx, m)
	case !obs.ResourceExists:
		meta.SetExternalCreatePending(m, r.clock.Now())
		_, err = e.Create(ctx, m)
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, m)
	default:
		return m.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue, nil
	}
	return false, err
}

// settle reconciles until there is nothing to do, and returns the calls that wrote.
func (r *rig) settle(m *v1beta1.EventSourceMapping) []string {
	r.t.Helper()
	before := len(r.double.Calls())
	for range 30 {
		done, err := r.step(m)
		if err != nil {
			r.t.Fatalf("reconcile: %v", err)
		}
		if done {
			return writes(r.double.Calls()[before:])
		}
		r.clock.advance(2 * time.Second)
	}
	r.t.Fatalf("did not settle: %v; calls %v", m.GetCondition(xpv2.TypeReady), writes(r.double.Calls()[before:]))
	return nil
}

func writes(calls []awsdouble.Call) []string {
	var out []string
	for _, c := range calls {
		if !slices.Contains([]string{opGet, opList, opTags}, c.Operation) {
			out = append(out, c.Operation)
		}
	}
	return out
}

// operations that the double was asked for since they were reset.
func (r *rig) operations() []string {
	var out []string
	for _, c := range r.double.Calls() {
		out = append(out, c.Operation)
	}
	return out
}

// only is the one mapping that AWS has.
func (r *rig) only() awsdouble.Mapping {
	r.t.Helper()
	all := r.double.Mappings()
	if len(all) != 1 {
		r.t.Fatalf("AWS has %d mappings, want 1: %+v", len(all), all)
	}
	return all[0]
}

// testMapping reads a queue and invokes function f.
func testMapping(change ...func(*v1beta1.EventSourceMapping)) *v1beta1.EventSourceMapping {
	m := &v1beta1.EventSourceMapping{
		ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "ns", UID: ktypes.UID("uid-1"), Generation: 1},
		Spec: v1beta1.EventSourceMappingSpec{
			ManagedResourceSpec: steptest.Spec(),
			ForProvider:         v1beta1.EventSourceMappingParameters{Region: steptest.Region, FunctionName: ptr.To("f"), EventSourceArn: ptr.To(testQueue)},
		},
	}
	for _, c := range change {
		c(m)
	}
	return m
}

// edit a spec, as the API server does.
func edit(m *v1beta1.EventSourceMapping, change func(p *v1beta1.EventSourceMappingParameters)) {
	change(&m.Spec.ForProvider)
	m.Generation++
}

func remove(m *v1beta1.EventSourceMapping) { m.DeletionTimestamp = ptr.To(metav1.NewTime(testNow)) }
