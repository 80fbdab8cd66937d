package plan

import (
	"cmp"
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	awssession "github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/tenancy"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/watch"
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

	// Tenants determines what resources may use. Nil allows everything.
	Tenants *tenancy.Registry

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

type session = *awssession.Session

// sessions returns a session for each reconcile, so that none uses what an earlier one has cached.
type sessions func() session

// A seed is the initial state of one resource in a plan without a connection to AWS.
type seed struct {
	// was is the resource that was reconciled in the account. It is nil if AWS has none, or if it is not known.
	was reconcile.Managed

	// unknowns are the facts that are not known then.
	unknowns []string

	// action and message are those of the plan if it is not known what AWS has, since the resource in the cluster
	// cannot be reconciled. They are empty otherwise.
	action  Action
	message string
}

// A Resource is a resource to plan.
type Resource struct {
	// Desired is the resource as it would be applied, and Prior the object in the cluster, nil if there is none.
	Desired, Prior reconcile.Managed
}

// order has the kinds that others refer to, in the order in which they are created.
var order = []string{
	v1beta1.CodeSigningConfigKind, v1beta1.CapacityProviderKind, v1beta1.LayerVersionKind, v1beta1.FunctionKind,
	v1beta1.VersionKind, v1beta1.AliasKind,
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

// rank returns the place of a resource in the order. One that is deleted comes before what it depends on.
func (p *Planner) rank(r Resource) int {
	at := p.place(r)
	if r.Desired.GetDeletionTimestamp() != nil {
		return -at
	}
	return at
}

// place returns the place of a resource in the order in which all are created.
func (p *Planner) place(r Resource) int {
	gvk, _ := p.kindOf(r.Desired) // An unknown kind is reported by its plan.
	if at := slices.Index(order, gvk.Kind); at >= 0 {
		return at
	}
	return len(order)
}
