package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/manager"
)

// parse parses a command line as main does.
func parse(t *testing.T, args ...string) (flags, string, error) {
	t.Helper()
	f := flags{}
	out := &bytes.Buffer{}
	exited := false
	p, err := kong.New(&f, append(kongOptions(), kong.Writers(out, out), kong.Exit(func(int) { exited = true }))...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Parse(args)
	if exited {
		err = nil
	}
	return f, out.String(), err
}

func TestDefaults(t *testing.T) {
	f, _, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.validate(); err != nil {
		t.Errorf("the defaults are valid: %v", err)
	}
	o := f.options()
	if !o.LeaderElection || !o.SafeStart || !o.Features.Enabled(feature.EnableBetaManagementPolicies) {
		t.Errorf("leader election, safe start and management policies are on: %+v", o)
	}
	if f.EnableTracing || o.Tracer != nil {
		t.Error("tracing is off")
	}
	if o.PprofAddress != "" || o.ChangeLogSocket != "" || o.Config.AllowNamespacedPodIdentity ||
		o.Config.AllowNamespacedEndpoints || o.Config.AllowLoopbackEndpoints {
		t.Errorf("pprof, the change log, and the pod's identity and endpoints for tenants are off: %+v", o)
	}
	if o.DeletionPolicy.Enabled() {
		t.Errorf("no deletion waits: %+v", o.DeletionPolicy)
	}
	if len(o.AnalysisHosts) != 0 {
		t.Errorf("rollouts call no host: %v", o.AnalysisHosts)
	}
	if len(o.SourceHosts) != 4 || o.SourceHosts[0] != "source-controller.flux-system.svc.cluster.local" ||
		o.SourceLoopback {
		t.Errorf("artifacts are downloaded from Flux: %v", o.SourceHosts)
	}
	if o.LeaseDuration != manager.DefaultLeaseDuration || o.RenewDeadline != manager.DefaultRenewDeadline {
		t.Errorf("a lease of %s, to be renewed within %s", o.LeaseDuration, o.RenewDeadline)
	}
	if o.PollInterval != 10*time.Minute || o.MinPollInterval != 30*time.Second || o.PollJitter != 0.1 ||
		o.MaxConcurrentReconciles != 100 {
		t.Errorf("poll %s, floor %s, jitter %v, rate %d", o.PollInterval, o.MinPollInterval, o.PollJitter,
			o.MaxConcurrentReconciles)
	}
}

func TestFlagsReachTheManager(t *testing.T) {
	f, _, err := parse(
		t,
		"--no-leader-election",
		"--no-enable-management-policies",
		"--no-safe-start",
		"--enable-changelogs",
		"--changelogs-socket-path=/tmp/s",
		"--poll=5m",
		"--min-poll=1m",
		"--poll-jitter-percentage=20",
		"--sync=2h",
		"--max-reconcile-rate=7",
		"--cluster-id=prod",
		"--watch-namespace=a,b",
		"--metrics-bind-address=0",
		"--health-probe-bind-address=127.0.0.1:1",
		"--pprof-bind-address=127.0.0.1:2",
		"--quota-get-function=50",
		"--quota-control-plane=5",
		"--allow-namespaced-endpoints",
		"--namespaced-endpoint-host=a.example.org,*.b.example.org",
		"--allow-namespaced-pod-identity",
		"--enable-tracing",
		"--leader-election-namespace=ns",
		"--leader-election-lease-duration=15s",
		"--leader-election-renew-deadline=10s",
		"--poll-state-metric=2m",
		"--analysis-host=prometheus.monitoring.svc:9090",
		"--analysis-host=*.example.org,10.0.0.7",
		"--source-host=flux.example.org",
		"--deletion-limit=50/1h",
		"--deletion-protection-invoked-within=168h",
	)
	if err != nil {
		t.Fatal(err)
	}
	o := f.options()
	if !f.EnableTracing {
		t.Error("tracing: the flag is lost")
	}
	for what, wrong := range map[string]bool{
		"leader election": o.LeaderElection || o.LeaderElectionNamespace != "ns" ||
			o.LeaseDuration != 15*time.Second || o.RenewDeadline != 10*time.Second,
		"management policies": o.Features.Enabled(feature.EnableBetaManagementPolicies),
		"safe start":          o.SafeStart,
		"change log":          o.ChangeLogSocket != "/tmp/s",
		"poll": o.PollInterval != 5*time.Minute || o.MinPollInterval != time.Minute ||
			o.PollJitter != 0.2,
		"sync":       o.SyncPeriod != 2*time.Hour,
		"rate":       o.MaxConcurrentReconciles != 7,
		"cluster":    o.ClusterID != "prod",
		"namespaces": strings.Join(o.Namespaces, " ") != "a b",
		"addresses": o.MetricsAddress != "0" || o.HealthAddress != "127.0.0.1:1" ||
			o.PprofAddress != "127.0.0.1:2",
		"quotas": o.QuotaRates[quota.GetFunction].PerSecond != 50 ||
			o.QuotaRates[quota.ControlPlane].PerSecond != 5,
		"tenants": !o.Config.AllowNamespacedEndpoints || !o.Config.AllowNamespacedPodIdentity,
		"hosts":   strings.Join(o.Config.NamespacedEndpointHosts, " ") != "a.example.org *.b.example.org",
		"analysis": strings.Join(o.AnalysisHosts,
			" ") != "prometheus.monitoring.svc:9090 *.example.org 10.0.0.7",
		"sources": strings.Join(o.SourceHosts, " ") != "flux.example.org",
		"deletions": o.DeletionPolicy.Limit.String() != "50/1h" ||
			o.DeletionPolicy.InvokedWithin != 168*time.Hour,
		"state metrics": o.StateMetricInterval != 2*time.Minute,
	} {
		if wrong {
			t.Errorf("%s: the flag does not reach the manager: %+v", what, o)
		}
	}
	if quota.DefaultRates[quota.GetFunction].PerSecond == 50 {
		t.Error("a flag changes the defaults of other limiters")
	}
}

// TestDividedQuotas checks what each of three shards uses of the quotas of an account.
func TestDividedQuotas(t *testing.T) {
	f, _, err := parse(t, "--quota-control-plane=4.9", "--quota-get-function=49")
	if err != nil {
		t.Fatal(err)
	}
	want := map[quota.Bucket]quota.Rate{
		quota.ControlPlane: {PerSecond: 4.9, Burst: 10}, // Less is not enough for each reconcile.
		quota.GetPolicy:    {PerSecond: 4.9, Burst: 10},
		quota.GetFunction:  {PerSecond: 49, Burst: 30},
	}
	if diff := cmp.Diff(want, f.options().QuotaRates); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	raised, _, err := parse(t, "--quota-control-plane=100")
	if err != nil {
		t.Fatal(err)
	}
	if got := raised.options().QuotaRates[quota.ControlPlane]; got.PerSecond != 100 || got.Burst != 10 {
		t.Errorf("a raised rate has the burst that arrives at once in AWS: got %+v", got)
	}
}

func TestInvalidFlags(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Jitter": {
			reason: "Whole intervals cannot jitter away.", args: []string{"--poll-jitter-percentage=100"},
			want: "--poll-jitter-percentage",
		},
		"Rate": {
			reason: "Someone has to work.", args: []string{"--max-reconcile-rate=0"},
			want: "--max-reconcile-rate",
		},
		"Poll": {reason: "The floor holds for the default too.", args: []string{"--poll=10s"}, want: "--min-poll"},
		"Quota": {
			reason: "No quota is no call, ever.", args: []string{"--quota-control-plane=0"},
			want: "--quota-control-plane",
		},
		"Lease": {
			reason: "The Lease object counts in seconds.",
			args:   []string{"--leader-election-lease-duration=59.5s"}, want: "--leader-election-lease-duration",
		},
		"Renewal": {
			reason: "One leader stops before the next begins.",
			args:   []string{"--leader-election-lease-duration=50s"}, want: "--leader-election-renew-deadline",
		},
		"Hasty": {
			reason: "A request takes time.", args: []string{"--leader-election-renew-deadline=500ms"},
			want: "--leader-election-renew-deadline",
		},
		"Hosts": {
			reason: "Hosts that are listed and not allowed are a mistake.",
			args:   []string{"--namespaced-endpoint-host=a"}, want: "--allow-namespaced-endpoints",
		},
		"Pattern": {
			reason: "A pattern that cannot be read would match nothing.",
			args:   []string{"--allow-namespaced-endpoints", "--namespaced-endpoint-host=[a"},
			want:   "--namespaced-endpoint-host",
		},
		"EndpointHostWithPort": {
			reason: "A pattern that matches no host allows none, whatever the operator meant.",
			args:   []string{"--allow-namespaced-endpoints", "--namespaced-endpoint-host=localstack:http"},
			want:   `--namespaced-endpoint-host is "localstack:http"`,
		},
		"EndpointHostAsURL": {
			reason: "The same.",
			args:   []string{"--allow-namespaced-endpoints", "--namespaced-endpoint-host=https://localstack"},
			want:   `--namespaced-endpoint-host is "https://localstack"`,
		},
		"Analysis": {
			reason: "A URL is not a host.",
			args:   []string{"--analysis-host=a.example.org,https://b.example.org"},
			want:   `--analysis-host is "https://b.example.org"`,
		},
		"Limit": {
			reason: "A limit needs a window.", args: []string{"--deletion-limit=50"},
			want: `--deletion-limit is "50"`,
		},
		"Invoked": {
			reason: "CloudWatch is read for 90 days at most.",
			args:   []string{"--deletion-protection-invoked-within=2161h"},
			want:   "--deletion-protection-invoked-within is 2161h0m0s: it must be from 0s to 2160h",
		},
		"Selector": {
			reason: "A selector that cannot be read would select nothing.",
			args:   []string{"--watch-selector=shard in a"}, want: "--watch-selector",
		},
		"Ring": {
			reason: "The name of a ring is part of a label.", args: []string{"--controller-ring=a b"},
			want: "--controller-ring",
		},
		"Shard": {reason: "The name of a shard is that of its lease.", args: []string{
			"--controller-ring=lambda",
			"--shard-name=Pod_1",
		}, want: "--shard-name"},
		"TwoWays": {reason: "A resource is assigned in one way.", args: []string{
			"--controller-ring=lambda",
			"--watch-selector=a=b",
		}, want: "exclude each other"},
		"NoLease": {
			reason: "Without a lease, the sharder assigns nothing to the shard.",
			args:   []string{"--controller-ring=lambda", "--no-leader-election"}, want: "--leader-election",
		},
		"NoNumber": {
			reason: "A quota is a number.", args: []string{"--quota-get-function=NaN"},
			want: "--quota-get-function",
		},
		"Negative": {
			reason: "A negative quota is rejected.", args: []string{"--quota-get-function=-1"},
			want: "--quota-get-function",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f, _, err := parse(t, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: want an error about %s, got %v", tc.reason, tc.want, err)
			}
		})
	}
	if _, _, err := parse(t, "--no-such-flag"); err == nil {
		t.Error("a misspelt flag is an error")
	}
}

