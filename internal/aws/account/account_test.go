package account

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

const gib = int64(1) << 30

// A desk has Limits, a double of AWS, and a clock that the test sets.
type desk struct {
	*Limits

	t      *testing.T
	time   time.Time
	double *awsdouble.Server

	limiter *quota.Limiter
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	now := func() time.Time { return d.time }
	d.double = awsdouble.New(awsdouble.Options{Now: now})
	d.double.Start()
	t.Cleanup(d.double.Close)
	d.limiter = quota.New(now, nil)
	d.Limits = New(now)
	return d
}

func (d *desk) session(uid, region string) *session.Session {
	cfg := d.double.Config(region)
	cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	scope := quota.Scope{Account: awsdouble.DefaultAccount, Region: region}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Add(d.limiter.Middleware(scope), middleware.After)
	})
	return &session.Session{
		AWS: cfg, Scope: scope,
		Ref: session.Ref{Kind: v1beta1.ProviderConfigKind, Name: uid, UID: types.UID(uid)},
	}
}

func (d *desk) reads() int { return d.double.Count("GetAccountSettings") }

func (d *desk) usages(uid string) []Usage {
	d.t.Helper()
	known, again := d.Usages(d.t.Context(), types.UID(uid))
	if len(known) > 0 && (again <= 0 || again > every) {
		d.t.Errorf("figures are due again within %s, got %s", every, again)
	}
	return known
}

