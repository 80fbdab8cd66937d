package permission

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the policy has the statement of spec once, none after the deletion, and always those
// of others.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.Permission] {
		t.Helper()
		e, p := newEnv(t), testPermission()
		e.Lambda = e.TryingOnce()
		cart, fp := functionname.Name{Function: "cart"}, &p.Spec.ForProvider
		h := &testenv.History[*v1beta1.Permission]{
			Env: e.Env, Draw: draw, Resource: p, Calls: []string{opRead, opAdd, opRemove},
		}
		inPolicy := func() policy.Document {
			d, err := policy.Parse(e.Double.Policy(functionArn))
			e.Must(err)
			return d
		}
		others := 0
		add := func(sid, principal string) {
			_, err := e.Lambda.AddPermission(e.Context(), addInput(cart, sid, v1beta1.PermissionParameters{
				Action: ptr.To("lambda:InvokeFunction"), Principal: &principal,
			}, ""))
			e.Must(err)
		}
		remove := func() {
			if _, err := e.Lambda.RemovePermission(e.Context(), removeInput(cart, "bucket")); !awserr.IsNotFound(err) {
				e.Must(err)
			}
		}
		h.Changes = []func() string{
			func() string {
				fp.Principal = ptr.To([]string{"s3.amazonaws.com", "sns.amazonaws.com", "111122223333"}[draw.IntN(3)])
				return "principal " + *fp.Principal
			},
			func() string {
				fp.SourceArn = []*string{nil, ptr.To("arn:aws:s3:::uploads"), ptr.To("arn:aws:s3:::other")}[draw.IntN(3)]
				return "source " + ptr.Deref(fp.SourceArn, "")
			},
			func() string {
				fp.SourceAccount = []*string{nil, ptr.To("444455556666")}[draw.IntN(2)]
				return "account " + ptr.Deref(fp.SourceAccount, "")
			},
			func() string {
				others++
				add(fmt.Sprintf("other%d", others), "444455556666")
				return "someone adds a statement"
			},
			h.ByHand(func() string {
				remove()
				if draw.IntN(2) == 0 {
					return "someone removes the statement"
				}
				add("bucket", "sqs.amazonaws.com")
				return "someone replaces the statement"
			}),
		}
		h.End = func() {
			all := inPolicy()
			st, _ := all.Find("bucket")
			if diff := cmp.Diff(
				desired(*fp, fp.SourceArn),
				fromAWS(observed{target: cart, statement: statements.Statement{Statement: st}}),
			); diff != "" {
				t.Errorf("-spec +AWS:\n%s", diff)
			}
			if len(all.Statements) != others+1 {
				t.Errorf("the policy is %v, want the statement and %d others", all, others)
			}
		}
		h.Gone = func() {
			all := inPolicy()
			if _, there := all.Find("bucket"); there || len(all.Statements) != others {
				t.Errorf("the policy is %v, want %d others", all, others)
			}
		}
		return h
	})
}