// TestShard checks which resources the flags select.
func TestShard(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason  string
		args    []string
		podName string
		want    string
	}{
		"All": {reason: "The default has all resources.", podName: "pod-0"},
		"Selector": {
			reason: "A selector has those that it selects.",
			args:   []string{"--watch-selector=!example.org/shard"}, podName: "pod-0", want: "!example.org/shard",
		},
		"Host": {
			reason: "The name of a pod is its host name.", args: []string{"--controller-ring=lambda"},
			want: "shard.alpha.sharding.timebertt.dev/lambda=" + host,
		},
		"Pod": {
			reason: "Unless it uses the network of its node.", args: []string{"--controller-ring=lambda"},
			podName: "pod-0", want: "shard.alpha.sharding.timebertt.dev/lambda=pod-0",
		},
		"Named": {reason: "A flag overrides the variable.", args: []string{
			"--controller-ring=lambda",
			"--shard-name=a",
		}, podName: "pod-0", want: "shard.alpha.sharding.timebertt.dev/lambda=a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("POD_NAME", tc.podName)
			f, _, err := parse(t, tc.args...)
			if err == nil {
				err = f.validate()
			}
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			if got := f.options().Shard.String(); got != tc.want {
				t.Errorf("%s\nselects %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("LEADER_ELECTION", "false")
	t.Setenv("PROVIDER_LAMBDA_POLL", "42m")
	f, _, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if f.LeaderElection || f.Poll != 42*time.Minute {
		t.Errorf("want flags from the environment, got %t, %s", f.LeaderElection, f.Poll)
	}
}

func TestHelp(t *testing.T) {
	_, help, err := parse(t, "--help")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"--poll=10m", "--[no-]leader-election", "$LEADER_ELECTION",
		"$PROVIDER_LAMBDA_CLUSTER_ID", "crossplane.io/poll-interval", "AWS's quota is 15",
	} {
		if !strings.Contains(strings.Join(strings.Fields(help), " "), want) {
			t.Errorf("the help lacks %q:\n%s", want, help)
		}
	}
}
