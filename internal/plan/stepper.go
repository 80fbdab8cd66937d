package plan

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/feature"

	"github.com/crossplane-contrib/provider-lambda/internal/controller"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/flux"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/plan/dryrun"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/engine"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/reporting"
	"github.com/crossplane-contrib/provider-lambda/internal/rollout/analysis"
)

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
		Tenants:   p.o.Tenants,
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
