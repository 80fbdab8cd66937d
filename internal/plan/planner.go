package plan

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/internal/analysis"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/dryrun"
	awssession "github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
	"github.com/crossplane-contrib/provider-lambda/internal/refs"
)

// OfflineAccount is the ID of the account of plans without a connection to AWS.
const OfflineAccount = "000000000000"

// Options are those of a Planner.
type Options struct {
	// Scheme has all kinds of the provider, Secrets and ConfigMaps.
	Scheme *runtime.Scheme

	// Cluster reads what specs refer to and is not part of the plan. Nil means that there is no cluster.
	Cluster client.Reader

	// Mapper maps the cluster's kinds. Nil means that all are namespaced.
	Mapper meta.RESTMapper

	// Resolver returns what resolves the AWS sessions with which AWS is read. It reads configs and their Secrets with a
	// client. Nil means that AWS is not called: see Planner.Plan.
	Resolver func(client.Client) reconciler.Resolver

	// Objects and Fields read what specs refer to. Nil reads it from the plan and the cluster.
	Objects *refs.ObjectReader
	Fields  *refs.FieldReader

	// Pause waits until AWS may be called again. Nil ends the plan then.
	Pause func(ctx context.Context, d time.Duration) error

	// ClusterID marks in AWS what the cluster owns.
	ClusterID string

	// Now is the clock.
	Now func() time.Time
}

// A Planner plans resources, one after the other. What is planned for one is what the next one finds in AWS and in the
// cluster. It is not safe for concurrent use.
type Planner struct {
	o        Options
	objects  *objects
	resolver reconciler.Resolver
	accounts map[string]*dryrun.Account
	missing  map[string]string

	mu  sync.Mutex
	now time.Time
}

// New returns a Planner.
func New(o Options) *Planner {
	p := &Planner{
		o:        o,
		objects:  &objects{scheme: o.Scheme, cluster: o.Cluster, byKey: map[objectKey]client.Object{}},
		accounts: map[string]*dryrun.Account{},
		missing:  map[string]string{},
		now:      o.Now(),
	}
	if o.Resolver != nil {
		p.resolver = o.Resolver(p.objects)
	}
	return p
}

// Add adds an object that resources refer to, such as a Secret that is applied with them.
func (p *Planner) Add(obj client.Object) { p.objects.put(withData(obj)) }

// clock returns the time of the reconcile that is planned.
func (p *Planner) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// advance advances the clock.
func (p *Planner) advance(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// stepper returns the stepper of a kind. It returns an error if the provider has no such kind.
func (p *Planner) stepper(gvk schema.GroupVersionKind) (reconciler.Stepper, error) {
	setup := controller.Kinds[gvk]
	if setup == nil {
		return nil, errors.Errorf("%s is no kind of managed resource of this provider", gvk.Kind)
	}
	var out reconciler.Stepper
	objs, fields := p.o.Objects, p.o.Fields
	if objs == nil {
		objs = refs.NewObjectReader(p.objects, p.objects, p.clock)
	}
	if fields == nil {
		fields = refs.NewFieldReader(refs.FieldReaderOptions{Live: p.objects, ConfigMaps: objs, Mapper: p.mapper(), Clock: clock.RealClock{}, Missing: p.placeholder})
	}
	o := reconciler.Options{
		Objects:   objs,
		Fields:    fields,
		Analyzer:  analysis.New(analysis.Options{Reader: p.objects, Secrets: objs}),
		ClusterID: p.o.ClusterID,
		Now:       p.clock,
		Steppers:  func(_ schema.GroupVersionKind, s reconciler.Stepper) { out = s },
	}
	o.Features = &feature.Flags{}
	return out, setup(&clientOnly{client: p.objects}, o)
}

// clientOnly is a manager that only has a client.
type clientOnly struct {
	ctrl.Manager

	client client.Client
}

// GetClient returns the client.
func (m *clientOnly) GetClient() client.Client { return m.client }

// mapper returns the mapper of the cluster's kinds. Those that are part of the plan need not be in the cluster.
func (p *Planner) mapper() meta.RESTMapper { return &lenientMapper{RESTMapper: p.o.Mapper} }

// lenientMapper maps a kind that the cluster does not have as a namespaced one.
type lenientMapper struct{ meta.RESTMapper }

// RESTMapping returns the mapping of a kind.
func (m *lenientMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if m.RESTMapper != nil {
		if out, err := m.RESTMapper.RESTMapping(gk, versions...); err == nil || !meta.IsNoMatchError(err) {
			return out, err
		}
	}
	return &meta.RESTMapping{GroupVersionKind: gk.WithVersion(strings.Join(versions, "")), Scope: meta.RESTScopeNamespace}, nil
}

// placeholder returns what stands for a value of an object that it does not have yet: one that is applied with the
// resources, or that is not in the cluster because there is none.
func (p *Planner) placeholder(obj refs.Object, path string) (string, bool) {
	if p.o.Cluster != nil && !p.objects.has(obj.Kind.GroupKind(), types.NamespacedName{Namespace: obj.Namespace, Name: obj.Name}) {
		return "", false
	}
	at := obj.String() + " " + path
	if p.missing[at] == "" {
		p.missing[at] = "known-after-apply-" + strconv.Itoa(len(p.missing)+1)
	}
	return p.missing[at], true
}

// mask replaces placeholders in a text.
func (p *Planner) mask(a *dryrun.Account, text string) string {
	for _, m := range p.missing {
		text = strings.ReplaceAll(text, m, Unknown)
	}
	return a.Mask(text, Unknown)
}

// account returns the account of a resource, which those of the same config and region share.
func (p *Planner) account(ctx context.Context, mg reconciler.Managed, region string) (*dryrun.Account, sessions, error) {
	ref := mg.GetProviderConfigReference()
	key := region
	if ref != nil {
		key += "/" + ref.Kind + "/" + ref.Name
		if ref.Kind == "ProviderConfig" {
			key += "/" + mg.GetNamespace()
		}
	}
	base := dryrun.Base{ID: OfflineAccount, Region: region, Partition: awssession.PartitionOf(region), Now: p.clock}
	if p.resolver == nil {
		a := p.known(key, base)
		return a, a.Offline, nil
	}
	s, err := p.resolver.Resolve(ctx, mg, region)
	if err != nil {
		return nil, nil, err
	}
	base.Live, base.ID, base.Partition = true, s.Identity.Account, s.Partition
	a := p.known(key+"/"+s.Identity.Account, base)
	return a, func() session { return a.Session(s) }, nil
}

func (p *Planner) known(key string, b dryrun.Base) *dryrun.Account {
	if p.accounts[key] == nil {
		p.accounts[key] = dryrun.New(b)
	}
	return p.accounts[key]
}

// kindOf returns the kind of a resource.
func (p *Planner) kindOf(mg client.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(mg, p.o.Scheme)
}
