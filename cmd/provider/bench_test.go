package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// BenchmarkFootprint measures a provider's memory and CPU with a number of Functions: docs/sizing.md explains the
// figures. The provider is the built one, in a process of its own, in a cluster with a thousand unrelated Secrets of
// 10 kB, against the double with Lambda's real quotas and 30 ms a call. Each Function is polled once a minute, ten
// times as often as by default, so that a minute is enough to measure. It takes about 20 minutes.
func BenchmarkFootprint(b *testing.B) {
	const interval = time.Minute
	w := newEnv(b, awsdouble.Options{Quotas: awsdouble.LambdaQuotas(), Latency: 30 * time.Millisecond, CreateDuration: time.Second})
	w.bystanders(1000)
	args := []string{
		"--leader-election-namespace=" + w.ns,
		"--poll=" + interval.String(), "--min-poll=" + interval.String(),
	}
	program := built(b)
	p := start(b, program, "LEADER", w.cluster.Kubeconfig, args...)
	until(b, "the provider leads", func() bool { return p.leads(b) })
	standby := start(b, program, "STANDBY", w.cluster.Kubeconfig, args...)
	get(b, "http://"+standby.health+"/readyz")

	made := 0
	for _, n := range []int{0, 1000, 10000} {
		b.Run(fmt.Sprintf("functions=%d", n), func(b *testing.B) {
			for b.Loop() {
				p.resetPeak(b)
				before := p.seconds(b)
				for ; made < n; made++ {
					w.create(w.function(fmt.Sprintf("f-%05d", made)))
				}
				w.ready(n, 30*time.Minute)
				creating := p.seconds(b) - before
				b.ReportMetric(p.memory(b, "VmHWM"), "peak-MiB")
				if n > 0 {
					b.ReportMetric(1000*creating/float64(n), "cpu-ms/creation")
				}

				time.Sleep(interval / 2) // The garbage of the creation is collected, and polls spread out.
				before, calls := p.seconds(b), w.double.Count("")
				time.Sleep(interval)
				// Memory is read before the metrics, which allocate.
				b.ReportMetric(p.memory(b, "VmRSS"), "rss-MiB")
				b.ReportMetric(p.memory(b, "RssAnon"), "anon-MiB")
				b.ReportMetric(p.memory(b, "RssFile"), "program-MiB")
				b.ReportMetric(standby.memory(b, "VmRSS"), "standby-rss-MiB")
				b.ReportMetric(standby.memory(b, "RssAnon"), "standby-anon-MiB")
				steady := p.seconds(b) - before
				if n > 0 { // Each Function is polled once in an interval, by list or by itself.
					b.ReportMetric(1000*steady/float64(n), "cpu-ms/look")
				}
				b.ReportMetric(1000*steady/interval.Seconds(), "cpu-m")
				b.ReportMetric(float64(w.double.Count("")-calls)/interval.Seconds(), "calls/s")
				b.ReportMetric(p.mebibytes(b, "go_memstats_heap_inuse_bytes"), "heap-MiB")
			}
		})
	}
}

// built returns the path of the provider as it is shipped.
func built(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "provider")
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".") //nolint:gosec // The path is the benchmark's.
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
			ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: fmt.Sprintf("other-%04d", i), Labels: map[string]string{"app": "other"}},
			Data:       map[string][]byte{"blob": make([]byte, 10_000)},
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

// memory returns the process's memory as the kernel counts it, in MiB: VmRSS is what is resident, VmHWM the maximum
// of that since resetPeak, RssFile the part of it that is the program, and RssAnon the rest.
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
