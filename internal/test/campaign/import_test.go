package campaign

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/importer"
	"github.com/crossplane-contrib/provider-lambda/internal/test/accounts"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// importFunctions is how many functions the random accounts of imports have.
var importFunctions = flag.Int("campaign.import", 5, "functions of random accounts that are imported")

// account makes a random account with so many functions.
func (s *Simulation) account(seed uint64, n int, unversioned bool) {
	s.Helper()
	a := accounts.Account{
		Rand: rand.New(rand.NewPCG(seed, 1)), Lambda: s.Lambda, //nolint:gosec // It is a test.
		Double:      s.Double,
		Secret:      CanaryWord,
		Unversioned: unversioned,
	}
	if err := a.Make(s.Context(), n); err != nil {
		s.Fatal(err)
	}
	s.Double.ResetCalls()
}

// imported imports the account, within the quotas of AWS.
func (s *Simulation) imported() *importer.Result {
	s.Helper()
	resolver := session.New(s.Kube, session.LiveSecrets(s.Kube), quota.New(time.Now, nil), time.Now,
		session.Options{HTTPClient: s.httpClient(&Network{})})
	mg := &v1beta1.Function{}
	mg.SetNamespace(Namespace)
	mg.SetProviderConfigReference(&xpv2.ProviderConfigReference{Kind: v1beta1.ClusterProviderConfigKind, Name: Config})
	sess, err := resolver.Resolve(s.Context(), mg, Region)
	if err != nil {
		s.Fatal(err)
	}
	r, err := importer.Import(s.Context(), importer.Options{
		Session: sess.Derive(awsconfig.Pace), Scheme: s.Kube.Scheme(), Namespace: Namespace, ClusterID: "simulated",
		Now: time.Now, Progress: func(importer.Phase, int, int) {},
		Manager: func(context.Context, map[string]string) string { return "" },
	})
	if err != nil {
		s.Fatal(err)
	}
	if made := s.writes(); len(made) > 0 {
		s.Errorf("the import has changed AWS: %v", made)
	}
	return r
}

// object returns the object of an item as its manifest has it.
func (s *Simulation) object(i *importer.Item) *unstructured.Unstructured {
	s.Helper()
	var from any
	if i.Resource != nil {
		from = i.Resource
	} else {
		secret := i.Secret.DeepCopy() // The API server moves stringData.
		secret.Data = map[string][]byte{}
		for k, v := range secret.StringData {
			secret.Data[k] = []byte(v)
		}
		secret.StringData = nil
		from = secret
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
	if err != nil {
		s.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: m}
	unstructured.RemoveNestedField(m, "status")
	unstructured.RemoveNestedField(m, "metadata", "creationTimestamp")
	if i.Resource != nil {
		u.SetGroupVersionKind(v1beta1.SchemeGroupVersion.WithKind(i.Kind))
	}
	return u
}

// apply applies the manifests, and returns the resources.
func (s *Simulation) apply(r *importer.Result) []*unstructured.Unstructured {
	s.Helper()
	var out []*unstructured.Unstructured
	for _, i := range r.Items {
		u := s.object(i)
		s.Create(u)
		if i.Resource != nil {
			out = append(out, u)
		}
	}
	return out
}

// allReady waits until all resources are ready.
func (s *Simulation) allReady(within time.Duration, all []*unstructured.Unstructured) {
	s.Helper()
	var waiting *unstructured.Unstructured
	if s.Until(within, func() bool {
		at := slices.IndexFunc(all, func(u *unstructured.Unstructured) bool { return !s.ready(u) })
		if at >= 0 {
			waiting = all[at]
		}
		return at < 0
	}) {
		return
	}
	s.Fatalf("%s %s is not ready: %v\n%v", waiting.GetKind(), waiting.GetName(), waiting.Object["spec"],
		waiting.Object["status"])
}

// TestImport checks for random accounts that every resource is imported with a proof, and that the provider then
// changes nothing in AWS but tags.
func TestImport(t *testing.T) {
	seeds := []uint64{1, 2, 3}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			Run(t, awsdouble.Options{}, func(t *testing.T, s *Simulation) { //nolint:thelper // It is the test.
				s.account(seed, *importFunctions, false)
				r := s.imported()
				for _, i := range r.Unproven() {
					t.Errorf("%s %s (%s) is not proven: %v", i.Kind, i.Name, i.AWSName, i.Limits)
				}
				s.Double.ResetCalls()
				all := s.apply(r)
				p := s.Start(&Network{})
				s.allReady(10*time.Minute, all)
				time.Sleep(3 * time.Hour)
				tagged := map[string]int{}
				for _, c := range s.Double.Calls() {
					if c.Operation == "TagResource" {
						tagged[c.Resource]++
					}
				}
				for _, op := range s.writes() {
					if op != "TagResource" {
						t.Errorf("the provider has called %s", op)
					}
				}
				for what, n := range tagged {
					if n > 1 {
						t.Errorf("%s was tagged %d times", what, n)
					}
				}
				if err := p.Stop(); err != nil {
					t.Error(err)
				}
				s.Double.ResetCalls()
				s.sameAgain(r)
			})
		})
	}
}

// sameAgain checks that an import of what is managed already has the same manifests, and that they are proven.
func (s *Simulation) sameAgain(before *importer.Result) {
	s.Helper()
	again := s.imported()
	manifests := func(r *importer.Result) map[string]any {
		out := map[string]any{}
		for _, i := range r.Items {
			out[i.Kind+"/"+i.Name] = s.object(i).Object
		}
		return out
	}
	if diff := cmp.Diff(manifests(before), manifests(again)); diff != "" {
		s.Errorf("another import has other manifests: -before, +again:\n%s", diff)
	}
	for _, i := range again.Unproven() {
		s.Errorf("%s %s is not proven again: %v", i.Kind, i.Name, i.Limits)
	}
}
