package function

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/archive/oci"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/fluxtest"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env has code in S3 and in ECR, and functions that take a second for each change.
type env struct {
	*testenv.Env[*v1beta1.Function]

	objects testenv.Objects
	account *fakeAccount
	memory  *records

	// source is the source of code, if there is one, and code the config's policy.
	source     *fluxtest.Source
	registries *oci.Client
	code       v1beta1.CodePolicy

	// reachable is whether AWS is known to answer calls.
	reachable bool
}

func newEnv(t testing.TB) *env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{CreateDuration: time.Second, UpdateDuration: time.Second})
	w.Lambda = w.Retrying()
	for _, k := range []string{"k1.zip", "k2.zip"} {
		b, err := archive.Zip(map[string][]byte{"index.py": []byte(k)})
		w.Must(err)
		w.Double.PutObject("bucket", k, b)
	}
	w.Double.PutImage("repo", "1", "sha256:"+fmt.Sprintf("%064d", 1))
	w.Double.PutImage("repo", "2", "sha256:"+fmt.Sprintf("%064d", 2))
	objs, err := randomObjects()
	w.Must(err)
	e := &env{objects: objs, memory: newRecords()}
	e.Env = testenv.Observing(w, func() reconcile.Observer[*v1beta1.Function] { return e.external().resource() })
	return e
}

func (e *env) external() *external {
	cfg := e.Double.Config(testenv.Region)
	th := testExternal(e.Lambda, e.objects)
	th.memory, th.cache, th.reachable = e.memory, e.Cache, e.reachable
	if e.account != nil {
		th.account = e.account
	}
	th.resolver.bundles.S3 = s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	if th.resolver.bundles.Code = e.code; e.source != nil {
		th.resolver.bundles.Fields, th.resolver.bundles.Store = e.source, e.source.Store
	}
	th.resolver.bundles.OCI = e.registries
	th.resolver.ecr = ecr.NewFromConfig(cfg)
	return th
}

// apply sets a spec as the API server does.
func apply(f *v1beta1.Function, p v1beta1.FunctionSettings) {
	f.Spec.ForProvider.FunctionSettings = *p.DeepCopy()
	f.Generation++
}

func TestSteadyReconcileIsOneCall(t *testing.T) {
	e := newEnv(t)
	f := testFunction()
	e.Converge(f)
	e.Double.ResetCalls()
	for range 5 {
		if done, err := e.Step(f); err != nil || !done {
			t.Fatalf("a converged function must stay converged: %t, %v", done, err)
		}
	}
	if got := e.Double.Count(""); got != 5 || e.Double.Count("GetFunction") != 5 {
		t.Errorf(
			"five steady reconciles must be five GetFunction calls and nothing else, got %d: %v", got, e.Double.Calls(),
		)
	}

	apply(f, minimal(func(p *v1beta1.FunctionSettings) {
		p.Code = &v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To("k1.zip")}
		p.RecursiveLoop = ptr.To("Allow")
	}))
	e.Converge(f)
	e.Double.ResetCalls()
	if _, err := e.Step(f); err != nil {
		t.Fatal(err)
	}
	if e.Double.Count("") != 3 || e.Double.Count("GetFunction") != 1 ||
		e.Double.Count("GetFunctionRecursionConfig") != 1 || e.Double.Count("HeadObject") != 1 {
		t.Errorf(
			"code in S3 costs one HeadObject, and a setting beside the function one call, got %v", e.Double.Calls(),
		)
	}
}

// TestAnySpec changes random functions from one random spec to another and back. Each
// change takes no more calls than there are kinds of call, and afterwards nothing is
// written any more.
func TestAnySpec(t *testing.T) {
	const specs = 200
	for seed := range uint64(specs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			g := generator{Rand: rand.New(rand.NewPCG(seed, 1)), image: seed%5 == 3, instances: seed%5 == 4}
			if !g.image {
				g.codeSigning = e.codeSigning()
			}
			a, b := g.settings(), g.settings()
			f := testFunction(func(f *v1beta1.Function) { f.Spec.ForProvider.FunctionSettings = *a.DeepCopy() })
			atCreation := a
			if seed%4 == 0 {
				// initProvider sets everything: what forProvider leaves open is taken from
				// it at creation, and never compared again.
				i := g.settings()
				if l := a.LoggingConfig; l != nil && ptr.Deref(l.LogFormat, "") == "Text" {
					i.LoggingConfig = nil // AWS rejects log levels with the text format.
				}
				f.Spec.InitProvider = &i
				merged, _ := diff.Merge(a, i)
				atCreation = merged
			}

			// Settings that CreateFunction does not accept are set right after it.
			e.converges(f, 1+mostCalls(v1beta1.FunctionSettings{}, auxiliary(atCreation)))
			apply(f, b)
			e.converges(f, mostCalls(a, b))
			apply(f, a)
			e.converges(f, mostCalls(b, a))
		})
	}
}

// auxiliary returns the settings of a spec that CreateFunction does not accept.
func auxiliary(p v1beta1.FunctionSettings) v1beta1.FunctionSettings {
	return v1beta1.FunctionSettings{
		ReservedConcurrentExecutions: p.ReservedConcurrentExecutions, RecursiveLoop: p.RecursiveLoop,
		FunctionScalingConfig: p.FunctionScalingConfig,
	}
}

// converges reconciles a function until it is converged, in at most so many calls, and checks
// that nothing is written afterwards.
func (e *env) converges(f *v1beta1.Function, most int) {
	e.Helper()
	if got := e.Converge(f); len(got) > most {
		e.Errorf("took %d calls, at most %d are needed: %v", len(got), most, got)
	}
	for range 3 {
		e.Advance(time.Minute)
		if more := e.Converge(f); len(more) > 0 {
			e.Errorf("a converged function must not be written to, got %v", more)
		}
	}
}

func (e *env) codeSigning() []string {
	e.Helper()
	var out []string
	for range 2 {
		c, err := e.Lambda.CreateCodeSigningConfig(e.Context(), &lambda.CreateCodeSigningConfigInput{
			AllowedPublishers: &types.AllowedPublishers{SigningProfileVersionArns: []string{
				"arn:aws:signer:eu-central-1:123456789012:/signing-profiles/p/0123456789",
			}},
		})
		if err != nil {
			e.Fatal(err)
		}
		out = append(out, *c.CodeSigningConfig.CodeSigningConfigArn)
	}
	return out
}

// TestAWrongNotFound checks that a single wrong report of AWS that a function does not exist
// leaves nothing in AWS.
func TestAWrongNotFound(t *testing.T) {
	e := newEnv(t)
	mg := testFunction()
	e.Converge(mg)
	e.Remove(mg)
	if diff := cmp.Diff([]string{opDelete}, e.WrongNotFound(mg, opGet, 1)); diff != "" {
		t.Errorf("it is deleted after all: -want, +got:\n%s", diff)
	}
}
