package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// footprintWarmUp is how long a provider runs before its footprint is measured. By then, its caches are filled and the
// garbage of its start is collected.
const footprintWarmUp = 4 * time.Minute

// BenchmarkFootprint measures a provider's memory and CPU with a number of Functions: docs/sizing.md explains the
// figures. The provider is the built one, in a process of its own, in a cluster with a thousand unrelated Secrets of 10
// kB, against the double with Lambda's real quotas and 30 ms a call. It is measured after it has created the Functions,
// and once more after a restart, with a standby beside it. Each Function is polled once a minute, ten times as often as
// by default, so that a minute is enough to measure. It takes about 50 minutes.
//
// What a pod is charged for is read from a control group of memory, which only root may create. Without one,
// charged-MiB and working-set-MiB are not reported.
func BenchmarkFootprint(b *testing.B) {
	w := newEnv(b, awsdouble.Options{
		Quotas: awsdouble.LambdaQuotas(), Latency: 30 * time.Millisecond,
		CreateDuration: time.Second,
	})
	w.bystanders(1000)
	f := &footprint{env: w, program: built(b)}
	for _, n := range []int{0, 300, 1000, 10000} {
		b.Run(fmt.Sprintf("functions=%d", n), func(b *testing.B) {
			for b.Loop() {
				if n > 0 {
					f.creation(b, n)
				}
				f.restart(b, n)
			}
		})
	}
}

// A footprint is a benchmark of a provider's footprint.
type footprint struct {
	*env
	program string
	made    int // The Functions that exist.
}

// footprintPoll is how often each Function is polled.
const footprintPoll = time.Minute

// start starts a provider in a control group of its own.
func (f *footprint) start(b *testing.B, name string) (*process, cgroup) {
	b.Helper()
	g := newCgroup(b, name)
	return start(b, g.wrap(b, f.program), name, f.cluster.Kubeconfig,
		"--leader-election-namespace="+f.ns, "--poll="+footprintPoll.String(), "--min-poll="+footprintPoll.String()), g
}

// lead starts a provider, and waits until it leads.
func (f *footprint) lead(b *testing.B) (*process, cgroup) {
	b.Helper()
	p, g := f.start(b, "LEADER")
	until(b, "the provider leads", func() bool { return p.leads(b) })
	return p, g
}

// creation measures a provider that creates Functions until there are n.
func (f *footprint) creation(b *testing.B, n int) {
	b.Helper()
	p, _ := f.lead(b)
	p.resetPeak(b)
	before, existed := p.seconds(b), f.made
	for ; f.made < n; f.made++ {
		f.create(f.function(fmt.Sprintf("f-%05d", f.made)))
	}
	f.ready(n, 30*time.Minute)
	b.ReportMetric(p.memory(b, "VmHWM"), "peak-MiB")
	b.ReportMetric(1000*(p.seconds(b)-before)/float64(n-existed), "cpu-ms/creation")
	time.Sleep(footprintWarmUp)
	b.ReportMetric(p.memory(b, "RssAnon"), "created-anon-MiB")
	stop(b, p)
}

// restart measures a provider that finds n Functions when it starts, and a standby.
func (f *footprint) restart(b *testing.B, n int) {
	b.Helper()
	p, g := f.lead(b)
	standby, _ := f.start(b, "STANDBY")
	get(b, "http://"+standby.health+"/readyz")
	time.Sleep(footprintWarmUp)
	before, calls := p.seconds(b), f.double.Count("")
	const samples = 12
	anonymous := 0.0
	for range samples { // The mean, since garbage comes and goes.
		time.Sleep(footprintPoll / samples)
		anonymous += p.memory(b, "RssAnon") / samples
	}
	// Memory is read before the metrics, which allocate.
	b.ReportMetric(anonymous, "anon-MiB")
	b.ReportMetric(p.memory(b, "RssFile"), "program-MiB")
	b.ReportMetric(standby.memory(b, "RssAnon"), "standby-anon-MiB")
	if charged, workingSet, ok := g.memory(); ok {
		b.ReportMetric(charged, "charged-MiB")
		b.ReportMetric(workingSet, "working-set-MiB")
	}
	steady := p.seconds(b) - before
	if n > 0 { // Each Function is polled once, by list or by itself.
		b.ReportMetric(1000*steady/float64(n), "cpu-ms/look")
	}
	b.ReportMetric(1000*steady/footprintPoll.Seconds(), "cpu-m")
	b.ReportMetric(float64(f.double.Count("")-calls)/footprintPoll.Seconds(), "calls/s")
	b.ReportMetric(p.mebibytes(b, "go_memstats_heap_inuse_bytes"), "heap-MiB")
	stop(b, standby, p)
}

// stop ends processes, and waits until they have ended.
func stop(b *testing.B, processes ...*process) {
	b.Helper()
	for _, p := range processes {
		p.signal(b, syscall.SIGTERM)
		if err := p.ends(b); err != nil {
			b.Fatalf("provider %s: %v", p.name, err)
		}
	}
}

// built returns the path of the provider as it is shipped.
func built(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "provider")
	cmd := exec.CommandContext(
		b.Context(),
		"go",
		"build",
		"-trimpath",
		"-ldflags=-s -w",
		"-o",
		program,
		".",
	) //nolint:gosec // The path is the benchmark's.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// bystanders creates unrelated Secrets.
func (w *env) bystanders(n int) {
	w.Helper()
	for i := range n {
		w.create(&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: w.ns, Name: fmt.Sprintf("other-%04d", i),
				Labels: map[string]string{"app": "other"},
			},
			Data: map[string][]byte{"blob": make([]byte, 10_000)},
		})
	}
}

// seconds returns the CPU time of the process.
func (p *process) seconds(b *testing.B) float64 {
	b.Helper()
	v, ok := p.metric(b, "process_cpu_seconds_total")
	if !ok {
		b.Fatal("the provider does not tell its processor time: it does so on Linux")
	}
	return v
}

// mebibytes returns a metric in bytes as MiB.
func (p *process) mebibytes(b *testing.B, name string) float64 {
	b.Helper()
	v, ok := p.metric(b, name)
	if !ok {
		b.Fatalf("the provider does not tell %s", name)
	}
	return v / (1 << 20)
}

// memory returns the process's memory as the kernel counts it, in MiB: RssAnon is anonymous memory, RssFile the
// resident part of the program, and VmHWM the maximum of both together since resetPeak.
func (p *process) memory(b *testing.B, name string) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), name+":")
	text, _, _ := strings.Cut(rest, " kB")
	kib, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}

func (p *process) resetPeak(b *testing.B) {
	b.Helper()
	const peak = "5" // The value is that of proc(5).
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte(peak), 0o600); err != nil {
		b.Fatal(err)
	}
}
