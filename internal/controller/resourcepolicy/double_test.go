package resourcepolicy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
)

// rig is a double with the real SDK before it, and a reconciler that does what the
// runtime does, a step at a time.
type rig struct {
	t      *testing.T
	double *awsdouble.Server
	lambda *lambda.Client
}

// newRig has a function cart.
func newRig(t *testing.T) *rig {
	t.Helper()
	d := awsdouble.New(awsdouble.Options{})
	d.Start()
	t.Cleanup(d.Close)
	d.PutImage("repo", "1", "sha256:"+strings.Repeat("0", 64))
	r := &rig{t: t, double: d, lambda: lambda.NewFromConfig(d.Config(testRegion))}
	_, err := r.lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: ptr.To("cart"), Role: ptr.To("arn:aws:iam::123456789012:role/r"), PackageType: types.PackageTypeImage,
		Code: &types.FunctionCode{ImageUri: ptr.To("123456789012.dkr.ecr.eu-central-1.amazonaws.com/repo:1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// step is one reconcile. It tells whether there was nothing to do.
func (r *rig) step(p *v1beta1.ResourcePolicy) (settled bool, err error) {
	ctx := managed.WithTurn(r.t.Context(), &managed.Turn{})
	e := flow.New(&thing{api: r.lambda, fields: fakeFields{}}, flow.Calls{Create: callPut, Delete: callDelete})
	obs, err := e.Observe(ctx, p)
	switch {
	case err != nil:
		return false, err
	case meta.WasDeleted(p) && obs.ResourceExists:
		_, err = e.Delete(ctx, p)
		return false, err
	case meta.WasDeleted(p):
		return true, nil
	case !obs.ResourceExists:
		pending(p)
		_, err = e.Create(ctx, p)
		return false, err
	case !obs.ResourceUpToDate:
		_, err = e.Update(ctx, p)
		return false, err
	}
	return p.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue, nil
}

// settle reconciles until there is nothing to do, and returns the calls.
func (r *rig) settle(p *v1beta1.ResourcePolicy) []string {
	r.t.Helper()
	r.double.ResetCalls()
	for range 10 {
		done, err := r.step(p)
		if err != nil {
			r.t.Fatalf("reconcile: %v", err)
		}
		if done {
			return operations(r.double.Calls())
		}
	}
	r.t.Fatalf("did not settle: %v; calls %v", p.GetCondition(xpv2.TypeReady), operations(r.double.Calls()))
	return nil
}

func operations(calls []awsdouble.Call) []string {
	var out []string
	for i := range calls {
		out = append(out, calls[i].Operation)
	}
	return out
}

func TestFromSpecToAWSAndBack(t *testing.T) {
	r := newRig(t)
	p := testPolicy(asking(accountPolicy))
	if diff := cmp.Diff([]string{callRead, callPut, callRead}, r.settle(p)); diff != "" {
		t.Errorf("put: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{callRead}, r.settle(p)); diff != "" {
		t.Errorf("a steady reconcile is one call: -want, +got:\n%s", diff)
	}
	s := p.Status.AtProvider
	if *s.ResourceArn != testArn || *s.StatementCount != 1 || !strings.Contains(*s.Policy, "111122223333:root") || *s.RevisionID == "" {
		t.Errorf("status: %+v", s)
	}

	p.Spec.ForProvider.Policy = ptr.To(publicPolicy)
	if diff := cmp.Diff([]string{callRead, callPut, callRead}, r.settle(p)); diff != "" {
		t.Errorf("changed: -want, +got:\n%s", diff)
	}

	_, err := r.lambda.AddPermission(t.Context(), &lambda.AddPermissionInput{
		FunctionName: ptr.To("cart"), StatementId: ptr.To("other"), Action: ptr.To("lambda:*"), Principal: ptr.To("444455556666"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{callRead, callPut, callRead}, r.settle(p)); diff != "" {
		t.Errorf("a statement that was added is not wanted: -want, +got:\n%s", diff)
	}
	if got := r.double.Policy(testArn); strings.Contains(got, "other") {
		t.Errorf("the policy is %s", got)
	}

	p.DeletionTimestamp = ptr.To(metav1.Now())
	r.settle(p)
	if got := r.double.Policy(testArn); got != "" {
		t.Errorf("a deleted policy is gone, got %s", got)
	}
}

// The answer to a put is lost: the policy is not taken for somebody else's.
func TestLostAnswer(t *testing.T) {
	r := newRig(t)
	p := testPolicy()
	r.double.Fail(awsdouble.Fault{Operation: callPut, Drop: awsdouble.DropAfter, Times: -1})
	if _, err := r.step(p); err == nil {
		t.Fatal("the answer was not lost")
	}
	r.double.ClearFaults()
	if diff := cmp.Diff([]string{callRead}, r.settle(p)); diff != "" || meta.GetExternalName(p) != testArn {
		t.Errorf("named %q: -want, +got:\n%s", meta.GetExternalName(p), diff)
	}
}

func TestRefusedByAWS(t *testing.T) {
	r := newRig(t)
	r.double.Fail(awsdouble.Fault{Operation: callPut, Error: awsdouble.Error{Status: 400, Code: "PublicPolicyException", Message: "The policy would grant public access."}})
	_, err := r.step(testPolicy())
	if err == nil || !strings.Contains(err.Error(), "cannot put the policy of "+testArn) || !strings.Contains(err.Error(), "public access") {
		t.Errorf("reconcile: %v", err)
	}
}

// random policies, as users may write them.
func random(g *rand.Rand) string {
	pick := func(of ...any) any { return of[g.IntN(len(of))] }
	statements := []any{}
	for i := range 1 + g.IntN(4) {
		s := map[string]any{
			"Effect":    pick("Allow", "Deny"),
			"Principal": pick("*", map[string]any{"AWS": "111122223333"}, map[string]any{"AWS": []any{"arn:aws:iam::111122223333:role/r", "444455556666"}}, map[string]any{"Service": []any{"s3.amazonaws.com"}}),
			"Action":    pick("lambda:InvokeFunction", []any{"lambda:GetFunction", "lambda:InvokeFunction"}, "lambda:*"),
			"Resource":  pick("*", testArn, []any{testArn, testArn + ":*"}),
		}
		if g.IntN(2) == 0 {
			s["Sid"] = fmt.Sprintf("s%d", i)
		}
		if g.IntN(2) == 0 {
			s["Condition"] = pick(map[string]any{"Bool": map[string]any{"aws:SecureTransport": true}}, map[string]any{"IpAddress": map[string]any{"aws:SourceIp": []any{"10.0.0.0/8", "192.168.0.0/16"}}})
		}
		statements = append(statements, s)
	}
	b, err := json.MarshalIndent(map[string]any{"Version": pick("2012-10-17", "2008-10-17"), "Statement": statements}, "", pick("", "  ").(string))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Whatever a spec says, AWS has it after creation and shows no drift; and whatever it is
// changed to, AWS gets there.
func TestRandomSpecs(t *testing.T) {
	r := newRig(t)
	g := rand.New(rand.NewPCG(9, 10)) //nolint:gosec // Tests are to be the same each time.
	for range 100 {
		first, then := random(g), random(g)
		p := testPolicy(asking(first))
		if diff := cmp.Diff([]string{callRead, callPut, callRead}, r.settle(p)); diff != "" {
			t.Fatalf("%s: -want, +got:\n%s", first, diff)
		}
		p.Spec.ForProvider.Policy = ptr.To(then)
		if n := len(r.settle(p)); n != 1 && n != 3 {
			t.Fatalf("from %s to %s: %d calls", first, then, n)
		}
		if diff := cmp.Diff([]string{callRead}, r.settle(p)); diff != "" {
			t.Fatalf("%s: -want, +got:\n%s", then, diff)
		}
		p.DeletionTimestamp = ptr.To(metav1.Now())
		r.settle(p)
	}
}
