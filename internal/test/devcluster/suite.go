package devcluster

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// timeoutMargin is the time before its deadline at which a test stops waiting for a control plane, so that it can still
// report why.
const timeoutMargin = 15 * time.Second

// A Suite is the tests of one package, which share a control plane. The first test that needs it starts it.
type Suite struct {
	Options Options

	start   sync.Once
	cluster *Cluster
	err     error
}

// Main runs the tests, stops the control plane and exits. TestMain calls it.
func (s *Suite) Main(m *testing.M) {
	code := m.Run()
	if s.cluster != nil {
		if err := s.cluster.Stop(); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// Cluster returns the package's control plane. If it cannot be started, the test fails with the reason; it is never
// skipped.
func (s *Suite) Cluster(t testing.TB) *Cluster {
	t.Helper()
	s.start.Do(func() {
		ctx, cancel := startContext(t)
		defer cancel()
		s.cluster, s.err = Start(ctx, s.Options)
	})
	if s.err != nil {
		t.Fatalf("no dev control plane: %v", s.err)
	}
	return s.cluster
}

// Namespace creates a namespace for one test, with a unique name. It exists until the control plane stops: a
// controller under test has ended by then, so that a deletion would wait for finalizers forever. Controllers under
// test should watch only this namespace.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatalf("cannot make a client: %v", err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: namespacePrefix(t.Name())}}
	ns, err = client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("cannot make a namespace: %v", err)
	}
	return ns.GetName()
}

var notNameable = regexp.MustCompile(`[^a-z0-9]+`)

// namespacePrefix returns a valid prefix of a namespace's name for a test's name. The API server appends five
// characters.
func namespacePrefix(test string) string {
	const limit = 50
	name := strings.Trim(notNameable.ReplaceAllString(strings.ToLower(test), "-"), "-")
	return strings.TrimRight(name[:min(len(name), limit)], "-") + "-"
}

// startContext returns a context that ends shortly before the tests' deadline.
func startContext(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := d.Deadline(); ok {
			return context.WithDeadline(t.Context(), deadline.Add(-timeoutMargin))
		}
	}
	return context.WithCancel(t.Context())
}
