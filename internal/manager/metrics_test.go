package manager

import (
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

var update = flag.Bool("update", false, "write what the provider serves to served, rather than compare it with that")

// served is the file with every metric that dashboards, alerts and documents may use, without what changes from one
// run to the next.
const served = "../../observability/metrics.prom"

// both serves the metrics that controller-runtime registered when the process started, and those that a test registers.
type both struct {
	prometheus.Registerer
	prometheus.Gatherer
}

// TestServedMetrics triggers every measured event once, and compares what Prometheus would scrape with the documented
// metrics.
func TestServedMetrics(t *testing.T) {
	t.Parallel()
	own := prometheus.NewRegistry()
	register(t, both{Registerer: own, Gatherer: prometheus.Gatherers{processRegistry, own}})
	r := newStrictEnv(t, measured, newSidecar(t).options, func(o *Options) {
		o.LeaderElection, o.LeaderElectionNamespace = true, o.Namespaces[0]
	})
	r.own = own
	// The account of an endpoint that an administrator sets is shown.
	c := &v1beta1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: r.ns}}
	c.Spec.ConnectionSpec = r.pc("", roles(v1beta1.AssumeRoleOptions{RoleARN: ptr.To(hub)})).Spec.ConnectionSpec
	c.Spec.Credentials.Source = v1beta1.CredentialsSourceSecret
	c.Spec.Credentials.SecretRef = &v1beta1.CredentialsSecretSelector{
		Namespace:                      r.ns,
		LocalCredentialsSecretSelector: v1beta1.LocalCredentialsSecretSelector{Name: "aws"},
	}
	r.create(c, r.keys("aws", ciID, ciKey))
	r.double.Fail(awsdouble.Fault{Operation: "CreateFunction", Error: awsdouble.Throttle()})
	f := r.using(r.ns, "f", func(f *v1beta1.Function) {
		f.Spec.ProviderConfigReference.Kind = "ClusterProviderConfig"
		f.Spec.ForProvider.MemorySize, f.Spec.ForProvider.Publish = ptr.To[int32](256), ptr.To(true)
	})
	r.create(f)
	r.ready(f)
	r.reconcile(f)
	a := r.rollOut(f)

	admin := r.inAccount("111111111111")
	_, err := admin.UpdateFunctionConfiguration(t.Context(),
		&lambda.UpdateFunctionConfigurationInput{FunctionName: ptr.To("f"), MemorySize: ptr.To[int32](512)})
	if err != nil {
		t.Fatal(err)
	}
	r.until("drift is seen and put right", func() bool {
		r.reconcile(f)
		text := scrape(t)
		return strings.Contains(text, `provider_lambda_drift_seen_total{change="changed",kind="Function"} 1`) &&
			strings.Contains(text, `provider_lambda_drift_corrected_total{change="changed",kind="Function"} 1`)
	})
	left := `provider_lambda_account_unreserved_concurrent_executions{account="111111111111",region="eu-central-1"} 1000`
	r.until("what the account has left is known", func() bool { return strings.Contains(scrape(t), left) })
	counted := `provider_lambda_rollouts{phase="Ready"} 1`
	r.until("the rollout is counted", func() bool { return strings.Contains(scrape(t), counted) })
	r.remove(a)
	r.gone(a)
	r.until("the rollout is not counted any more",
		func() bool { return strings.Contains(scrape(t), `provider_lambda_rollouts{phase="Ready"} 0`) })
	r.remove(f)
	r.gone(f)
	for _, want := range []string{
		`provider_lambda_time_to_ready_seconds_count{kind="Function"} 1`,
		`provider_lambda_rollout_duration_seconds_count{phase="Ready",reason=""} 1`,
		`provider_lambda_credential_refreshes_total{result="ok",source="AssumeRole"} 1`,
		`provider_lambda_aws_requests_total{operation="CreateFunction",result="throttled",service="Lambda"} 1`,
		`provider_lambda_aws_requests_total{operation="CreateFunction",result="ok",service="Lambda"} 1`,
		`provider_lambda_aws_requests_total{operation="GetFunction",result="not_found",service="Lambda"}`,
		`provider_lambda_quota_calls_total{account="111111111111",bucket="ControlPlane",region="eu-central-1",result="throttled"} 1`,
		`crossplane_managed_resource_ready{gvk="lambda.aws.m.crossplane.io/v1beta1, Kind=Function"}`,
		`crossplane_managed_resource_deletion_seconds_count{gvk="lambda.aws.m.crossplane.io/v1beta1, Kind=Function"} 1`,
		// Its value is that of the provider in this process that wrote it last.
		`leader_election_master_status{name="crossplane-leader-election-provider-lambda"} `,
	} {
		r.until(want, func() bool { return strings.Contains(scrape(t), want) })
	}

	got := shape(scrape(t))
	if *update {
		if err := os.WriteFile(filepath.FromSlash(served), []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(served))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the provider serves other metrics than %s says; go test ./internal/manager -run "+
			"'^TestServedMetrics$' -update writes it anew: -want, +got:\n%s", served, diff)
	}
}

