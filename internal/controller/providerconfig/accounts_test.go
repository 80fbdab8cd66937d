package providerconfig

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

func TestAccountUsage(t *testing.T) {
	denied := awsdouble.AccessDenied("lambda:GetAccountSettings")
	known := []v1beta1.AccountUsage{
		{
			Region:                         "eu-west-1",
			ConcurrentExecutions:           ptr.To[int32](1000),
			ReservedConcurrentExecutions:   ptr.To[int32](0),
			UnreservedConcurrentExecutions: ptr.To[int32](1000),
			CodeStorageLimit: ptr.To(
				int64(75 << 30),
			),
			CodeStorageUsed: ptr.To[int64](0),
			CodeStorageLeft: ptr.To(int64(75 << 30)),
			FunctionCount:   ptr.To[int64](0),
		},
	}
	cases := map[string]struct {
		reason  string
		config  providerConfig
		users   []client.Object
		fault   *awsdouble.Error
		want    []v1beta1.AccountUsage
		unknown string
		reads   int
	}{
		"Used": {
			reason: "What is left of the account is shown, and read once.",
			config: pc(),
			users:  []client.Object{usage(ns, v1beta1.ProviderConfigKind, "cart")},
			want:   known,
			reads:  1,
		},
		"Cluster": {
			reason: "Of either kind of config.",
			config: cpc(),
			users:  []client.Object{usage(ns, v1beta1.ClusterProviderConfigKind, "cart")},
			want:   known,
			reads:  1,
		},
		"Unused": {reason: "Of a config that nothing uses, nothing is read.", config: pc()},
		"Denied": {
			reason:  "The right is optional.",
			config:  pc(),
			users:   []client.Object{usage(ns, v1beta1.ProviderConfigKind, "cart")},
			fault:   &denied,
			unknown: "lambda:GetAccountSettings",
			reads:   1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			k := namespacedKind
			if tc.config.GetNamespace() == "" {
				k = clusterKind
			}
			e := newEnv(t, k, append(tc.users, tc.config, secret("aws"))...)
			d := awsdouble.New(awsdouble.Options{Now: e.now})
			d.Start()
			defer d.Close()
			if tc.fault != nil {
				d.Fail(awsdouble.Fault{Operation: "GetAccountSettings", Times: -1, Error: *tc.fault})
			}
			s := &session.Session{
				AWS:   d.Config("eu-west-1"),
				Scope: quota.Scope{Account: "123456789012", Region: "eu-west-1"},
				Ref:   session.Ref{UID: tc.config.GetUID()},
			}
			e.accounts.RecordUse(s)
			name := client.ObjectKeyFromObject(tc.config)
			for range 5 {
				if got := e.reconcile(name); got.RequeueAfter > checkEvery {
					t.Errorf("%s\ncredentials are still looked at in time, got %s", tc.reason, got.RequeueAfter)
				}
				e.time = e.time.Add(time.Minute)
			}
			e.get(tc.config)
			if c := tc.config.GetCondition(xpv2.TypeReady); c.Status != corev1.ConditionTrue {
				t.Errorf("%s\nthe config is of use whatever the account's figures, got %+v", tc.reason, c)
			}
			got := tc.config.GetConfigStatus().AccountUsage
			if tc.unknown != "" {
				if len(got) != 1 || !strings.Contains(got[0].Unknown, tc.unknown) || got[0].CodeStorageUsed != nil {
					t.Errorf("%s\nwant %q to be named, got %+v", tc.reason, tc.unknown, got)
				}
			} else if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if n := d.Count("GetAccountSettings"); n != tc.reads {
				t.Errorf("%s\nwant %d reads, got %d", tc.reason, tc.reads, n)
			}
		})
	}
}
