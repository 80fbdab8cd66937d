package resourcepolicy

import (
	"encoding/json"
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
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// env is a test environment with the function cart.
type env struct {
	*testenv.Env[*v1beta1.ResourcePolicy]
}

func newEnv(t testing.TB) env {
	t.Helper()
	w := testenv.NewAWS(t, awsdouble.Options{})
	w.Lambda = w.Retrying()
	w.AddFunction("cart")
	w.Double.ResetCalls()
	return env{testenv.Observing(w, func() reconcile.Observer[*v1beta1.ResourcePolicy] {
		return newExternal(w.Lambda, testenv.Fields{"live": testArn, "moved": testArn + ":live"})
	})}
}

func TestFromSpecToAWSAndBack(t *testing.T) {
	e := newEnv(t)
	p := testPolicy(asking(accountPolicy))
	if diff := cmp.Diff([]string{opRead, opPut, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("put: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("a steady reconcile is one call: -want, +got:\n%s", diff)
	}
	s := p.Status.AtProvider
	if *s.ResourceArn != testArn || *s.StatementCount != 1 || !strings.Contains(*s.Policy, "111122223333:root") ||
		*s.RevisionID == "" {
		t.Errorf("status: %+v", s)
	}

	p.Spec.ForProvider.Policy = ptr.To(publicPolicy)
	if diff := cmp.Diff([]string{opRead, opPut, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("changed: -want, +got:\n%s", diff)
	}

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
	if diff := cmp.Diff([]string{opRead, opPut, opRead}, e.Reconcile(p)); diff != "" {
		t.Errorf("a statement that was added is not wanted: -want, +got:\n%s", diff)
	}
	if got := e.Double.Policy(testArn); strings.Contains(got, "other") {
		t.Errorf("the policy is %s", got)
	}

	e.Remove(p)
	e.Reconcile(p)
	if got := e.Double.Policy(testArn); got != "" {
		t.Errorf("a deleted policy is gone, got %s", got)
	}
}

// TestLostAnswer checks that after a lost response the policy does not count as foreign.
func TestLostAnswer(t *testing.T) {
	e := newEnv(t)
	p := testPolicy()
	e.Lose(p, opPut)
	if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" || meta.GetExternalName(p) != testArn {
		t.Errorf("named %q: -want, +got:\n%s", meta.GetExternalName(p), diff)
	}
}

func TestRefusedByAWS(t *testing.T) {
	e := newEnv(t)
	e.Double.Fail(
		awsdouble.Fault{
			Operation: opPut,
			Error: awsdouble.Error{
				Status:  400,
				Code:    "PublicPolicyException",
				Message: "The policy would grant public access.",
			},
		},
	)
	_, err := e.Step(testPolicy())
	if err == nil || !strings.Contains(err.Error(), "cannot put the policy of "+testArn) ||
		!strings.Contains(err.Error(), "public access") {
		t.Errorf("reconcile: %v", err)
	}
}

// random returns a random policy as users may write it.
func random(g *rand.Rand) string {
	pick := func(of ...any) any { return of[g.IntN(len(of))] }
	statements := []any{}
	for i := range 1 + g.IntN(4) {
		s := map[string]any{
			"Effect": pick("Allow", "Deny"),
			"Principal": pick(
				"*",
				map[string]any{"AWS": "111122223333"},
				map[string]any{"AWS": []any{"arn:aws:iam::111122223333:role/r", "444455556666"}},
				map[string]any{"Service": []any{"s3.amazonaws.com"}},
			),
			"Action": pick(
				"lambda:InvokeFunction",
				[]any{"lambda:GetFunction", "lambda:InvokeFunction"},
				"lambda:*",
			),
			"Resource": pick("*", testArn, []any{testArn, testArn + ":*"}),
		}
		if g.IntN(2) == 0 {
			s["Sid"] = fmt.Sprintf("s%d", i)
		}
		if g.IntN(2) == 0 {
			s["Condition"] = pick(
				map[string]any{"Bool": map[string]any{"aws:SecureTransport": true}},
				map[string]any{"IpAddress": map[string]any{"aws:SourceIp": []any{"10.0.0.0/8", "192.168.0.0/16"}}},
			)
		}
		statements = append(statements, s)
	}
	b, err := json.MarshalIndent(
		map[string]any{"Version": pick("2012-10-17", "2008-10-17"), "Statement": statements},
		"",
		pick("", "  ").(string),
	)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestRandomSpecs checks that random specs are created without drift, and that random
// changes of them converge.
func TestRandomSpecs(t *testing.T) {
	e := newEnv(t)
	g := rand.New(rand.NewPCG(9, 10)) //nolint:gosec // Tests are reproducible.
	for range 100 {
		first, then := random(g), random(g)
		p := testPolicy(asking(first))
		if diff := cmp.Diff([]string{opRead, opPut, opRead}, e.Reconcile(p)); diff != "" {
			t.Fatalf("%s: -want, +got:\n%s", first, diff)
		}
		p.Spec.ForProvider.Policy = ptr.To(then)
		if n := len(e.Reconcile(p)); n != 1 && n != 3 {
			t.Fatalf("from %s to %s: %d calls", first, then, n)
		}
		if diff := cmp.Diff([]string{opRead}, e.Reconcile(p)); diff != "" {
			t.Fatalf("%s: -want, +got:\n%s", then, diff)
		}
		e.Remove(p)
		e.Reconcile(p)
	}
}

// TestPolicyOfOthersAfterALostCreation checks that a policy that someone else has put meanwhile stays, even if spec has
// no policy any more when the resource is deleted.
func TestPolicyOfOthersAfterALostCreation(t *testing.T) {
	e := newEnv(t)
	p := testPolicy()
	e.Double.Fail(awsdouble.Fault{Operation: opPut, Drop: awsdouble.DropBefore, Times: -1})
	if _, err := e.Do(p); err == nil {
		t.Fatal("the call was answered")
	}
	e.Double.ClearFaults()
	has(accountPolicy)(e)
	p.Spec.ForProvider.Policy = nil
	p.Generation++
	e.Remove(p)
	if done, err := e.Step(p); done || err != nil { // AWS may show late what the creation made.
		t.Fatalf("it is deleted at once: %t, %v", done, err)
	}
	e.Advance(time.Minute)
	e.Reconcile(p)
	if got := e.Double.Policy(testArn); got == "" {
		t.Error("the policy of someone else was deleted")
	}
}
