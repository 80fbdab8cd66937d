package plan

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"
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

	awssession "github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
)

// OfflineAccount is the ID of the account of plans without a connection to AWS, if no resource of the cluster names it.
const OfflineAccount = "000000000000"

// Options are the options of a Planner.
type Options struct {
	// Scheme has all kinds of the provider, Secrets and ConfigMaps.
	Scheme *runtime.Scheme

	// Cluster reads what specs refer to and is not part of the plan. Nil means that there is no cluster.
	Cluster client.Reader

	// Mapper maps the cluster's kinds. Nil means that all are namespaced.
	Mapper meta.RESTMapper

	// Resolver returns what resolves the AWS sessions with which AWS is read. It reads configs and their Secrets with a
	// client. Nil means that AWS is not called: see Planner.Plan.
	Resolver func(client.Client) engine.Resolver

	// Objects and Fields read what specs refer to. Nil reads it from the plan and the cluster.
	Objects *refs.ObjectReader
	Fields  *refs.FieldReader

	// ClusterID marks in AWS what the cluster owns.
	ClusterID string

	// Now is the clock.
	Now func() time.Time
}

// A Planner plans resources, one after the other. What is planned for one is what the next one finds in AWS and in the
// cluster. It is not safe for concurrent use.
type Planner struct {
	o        Options
	resolver engine.Resolver
	accounts map[string]*dryrun.Account
	missing  map[string]string

	// artifacts are the Flux sources that the last walk has assumed to have an artifact.
	artifacts []string

	// ids are the IDs of accounts that resources of the cluster name, by config and region.
	ids map[string]string

	// objects are the objects after the plan, and before the objects as they are now. What AWS has now is made with
	// those.
	objects, before *objects

	// seeds has the initial states of plans without a connection to AWS.
	seeds map[objectKey]seed

	// names are the names that AWS gave, by those that stand for them without a connection to AWS.
	names map[string]string

	now time.Time
}

// New returns a Planner.
func New(o Options) *Planner {
	if o.Cluster != nil {
		o.Cluster = &snapshot{cluster: o.Cluster, read: map[string]answer{}}
	}
	p := &Planner{
		o:        o,
		objects:  newObjects(o.Scheme, o.Cluster),
		before:   newObjects(o.Scheme, o.Cluster),
		accounts: map[string]*dryrun.Account{},
		missing:  map[string]string{},
		ids:      map[string]string{},
		seeds:    map[objectKey]seed{},
		names:    map[string]string{},
		now:      o.Now(),
	}
	p.before.planned = p.objects
	if o.Resolver != nil {
		p.resolver = o.Resolver(p.objects)
	}
	return p
}

// Add adds an object that resources refer to, such as a Secret that is applied with them. Without a cluster, it is one
// that exists.
func (p *Planner) Add(obj client.Object) {
	obj = withData(obj)
	p.objects.put(obj)
	if p.o.Cluster == nil {
		p.before.put(obj)
	}
}

// clock returns the time of the reconcile that is planned.
func (p *Planner) clock() time.Time { return p.now }

// stepper returns the stepper of a resource's kind that reads objects. It returns an error if the provider has no such
// kind.
func (p *Planner) stepper(mg reconcile.Managed, from *objects) (*engine.Stepper, error) {
	gvk, err := p.kindOf(mg)
	if err != nil {
		return nil, err
	}
	define := controller.Kinds[gvk]
	if define == nil {
		return nil, errors.Errorf("%s is no kind of managed resource of this provider", gvk.Kind)
	}
	objs, fields := p.o.Objects, p.o.Fields
	if objs == nil {
		objs = refs.NewObjectReader(from, from, p.clock)
	}
	if fields == nil {
		fields = refs.NewFieldReader(refs.FieldReaderOptions{
			Live: from, ConfigMaps: objs, Mapper: &lenientMapper{RESTMapper: p.o.Mapper},
			Clock: clock.RealClock{}, Missing: p.placeholder,
		})
	}
	o := engine.Options{
		Objects:   objs,
		Fields:    fields,
		Analyzer:  analysis.New(analysis.Options{Reader: from, Secrets: objs, Planning: true}),
		Metrics:   reporting.NewMetrics(),
		ClusterID: p.o.ClusterID,
		Now:       p.clock,
	}
	o.Features = &feature.Flags{}
	return engine.NewStepper(from, o, define(&clientOnly{client: from}, o)), nil
}

