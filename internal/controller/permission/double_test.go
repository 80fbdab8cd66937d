package permission

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

const functionArn = "arn:aws:lambda:eu-central-1:123456789012:function:cart"

// env is a test environment in which function cart has version 1 and the alias live.
type env struct {
	*testenv.Env[*v1beta1.Permission]
}

func newEnv(t testing.TB) env {
	t.Helper()
	return newEnvOf(t, awsdouble.Options{})
}

func newEnvOf(t testing.TB, o awsdouble.Options) env {
	t.Helper()
	w := testenv.NewAWS(t, o)
	w.Lambda = w.Retrying()
	w.AddFunction("cart")
	w.Publish("cart")
	w.AddAlias("cart", "live", "1")
	w.Double.ResetCalls()
	changes := &ongoing{}
	return env{testenv.Observing(w, func() reconcile.Observer[*v1beta1.Permission] {
		return newExternal(&external{
			api: w.Lambda, cache: w.Cache, fields: testenv.Fields{"uploads": "arn:aws:s3:::uploads"}, ongoing: changes,
		})
	})}
}

func TestFromSpecToAWSAndBack(t *testing.T) {
	e := newEnv(t)
	p := testPermission(func(p *v1beta1.Permission) { p.Spec.ForProvider.SourceArn = ptr.To("arn:aws:s3:::uploads") })
	if diff := cmp.Diff([]string{opRead, opAdd, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("added: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("a steady reconcile is one call: -want, +got:\n%s", diff)
	}
	if got := ptr.Deref(
		p.Status.AtProvider.FunctionArn,
		"",
	); got != functionArn || p.Status.AtProvider.RevisionID == nil ||
		meta.GetExternalName(p) != "bucket" {
		t.Errorf("status: %+v", p.Status.AtProvider)
	}

	p.Spec.ForProvider.Principal = ptr.To("111122223333")
	p.Spec.ForProvider.SourceArn = nil
	if diff := cmp.Diff([]string{opRead, opAdd, opRemove, opAdd, opRemove, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("changed: -want, +got:\n%s", diff)
	}

	e.Remove(p)
	e.Reconcile(p)
	if got := e.Double.Policy(functionArn); got != "" {
		t.Errorf("a deleted permission is gone, got %s", got)
	}
}

// TestDrift checks that statements of others are kept, and that a changed one is
// corrected.
func TestDrift(t *testing.T) {
	e := newEnv(t)
	_, err := e.Lambda.AddPermission(t.Context(), &lambda.AddPermissionInput{
		FunctionName: ptr.To(
			"cart",
		),
		StatementId: ptr.To("other"),
		Action:      ptr.To("lambda:*"),
		Principal:   ptr.To("444455556666"),
	})
	if err != nil {
		t.Fatal(err)
	}
	before := e.Double.Policy(functionArn)
	p := testPermission()
	e.Reconcile(p)
	right := e.Double.Policy(functionArn)
	own := strings.LastIndex(right, functionArn)
	for name, changed := range map[string]string{
		"Principal": strings.Replace(right, `{"Service":"s3.amazonaws.com"}`, `"*"`, 1),
		"Action":    strings.Replace(right, "lambda:InvokeFunction", "lambda:*", 1),
		"Denied":    strings.Replace(right, `{"Sid":"bucket","Effect":"Allow"`, `{"Sid":"bucket","Effect":"Deny"`, 1),
		"Wider":     right[:own] + functionArn + ":*" + right[own+len(functionArn):],
		"Condition": strings.Replace(right, `{"Sid":"bucket"`, `{"Condition":{"StringEquals":{"aws:SourceVpc":"vpc-1"}},"Sid":"bucket"`, 1),
		"Removed":   before,
	} {
		t.Run(name, func(t *testing.T) {
			if !differs(t, right, changed) {
				t.Fatal("nothing was changed")
			}
			e.Advance(time.Minute)
			if !e.Double.PutPolicy(functionArn, changed) {
				t.Fatal("the policy can't be put")
			}
			e.Reconcile(p)
			if got := e.Double.Policy(functionArn); differs(t, right, got) {
				t.Errorf("the policy is %s", got)
			}
			if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
				t.Errorf("it stays so: -want, +got:\n%s", diff)
			}
		})
	}
	e.Remove(p)
	e.Reconcile(p)
	if got := e.Double.Policy(functionArn); !strings.Contains(got, `"other"`) || strings.Contains(got, `"bucket"`) {
		t.Errorf("only its own statement goes, got %s", got)
	}
}

// TestPrincipalThatIsNotResolved checks that a statement stays while AWS returns the ID of its role instead of the ARN,
// which it may do for a moment, and is replaced if that lasts: the role was deleted.
func TestPrincipalThatIsNotResolved(t *testing.T) {
	const role = "arn:aws:iam::111122223333:role/r"
	unresolved := func(e env) (p *v1beta1.Permission, right string) {
		p = testPermission(func(p *v1beta1.Permission) {
			p.Spec.ForProvider.Principal, p.Spec.ForProvider.SourceArn = ptr.To(role), nil
		})
		e.Reconcile(p)
		right = e.Double.Policy(functionArn)
		if !e.Double.PutPolicy(functionArn, strings.Replace(right, role, "AROAEXAMPLE", 1)) {
			t.Fatal("the policy can't be put")
		}
		e.Advance(time.Minute)
		return p, right
	}
	step := func(e env, p *v1beta1.Permission) {
		t.Helper()
		if _, err := e.Do(p); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("Moment", func(t *testing.T) {
		e := newEnv(t)
		p, right := unresolved(e)
		e.Double.ResetCalls()
		step(e, p)
		e.Advance(2 * time.Second)
		step(e, p)
		e.Double.PutPolicy(functionArn, right)
		e.Advance(time.Minute)
		step(e, p)
		if writes := testenv.Writes(e.Operations()); len(writes) > 0 {
			t.Errorf("the statement was changed: %v", writes)
		}
	})
	t.Run("Lasting", func(t *testing.T) {
		e := newEnv(t)
		p, right := unresolved(e)
		for range 3 {
			step(e, p)
			e.Advance(time.Minute)
		}
		e.Reconcile(p)
		if got := e.Double.Policy(functionArn); differs(t, right, got) {
			t.Errorf("the policy is %s", got)
		}
	})
}

// differs reports whether two policies have different meanings.
func differs(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := policy.Parse(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := policy.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return len(policy.Compare(x, y)) > 0
}

// TestLostAnswer checks that after a lost response the statement is neither added twice
// nor abandoned.
func TestLostAnswer(t *testing.T) {
	e := newEnv(t)
	p := testPermission()
	e.Lose(p, opAdd)
	e.Reconcile(p)
	if n := strings.Count(e.Double.Policy(functionArn), `"Sid"`); n != 1 || meta.GetExternalName(p) != "bucket" {
		t.Errorf("%d statements, named %q", n, meta.GetExternalName(p))
	}
}

// TestAdoptedByCopiedAnnotations checks that a Permission with the annotations of another one, which it has adopted a
// statement with, knows the function of its own statement if its status was not written.
func TestAdoptedByCopiedAnnotations(t *testing.T) {
	e := newEnv(t)
	has(bucketStatement)(e)
	p := testPermission(imported, func(p *v1beta1.Permission) {
		meta.AddAnnotations(p, map[string]string{
			v1beta1.AnnotationNamedBy: "u0/bucket", v1beta1.AnnotationParent: "basket",
		})
	})
	e.Converge(p)
	p.Status = v1beta1.PermissionStatus{}
	e.Converge(p)
	p.Status = v1beta1.PermissionStatus{}
	e.Remove(p)
	e.Converge(p)
	if got := e.Double.Policy(functionArn); got != "" {
		t.Errorf("it is left there: %s", got)
	}
}

// TestSharedReads checks that many permissions of a function share one call, as do those
// of its alias.
func TestSharedReads(t *testing.T) {
	e := newEnv(t)
	var all []*v1beta1.Permission
	for i := range 20 {
		p := testPermission(func(p *v1beta1.Permission) {
			p.Name = fmt.Sprintf("p%d", i)
			if i%2 == 0 {
				p.Spec.ForProvider.Qualifier = ptr.To("live")
			}
		})
		e.Reconcile(p)
		all = append(all, p)
	}
	e.Advance(time.Hour)
	e.Age = time.Minute
	for range 3 {
		e.Share(all, opRead, opRead)
		e.Advance(10 * time.Minute)
	}
}

// TestFunctionComesAndGoes checks a permission of a function that is created later, and
// deleted with its policy.
func TestFunctionComesAndGoes(t *testing.T) {
	e := newEnv(t)
	p := testPermission(func(p *v1beta1.Permission) { p.Spec.ForProvider.FunctionName = ptr.To("later") })
	_, err := e.Step(p)
	if err == nil ||
		!strings.Contains(err.Error(), "Function not found: arn:aws:lambda:eu-central-1:123456789012:function:later") {
		t.Errorf("reconcile: %v", err)
	}
	q := testPermission()
	e.Reconcile(q)
	if _, err := e.Lambda.DeleteFunction(
		t.Context(),
		&lambda.DeleteFunctionInput{FunctionName: ptr.To("cart")},
	); err != nil {
		t.Fatal(err)
	}
	e.Advance(time.Minute) // Until then, AWS may not show what was created.
	e.Remove(q)
	e.Reconcile(q)
}

// random returns a random statement that AWS accepts, over every field.
func random(g *rand.Rand) v1beta1.PermissionParameters {
	pick := func(of ...string) string { return of[g.IntN(len(of))] }
	fp := v1beta1.PermissionParameters{
		ConfiguredFunction: v1beta1.ConfiguredFunction{
			Regional:     v1beta1.Regional{Region: testenv.Region},
			FunctionName: ptr.To("cart"),
		},
		Action: ptr.To(
			pick("lambda:InvokeFunction", "lambda:InvokeFunctionUrl", "lambda:GetFunction", "lambda:*"),
		),
		Principal: ptr.To(pick("s3.amazonaws.com", "alexa-appkit.amazon.com", "111122223333", "444455556666",
			"arn:aws:iam::111122223333:root", "arn:aws:iam::111122223333:role/r", "*")),
		SourceArn:        testenv.Some(g, "arn:aws:s3:::a", "arn:aws:sns:eu-central-1:123456789012:t*"),
		SourceAccount:    testenv.Some(g, "123456789012", "111122223333"),
		EventSourceToken: testenv.Some(g, "amzn1.ask.skill.a", "amzn1.ask.skill.b"),
		PrincipalOrgID:   testenv.Some(g, "o-a1b2c3d4e5", "o-0123456789"),
	}
	switch *fp.Action {
	case "lambda:InvokeFunctionUrl":
		if fp.FunctionURLAuthType = testenv.Some(g, "NONE", "AWS_IAM"); *fp.Principal == "*" {
			fp.FunctionURLAuthType = ptr.To("NONE") // AWS requires one.
		}
	case "lambda:InvokeFunction":
		if g.IntN(2) == 0 {
			fp.InvokedViaFunctionURL = ptr.To(g.IntN(2) == 0)
		}
	}
	return fp
}

// TestRandomSpecs checks that random specs are created without drift, and that random
// changes of them converge.
func TestRandomSpecs(t *testing.T) {
	e := newEnv(t)
	g := rand.New(rand.NewPCG(7, 8)) //nolint:gosec // Tests are reproducible.
	for i := range 150 {
		qualifier := []*string{nil, ptr.To("live"), ptr.To("1")}[g.IntN(3)]
		p := testPermission(func(p *v1beta1.Permission) {
			p.Name = fmt.Sprintf("p%d", i)
			p.Spec.ForProvider = random(g)
			p.Spec.ForProvider.Qualifier = qualifier
		})
		first := p.Spec.ForProvider
		if diff := cmp.Diff([]string{opRead, opAdd, opRead}, e.Reconcile(p)); diff != "" {
			t.Fatalf("%+v: -want, +got:\n%s", first, diff)
		}
		p.Spec.ForProvider = random(g)
		p.Spec.ForProvider.Qualifier = qualifier
		if n := len(e.Reconcile(p)); n != 1 && n != 6 {
			t.Fatalf("from %+v to %+v: %d calls", first, p.Spec.ForProvider, n)
		}
		if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
			t.Fatalf("%+v: -want, +got:\n%s", p.Spec.ForProvider, diff)
		}
		e.Remove(p)
		e.Reconcile(p)
	}
	for _, arn := range []string{functionArn, functionArn + ":live", functionArn + ":1"} {
		if got := e.Double.Policy(arn); got != "" {
			t.Errorf("left of %s: %s", arn, got)
		}
	}
}

// TestPolicySizeIsReported checks that each Permission reports the size of the policy that it shares.
func TestPolicySizeIsReported(t *testing.T) {
	e := newEnv(t)
	p := testPermission()
	e.Reconcile(p)
	x := &external{api: e.Lambda, cache: e.Cache, fields: testenv.Fields{}, ongoing: &ongoing{}}
	o, err := x.read(t.Context(), reconcile.Facts{}, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Sizes[advice.PolicyNearLimit], len(e.Double.Policy(functionArn)); got != want || want == 0 {
		t.Errorf("want %d bytes, got %d", want, got)
	}
}
