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

// timeoutMargin is how long before its deadline a test gives up waiting for a
// control plane, so that it can still say why.
const timeoutMargin = 15 * time.Second

// A Suite is the tests of one package, which share a control plane. The first
// test that asks for it starts it; tests that do not ask do not pay.
type Suite struct {
	Options Options

	start   sync.Once
	cluster *Cluster
	err     error
}

// Main is what TestMain calls: it runs the tests, stops the control plane and
// exits.
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

// Cluster returns the package's control plane. If there can be none, the test
// fails and says why; it is never skipped.
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

// Namespace makes a namespace for one test, with a name that is used once. It
// stays until the control plane stops: a controller under test is gone by then,
// so deletion would hang on finalizers. Controllers under test should watch
// only this namespace.
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

// namespacePrefix turns a test's name into what a namespace's name may start
// with. The API server appends five characters.
func namespacePrefix(test string) string {
	const limit = 50
	name := strings.Trim(notNameable.ReplaceAllString(strings.ToLower(test), "-"), "-")
	return strings.TrimRight(name[:min(len(name), limit)], "-") + "-"
}

// startContext ends shortly before the tests are out of time.
func startContext(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := d.Deadline(); ok {
			return context.WithDeadline(t.Context(), deadline.Add(-timeoutMargin))
		}
	}
	return context.WithCancel(t.Context())
}