// clientOnly is a manager that only has a client.
type clientOnly struct {
	ctrl.Manager

	client client.Client
}

// GetClient returns the client.
func (m *clientOnly) GetClient() client.Client { return m.client }

// lenientMapper maps a kind that the cluster does not have as a namespaced one: it may be part of the plan.
type lenientMapper struct{ meta.RESTMapper }

// RESTMapping returns the mapping of a kind.
func (m *lenientMapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if m.RESTMapper != nil {
		if out, err := m.RESTMapper.RESTMapping(gk, versions...); err == nil || !meta.IsNoMatchError(err) {
			return out, err
		}
	}
	kind := gk.WithVersion(strings.Join(versions, ""))
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return &meta.RESTMapping{Resource: resource, GroupVersionKind: kind, Scope: meta.RESTScopeNamespace}, nil
}

// KindFor returns the kind of a resource of the cluster.
func (m *lenientMapper) KindFor(resource schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	if m.RESTMapper == nil {
		return schema.GroupVersionKind{}, &meta.NoResourceMatchError{PartialResource: resource}
	}
	return m.RESTMapper.KindFor(resource)
}

// placeholder returns what stands for a value of an object that it does not have yet: one that is applied with the
// resources, or that is not in the cluster because there is none.
func (p *Planner) placeholder(obj refs.Object, path string) (string, bool) {
	if p.o.Cluster != nil && !p.objects.has(obj.Kind.GroupKind(), types.NamespacedName{
		Namespace: obj.Namespace,
		Name:      obj.Name,
	}) {
		return "", false
	}
	text := p.unknown(obj.String() + " " + path)
	if path == flux.View {
		p.artifacts = append(p.artifacts, obj.String())
		return flux.Placeholder(text), true
	}
	return text, true
}

// unknown returns what stands for a value that is known after an apply.
func (p *Planner) unknown(of string) string {
	if p.missing[of] == "" {
		p.missing[of] = "known-after-apply-" + strconv.Itoa(len(p.missing)+1)
	}
	return p.missing[of]
}

// setName gives a resource a name as the API server does. It returns an error if the API server would reject it.
func (p *Planner) setName(mg reconcile.Managed) error {
	switch {
	case mg.GetName() != "":
		return nil
	case mg.GetGenerateName() == "":
		return errors.New("set metadata.name or metadata.generateName")
	}
	mg.SetName(mg.GetGenerateName() + p.unknown("generated name "+strconv.Itoa(len(p.missing))))
	return nil
}

// unknowns match what unknown returns.
var unknowns = regexp.MustCompile("known-after-apply-[0-9]+")

// mask replaces what stands for values that are known after an apply, and for what AWS makes up.
func mask(text, by string) string { return dryrun.Mask(unknowns.ReplaceAllLiteralString(text, by), by) }

// account returns the account of a resource, which those of the same config and region share.
func (p *Planner) account(ctx context.Context, mg reconcile.Managed, region string) (*dryrun.Account, sessions, error) {
	key := configKey(mg, region)
	base := dryrun.Base{
		ID: cmp.Or(p.ids[key], OfflineAccount), Region: region,
		Partition: awssession.PartitionOf(region), Now: p.clock,
	}
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

func configKey(mg reconcile.Managed, region string) string {
	return region + "/" + watch.ConfigKey(watch.ConfigOf(mg))
}

// identifyAccount remembers the account that a resource of the cluster is in, if its status names it.
func (p *Planner) identifyAccount(prior reconcile.Managed) {
	if own, ok := ownARN(prior); ok {
		p.ids[configKey(prior, own.Region)] = own.AccountID
	}
}

// nameAccount takes the account in the function's ARN that a resource names for that of its config, unless it is known.
func (p *Planner) nameAccount(mg reconcile.Managed) {
	region, account := functionAccount(mg)
	if key := configKey(mg, region); p.ids[key] == "" && account != "" {
		p.ids[key] = account
	}
}

func (p *Planner) known(key string, b dryrun.Base) *dryrun.Account {
	if p.accounts[key] == nil {
		p.accounts[key] = dryrun.New(b)
	}
	return p.accounts[key]
}

func (p *Planner) kindOf(mg client.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(mg, p.o.Scheme)
}
