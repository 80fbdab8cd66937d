package layerversionpermission

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// TestRandomHistories checks that the statement of spec is in the policy of its version only, and in none after the
// deletion, and that those of others stay.
func TestRandomHistories(t *testing.T) {
	testenv.RandomHistories(t, func(t testing.TB, draw *rand.Rand) *testenv.History[*v1beta1.LayerVersionPermission] {
		t.Helper()
		e, p := newEnv(t), testPermission()
		e.Lambda = e.TryingOnce()
		fp := &p.Spec.ForProvider
		h := &testenv.History[*v1beta1.LayerVersionPermission]{
			Env: e.Env, Draw: draw, Resource: p, Calls: []string{opRead, opAdd, opRemove},
		}
		others := map[int64]int{}
		add := func(version int64, sid, principal string) {
			_, err := e.Lambda.AddLayerVersionPermission(e.Context(), addInput(statementKey{"base", version, sid}, sid,
				v1beta1.LayerVersionPermissionParameters{Principal: &principal}))
			e.Must(err)
		}
		h.Changes = []func() string{
			func() string {
				fp.VersionNumber = ptr.To(1 + draw.Int64N(2))
				return fmt.Sprintf("version %d", *fp.VersionNumber)
			},
			func() string {
				fp.Principal, fp.OrganizationID = ptr.To("111122223333"), nil
				if draw.IntN(2) == 0 {
					fp.Principal, fp.OrganizationID = ptr.To("*"), ptr.To("o-a1b2c3d4e5")
				}
				return "principal " + *fp.Principal
			},
			func() string {
				version := 1 + draw.Int64N(2)
				others[version]++
				add(version, fmt.Sprintf("other%d", others[version]), "444455556666")
				return fmt.Sprintf("someone adds a statement for version %d", version)
			},
			h.ByHand(func() string {
				at := parseStatementKey(meta.GetExternalName(p))
				_, err := e.Lambda.RemoveLayerVersionPermission(e.Context(), removeInput(at, at.sid))
				if awserr.IsNotFound(err) {
					return "the statement is gone, but AWS still returns it"
				}
				e.Must(err)
				if draw.IntN(2) == 0 {
					return "someone removes the statement"
				}
				add(at.version, at.sid, "444455556666")
				return "someone replaces the statement"
			}),
		}
		check := func(ours int64) {
			for _, version := range []int64{1, 2} {
				d, err := policy.Parse(e.Double.Policy(fmt.Sprintf("%s:%d", layerArn, version)))
				e.Must(err)
				st, there := d.Find("partner")
				if there {
					d.Statements = d.Statements[1:]
				}
				if there != (version == ours) || len(d.Statements) != others[version] {
					t.Errorf("the policy of version %d is %v, want %d others", version, d, others[version])
				}
				o := observed{
					at:        statementKey{"base", version, "partner"},
					statement: statements.Statement{Statement: st},
				}
				if diff := cmp.Diff(desired(*fp), fromAWS(o)); there && diff != "" {
					t.Errorf("-spec +AWS:\n%s", diff)
				}
			}
		}
		h.End = func() { check(*fp.VersionNumber) }
		h.Gone = func() { check(0) }
		return h
	})
}
