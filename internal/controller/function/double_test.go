package function

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/bundle"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

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

// rig is a double with the real SDK before it, and a reconciler that does what the
// runtime does, a step at a time.
type rig struct {
	t       testing.TB
	clock   *clock
	double  *awsdouble.Server
	lambda  *lambda.Client
	objects fakeObjects
}

func newRig(t testing.TB) *rig {
	t.Helper()
	c := &clock{now: testNow}
	d := awsdouble.New(awsdouble.Options{Now: c.Now, CreateDuration: time.Second, UpdateDuration: time.Second})
	d.Start()
	t.Cleanup(d.Close)
	for _, k := range []string{"k1.zip", "k2.zip"} {
		b, err := bundle.Zip(map[string][]byte{"index.py": []byte(k)})
		if err != nil {
			t.Fatal(err)
		}
		d.PutObject("bucket", k, b)
	}
	d.PutImage("repo", "1", "sha256:"+fmt.Sprintf("%064d", 1))
	d.PutImage("repo", "2", "sha256:"+fmt.Sprintf("%064d", 2))
	objs, err := randomObjects()
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, clock: c, double: d, lambda: lambda.NewFromConfig(d.Config(steptest.Region)), objects: objs}
}

func (r *rig) external() *flow.External[*v1beta1.Function, observed] {
	cfg := r.double.Config(steptest.Region)
	e, th := testExternal(r.lambda, r.objects)
	th.now = r.clock.Now
	th.resolver.bundles.S3 = s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	th.resolver.ecr = ecr.NewFromConfig(cfg)
	return e
}

// step is one reconcile. It tells whether there was nothing to do.
func (r *rig) step(f *v1beta1.Function) (settled bool, err error) {
	ctx := managed.WithTurn(r.t.Context(), &managed.Turn{})
	e := r.external()
	obs, err := e.Observe(ctx, f)
	switch {
	case err != nil:
		return false, err
	case !obs.ResourceExists:
		_, err = e.Create(ctx, f)
		return false, err
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, f)
		return false, err
	}
	return f.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue, nil
}

// settle reconciles until there is nothing to do, and returns the calls that wrote.
func (r *rig) settle(f *v1beta1.Function) []string {
	r.t.Helper()
	before := len(r.double.Calls())
	for range 40 {
		done, err := r.step(f)
		if err != nil {
			r.t.Fatalf("reconcile: %v", err)
		}
		if done {
			return writes(r.double.Calls()[before:])
		}
		r.clock.advance(2 * time.Second)
	}
	r.t.Fatalf("did not settle: %v; calls %v", f.GetCondition(xpv2.TypeReady), writes(r.double.Calls()[before:]))
	return nil
}

// apply a spec, as the API server does.
func apply(f *v1beta1.Function, p v1beta1.FunctionSettings) {
	f.Spec.ForProvider.FunctionSettings = *p.DeepCopy()
	f.Generation++
}

func writes(calls []awsdouble.Call) []string {
	var out []string
	for _, c := range calls {
		if c.Service == "lambda" && c.Operation[:3] != "Get" && c.Operation[:4] != "List" {
			out = append(out, c.Operation)
		}
	}
	return out
}

func TestSteadyReconcileIsOneCall(t *testing.T) {
	r := newRig(t)
	f := testFunction()
	r.settle(f)
	r.double.ResetCalls()
	for range 5 {
		if done, err := r.step(f); err != nil || !done {
			t.Fatalf("a settled function must stay settled: %t, %v", done, err)
		}
	}
	if got := r.double.Count(""); got != 5 || r.double.Count("GetFunction") != 5 {
		t.Errorf("five steady reconciles must be five GetFunction calls and nothing else, got %d: %v", got, r.double.Calls())
	}

	apply(f, minimal(func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")}
		p.RecursiveLoop = ptr.To("Allow")
	}))
	r.settle(f)
	r.double.ResetCalls()
	if _, err := r.step(f); err != nil {
		t.Fatal(err)
	}
	if r.double.Count("") != 3 || r.double.Count("GetFunction") != 1 || r.double.Count("GetFunctionRecursionConfig") != 1 || r.double.Count("HeadObject") != 1 {
		t.Errorf("code in S3 costs one HeadObject, and a setting beside the function one call, got %v", r.double.Calls())
	}
}

// TestAnySpec takes random functions from one random spec to another and back: each
// way takes no more calls than there are kinds of call, and afterwards nothing is
// written any more.
func TestAnySpec(t *testing.T) {
	const specs = 200
	for seed := range uint64(specs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			g := generator{Rand: rand.New(rand.NewPCG(seed, 1)), image: seed%5 == 3, instances: seed%5 == 4}
			if !g.image {
				g.codeSigning = r.codeSigning()
			}
			a, b := g.settings(), g.settings()
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = *a.DeepCopy() })
			atCreation := a
			if seed%4 == 0 {
				// A second opinion on everything: what forProvider leaves open is taken
				// from it at creation, and never looked at again.
				i := g.settings()
				f.Spec.InitProvider = &i
				merged, _ := diff.Merge(a, i)
				atCreation = merged
			}

			// What CreateFunction does not take is set right after it.
			r.converges(f, 1+mostCalls(v1beta1.FunctionSettings{}, beside(atCreation)))
			apply(f, b)
			r.converges(f, mostCalls(a, b))
			apply(f, a)
			r.converges(f, mostCalls(b, a))
		})
	}
}

// beside are the settings of a spec that CreateFunction does not take.
func beside(p v1beta1.FunctionSettings) v1beta1.FunctionSettings {
	return v1beta1.FunctionSettings{
		ReservedConcurrentExecutions: p.ReservedConcurrentExecutions, RecursiveLoop: p.RecursiveLoop, FunctionScalingConfig: p.FunctionScalingConfig,
	}
}

// converges settles a function in at most so many calls, and checks that nothing is
// written afterwards.
func (r *rig) converges(f *v1beta1.Function, most int) {
	r.t.Helper()
	if got := r.settle(f); len(got) > most {
		r.t.Errorf("took %d calls, at most %d are needed: %v", len(got), most, got)
	}
	for range 3 {
		r.clock.advance(time.Minute)
		if more := r.settle(f); len(more) > 0 {
			r.t.Errorf("a settled function must not be written to, got %v", more)
		}
	}
}

func (r *rig) codeSigning() []string {
	r.t.Helper()
	var out []string
	for range 2 {
		c, err := r.lambda.CreateCodeSigningConfig(r.t.Context(), &lambda.CreateCodeSigningConfigInput{
			AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/0123456789"}},
		})
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, *c.CodeSigningConfig.CodeSigningConfigArn)
	}
	return out
}