// rollOut creates an Alias with a rollout, and publishes a version that it rolls out.
func (r *strictEnv) rollOut(f *v1beta1.Function) *v1beta1.Alias {
	r.Helper()
	a := r.alias("live", func(a *v1beta1.Alias) {
		a.Spec.ProviderConfigReference = f.Spec.ProviderConfigReference.DeepCopy()
		a.Spec.Rollout = &v1beta1.AliasRollout{
			Strategy: v1beta1.RolloutStrategy{AllAtOnce: &v1beta1.AllAtOnceStrategy{}},
		}
	})
	r.create(a)
	r.ready(a)
	r.edit(f, func(f *v1beta1.Function) { f.Spec.ForProvider.Timeout = ptr.To[int32](17) })
	r.until("the next version is rolled out", func() bool {
		r.get(a)
		return a.Status.Rollout != nil && a.Status.Rollout.Phase == v1beta1.RolloutReady &&
			a.Status.Rollout.Stable.FunctionVersion == "2"
	})
	return a
}

// scrape returns what controller-runtime's server serves.
func scrape(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{}))
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", b, err)
	}
	return string(b)
}

var (
	// shown matches the metrics to keep: of those of Go and of the process, only those that do not depend on version
	// and system.
	shown = regexp.MustCompile(
		`^(provider_lambda|crossplane|controller_runtime|workqueue|rest_client|leader_election)_|^process_(cpu_seconds_total|resident_memory_bytes)$`,
	)
	label = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

// closed are labels with few values, which are the same in any run.
var closed = []string{"bucket", "change", "for"}

// shape returns a scrape without values, with one sample for each set of labels.
func shape(text string) string {
	var b strings.Builder
	b.WriteString("# What the provider serves, with values and most labels left out. A test of internal/manager " +
		"writes it.\n")
	var samples map[string]bool
	flush := func() {
		for _, s := range slices.Sorted(maps.Keys(samples)) {
			b.WriteString(s + " 0\n")
		}
		samples = map[string]bool{}
	}
	keep := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if help, ok := strings.CutPrefix(line, "# HELP "); ok {
			flush()
			name, _, _ := strings.Cut(help, " ")
			keep = shown.MatchString(name)
		}
		switch {
		case !keep:
		case strings.HasPrefix(line, "#"):
			b.WriteString(line + "\n")
		default:
			samples[anonymous(line[:strings.LastIndex(line, " ")])] = true
		}
	}
	flush()
	return b.String()
}

// anonymous returns a sample's name and labels without what differs from one run to the next. It keeps one of a
// histogram's buckets.
func anonymous(sample string) string {
	return label.ReplaceAllStringFunc(sample, func(l string) string {
		name, _, _ := strings.Cut(l, "=")
		switch {
		case name == "le":
			return `le="+Inf"`
		case slices.Contains(closed, name):
			return l
		}
		return name + `="x"`
	})
}