// reserve reserves concurrency of the account for a function.
func (d *desk) reserve(n int32) {
	d.t.Helper()
	c := lambda.NewFromConfig(d.double.Config("eu-west-1"))
	_, err := c.CreateFunction(d.t.Context(), &lambda.CreateFunctionInput{
		FunctionName: aws.String("f"), Role: aws.String("arn:aws:iam::123456789012:role/r"), Handler: aws.String("a.b"),
		Runtime: lambdatypes.RuntimePython313, Code: &lambdatypes.FunctionCode{
			ZipFile: []byte("PK\x05\x06" + strings.Repeat("\x00", 18)),
		},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.time = d.time.Add(time.Minute)
	if _, err := c.PutFunctionConcurrency(d.t.Context(),
		&lambda.PutFunctionConcurrencyInput{
			FunctionName:                 aws.String("f"),
			ReservedConcurrentExecutions: &n,
		}); err != nil {
		d.t.Fatal(err)
	}
}

func TestUsages(t *testing.T) {
	d := newDesk(t)
	if known := d.usages("a"); known != nil || d.reads() != 0 {
		t.Errorf("of a config that nothing uses, nothing is read: %v, %d reads", known, d.reads())
	}
	d.reserve(50)
	for _, region := range []string{"eu-west-1", "eu-central-1"} {
		d.RecordUse(d.session("a", region))
	}
	used := Figures{
		ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 950, CodeStorageLimit: 75 * gib,
		CodeStorageUsed: 22, Functions: 1,
	}
	want := []Usage{
		{Region: "eu-central-1", Figures: Figures{
			ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000,
			CodeStorageLimit: 75 * gib,
		}},
		{Region: "eu-west-1", Figures: used},
	}
	if diff := cmp.Diff(want, d.usages("a")); diff != "" {
		t.Errorf("the figures of each region in use: -want, +got:\n%s", diff)
	}
	for range 9 {
		d.time = d.time.Add(time.Minute)
		d.usages("a")
	}
	if d.reads() != 2 {
		t.Errorf("each region is read once in %s, got %d reads", every, d.reads())
	}
	d.time = d.time.Add(time.Minute)
	d.usages("a")
	if d.reads() != 4 {
		t.Errorf("and then again, got %d reads", d.reads())
	}
	if known := d.usages("b"); known != nil {
		t.Errorf("what one config has read is not shown to another, got %v", known)
	}
	d.RecordUse(d.session("a", "eu-west-1"))
	d.time = d.time.Add(idle)
	if known := d.usages("a"); len(known) != 1 || known[0].Region != "eu-west-1" {
		t.Errorf("a region where nothing is any more is dropped, got %v", known)
	}
	d.Limits.Forget("a")
	if known := d.usages("a"); known != nil {
		t.Errorf("what is gone is forgotten: %v", known)
	}
}

// TestManyRegions checks that a namespace that shares a config cannot hide the regions of others by using more of them.
func TestManyRegions(t *testing.T) {
	d := newDesk(t)
	d.RecordUse(d.session("a", "us-east-1"))
	for i := range most {
		d.time = d.time.Add(time.Second)
		d.RecordUse(d.session("a", fmt.Sprint("ap-east-", i)))
		d.RecordUse(d.session("a", "us-east-1"))
	}
	if known := d.usages("a"); len(known) != most || known[most-1].Region != "us-east-1" {
		t.Errorf("the region that is in use for longest is left out: %v", known)
	}
}

func TestUnknown(t *testing.T) {
	denied := awsdouble.Fault{
		Operation: "GetAccountSettings", Times: -1,
		Error: awsdouble.AccessDenied("lambda:GetAccountSettings"),
	}
	cases := map[string]struct {
		reason string
		fault  awsdouble.Fault
		known  bool
		want   string
	}{
		"Denied": {reason: "The right is optional, and named.", fault: denied, want: "lambda:GetAccountSettings"},
		"DeniedSince": {
			reason: "Once the permission is removed, no figures are shown.", fault: denied, known: true,
			want: "lambda:GetAccountSettings",
		},
		"Broken": {
			reason: "Emulators may not know the operation.",
			fault: awsdouble.Fault{
				Operation: "GetAccountSettings", Times: -1,
				Error: awsdouble.Error{Status: 404, Code: "UnknownOperationException", Message: "no"},
			}, want: "no",
		},
		"BrokenSince": {
			reason: "What passes leaves the figures as they were.",
			fault:  awsdouble.Fault{Operation: "GetAccountSettings", Times: -1, Error: awsdouble.ServiceFailure()},
			known:  true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.RecordUse(d.session("a", "eu-west-1"))
			if tc.known {
				d.usages("a")
				d.time = d.time.Add(every)
			}
			d.double.Fail(tc.fault)
			before := d.reads()
			for range 3 {
				known := d.usages("a")
				got := ""
				if len(known) == 1 && known[0].Unknown != nil {
					got = known[0].Unknown.Error()
				}
				if len(known) != 1 || (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
					t.Errorf("%s\nwant %q, got %v", tc.reason, tc.want, known)
				}
			}
			if d.reads() != before+1 {
				t.Errorf("%s\na failure is not asked again at once, got %d reads", tc.reason, d.reads()-before)
			}
			if _, ok := d.Of(d.session("a", "eu-west-1")).Remembered(); ok != (tc.want == "") {
				t.Errorf("%s\nremembered: %t", tc.reason, ok)
			}
		})
	}
}

func TestNoQuota(t *testing.T) {
	d := newDesk(t)
	d.limiter = quota.New(func() time.Time { return d.time },
		map[quota.Bucket]quota.Rate{quota.ControlPlane: {PerSecond: 1, Burst: 1}})
	s := d.session("a", "eu-west-1")
	d.RecordUse(s)
	for _, by := range []quota.Priority{quota.Poll, quota.User, quota.User} {
		d.limiter.Reserve(s.Scope, quota.Caller{ID: fmt.Sprint("a resource", by), Priority: by}, "GetAccountSettings")
	}
	known, again := d.Usages(t.Context(), "a")
	if len(known) != 0 || again < time.Second || again > 3*time.Second || d.reads() != 0 {
		t.Errorf("without quota nothing is read, and it comes back: %v, %s, %d reads", known, again, d.reads())
	}
	if s := d.limiter.Stats()[quota.ControlPlane]; s.WaitingPolls != 1 || s.WaitingUsers != 1 {
		t.Errorf("nobody waits for figures, so they wait as a poll does: %+v", s)
	}
}

// silence is a network on which no host answers.
type silence struct{ calls int }

func (n *silence) Do(*http.Request) (*http.Response, error) {
	n.calls++
	return nil, &awserr.SilentError{Host: "lambda"}
}

// TestSilentRegions checks that a reconcile waits for one region that does not answer, and not for all of them.
func TestSilentRegions(t *testing.T) {
	d, n := newDesk(t), &silence{}
	for i := range 5 {
		s := d.session("a", fmt.Sprint("ap-east-", i))
		s.AWS.HTTPClient = n
		d.RecordUse(s)
	}
	for i := range 5 {
		known, again := d.Usages(t.Context(), "a")
		if n.calls != i+1 || len(known) != i+1 || known[i].Unknown == nil {
			t.Errorf("want one more call and one more reason, got %d and %v", n.calls, known)
		}
		if i < 4 && again != afterSilence {
			t.Errorf("the next region is read in %s", again)
		}
	}
	if d.Usages(t.Context(), "a"); n.calls != 5 {
		t.Errorf("%d calls for 5 regions", n.calls)
	}
}

func TestRecent(t *testing.T) {
	d := newDesk(t)
	s := d.session("a", "eu-west-1")
	if _, ok := (*Limits)(nil).Of(s).Recent(t.Context(), time.Minute); ok {
		t.Error("no book knows nothing")
	}
	if _, ok := d.Of(s).Recent(t.Context(), time.Minute); ok || d.reads() != 0 {
		t.Error("of a session that was not noted nothing is known")
	}
	d.RecordUse(s)
	d.usages("a")
	d.reserve(50)
	if f, ok := d.Of(s).Remembered(); !ok || f.UnreservedConcurrentExecutions != 1000 {
		t.Errorf("want what was read, got %v", f)
	}
	if f, ok := d.Of(s).Recent(t.Context(), time.Hour); !ok || f.UnreservedConcurrentExecutions != 1000 ||
		d.reads() != 1 {
		t.Errorf("what is recent enough is not read anew, got %v", f)
	}
	d.time = d.time.Add(time.Minute)
	if f, ok := d.Of(s).Recent(t.Context(), time.Minute); !ok || f.UnreservedConcurrentExecutions != 950 ||
		d.reads() != 2 {
		t.Errorf("what is not is, got %v", f)
	}
	d.time = d.time.Add(2 * time.Minute)
	d.double.Fail(awsdouble.Fault{Operation: "GetAccountSettings", Error: awsdouble.Throttle()})
	if f, ok := d.Of(s).Recent(t.Context(), time.Minute); ok {
		t.Errorf("what could not be read is not known, got %v", f)
	}
}

// served returns the metrics of the only account and region.
func (d *desk) served() map[string]float64 {
	d.t.Helper()
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(NewCollector(d.Limits)); err != nil {
		d.t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		d.t.Fatal(err)
	}
	found := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			found[f.GetName()] = m.GetGauge().GetValue()
		}
	}
	return found
}

