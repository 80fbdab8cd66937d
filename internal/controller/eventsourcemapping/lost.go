package eventsourcemapping

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/readcache"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/tagging"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// lost returns the UUID of the mapping that this resource has created without recording the
// UUID, see tagging.Search. It is empty if there is none.
func (e *external) lost(ctx context.Context, m *v1beta1.EventSourceMapping) (string, reconcile.Effects, error) {
	return tagging.Search{
		Facts: e.facts,
		API:   e.api, Cache: e.cache, Kind: "event source mapping", Identifier: "UUID",
		InStatus: ptr.Deref(m.Status.AtProvider.UUID, ""),
		Tags: func(ctx context.Context, uuid string) (map[string]string, error) {
			o, err := e.getWithTags(ctx, m, uuid)
			if awserr.IsNotFound(err) {
				err = nil
			}
			return o.tags, err
		},
		List: func(ctx context.Context, created time.Time, f readcache.Freshness) ([]tagging.Candidate, error) {
			return e.candidates(ctx, m, created, f)
		},
	}.FindLost(ctx, m)
}

// candidates returns the mappings of the same source. The function may have been changed
// meanwhile, so mappings of other functions come last.
func (e *external) candidates(
	ctx context.Context, m *v1beta1.EventSourceMapping, created time.Time, f readcache.Freshness) ([]tagging.Candidate,
	error,
) {
	all, err := e.listSource(ctx, m, f)
	if err != nil {
		return nil, err
	}
	function := plainFunction(functionName(m.Spec.ForProvider))
	var likely, others []tagging.Candidate
	for _, c := range all {
		arn := ptr.Deref(lambdaapi.MappingARN(c.EventSourceMappingArn), "")
		o := tagging.Candidate{Name: ptr.Deref(c.UUID, ""), ARN: arn}
		switch {
		case o.Name == "":
		case !created.IsZero() && plainFunction(ptr.Deref(c.FunctionArn, "")) == function:
			o.Likely = true
			likely = append(likely, o)
		default:
			others = append(others, o)
		}
	}
	return slices.Concat(likely, others), nil
}

// listSource returns the mappings of the same source with ListEventSourceMappings. All
// resources of a source share the list. For a resource that is being deleted and that has a
// source which can't be resolved any more, it returns all mappings.
func (e *external) listSource(
	ctx context.Context, m *v1beta1.EventSourceMapping, f readcache.Freshness) ([]types.EventSourceMappingConfiguration,
	error,
) {
	source, err := e.source(ctx, m)
	if err != nil && !meta.WasDeleted(m) {
		return nil, err
	}
	in := listInput(m, source)
	return readcache.Read(ctx, e.cache, listKey(in), f,
		func(ctx context.Context) ([]types.EventSourceMappingConfiguration, error) {
			var all []types.EventSourceMappingConfiguration
			pages := lambda.NewListEventSourceMappingsPaginator(e.api, in)
			kept := &lambdaapi.KeptList{
				Cache: e.cache, Now: f.Now, For: string(m.GetUID()) + meta.GetExternalCreatePending(m).String(),
			}
			for page, err := range lambdaapi.Each(ctx, "event source mappings", pages, kept.Options) {
				if err != nil {
					return nil, errors.Wrap(awserr.Sanitize(err),
						"cannot list event source mappings to find one that this resource may have created")
				}
				all = append(all, page.EventSourceMappings...)
			}
			return all, nil
		})
}

// listInput selects the mappings of a source, or those of the function if the source is a
// self-managed Kafka cluster, which has no ARN.
func listInput(m *v1beta1.EventSourceMapping, source *string) *lambda.ListEventSourceMappingsInput {
	p := m.Spec.ForProvider
	in := &lambda.ListEventSourceMappingsInput{EventSourceArn: source}
	if p.SelfManagedEventSource != nil && p.FunctionName != nil {
		in.FunctionName = ptr.To(functionName(p))
	}
	return in
}

// listKey returns the key of a list of mappings in the read cache.
func listKey(in *lambda.ListEventSourceMappingsInput) readcache.Key {
	return readcache.Key{Operation: opList, Of: ptr.Deref(in.EventSourceArn, "") + " " + ptr.Deref(in.FunctionName, "")}
}

var uuidPattern = regexp.MustCompile(`UUID ([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})`)

// takeOver returns the UUID of the mapping that AWS reports as existing, if it belongs to this resource or the user
// wants it adopted. Otherwise it returns an error with the UUID and how to import the mapping.
func (e *external) takeOver(
	ctx context.Context, m *v1beta1.EventSourceMapping, duplicate error,
) (reconcile.Result, error) {
	found := uuidPattern.FindStringSubmatch(awserr.Message(duplicate))
	if found == nil {
		return reconcile.Result{}, errors.New("cannot create event source mapping: " +
			awserr.Sanitize(duplicate).Error())
	}
	res := reconcile.Result{Name: found[1]}
	o, err := e.getWithTags(ctx, m, res.Name)
	if err != nil {
		return reconcile.Result{}, errors.Wrapf(
			err, "AWS already has event source mapping %s for this source and function", res.Name,
		)
	}
	v, err := e.checkOwnership(ctx, m, o, res.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if v == ownership.Adopted {
		res.Events = []event.Event{event.Normal(v1beta1.EventAdopted, "Adopted "+description(res.Name))}
	}
	return res, nil
}