func TestCollector(t *testing.T) {
	d := newDesk(t)
	tenant, cluster := d.session("tenant", "eu-west-1"), d.session("cluster", "eu-west-1")
	cluster.Ref.Kind = v1beta1.ClusterProviderConfigKind
	d.RecordUse(cluster)
	d.usages("cluster")
	d.reserve(50)
	d.RecordUse(tenant)
	d.usages("tenant")
	if got := d.served()["provider_lambda_account_unreserved_concurrent_executions"]; got != 1000 {
		t.Errorf("what the cluster's own config has read goes before what a tenant's says, got %v", got)
	}
	d.Limits.Forget("cluster")
	want := map[string]float64{
		"provider_lambda_account_concurrent_executions":            1000,
		"provider_lambda_account_unreserved_concurrent_executions": 950,
		"provider_lambda_account_code_storage_limit_bytes":         float64(75 * gib),
		"provider_lambda_account_code_storage_used_bytes":          22,
		"provider_lambda_account_functions":                        1,
	}
	if diff := cmp.Diff(want, d.served()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	d.time = d.time.Add(idle + time.Second)
	if got := d.served(); len(got) != 0 {
		t.Errorf("what is not used any more is not served, got %v", got)
	}
}

// TestAccountChanges has a config whose credentials change to those of another account.
func TestAccountChanges(t *testing.T) {
	d := newDesk(t)
	earlier, later := d.session("a", "eu-west-1"), d.session("a", "eu-west-1")
	later.Scope.Account = "210987654321"
	d.RecordUse(earlier)
	d.usages("a")
	d.RecordUse(later)
	if f, ok := d.Of(later).Remembered(); ok {
		t.Errorf("the figures of the earlier account are taken for those of the later one: %v", f)
	}
	if got := d.served(); len(got) != 0 {
		t.Errorf("they are shown as those of the later one: %v", got)
	}
	if known := d.usages("a"); len(known) != 1 || d.reads() != 2 {
		t.Errorf("the later account is read at once: %v, %d reads", known, d.reads())
	}
	if _, ok := d.Of(earlier).Recent(t.Context(), time.Minute); ok || d.reads() != 2 {
		t.Error("a reconcile that began with the earlier account takes the figures of the later one for its own")
	}
	if len(d.records) != 1 {
		t.Errorf("%d records are kept", len(d.records))
	}
}
