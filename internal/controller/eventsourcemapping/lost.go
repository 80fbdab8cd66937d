package eventsourcemapping

import (
	"context"
	"regexp"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/answer"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/managed"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/tagging"
)

// lost finds the mapping that a create may have made whose answer never came, or whose
// UUID was not kept because the process ended: the one that carries this resource's
// UID. It is empty where none has made anything. Where several carry it, only the user can
// tell which one is meant, unless all are to go.
func (e *external) lost(ctx context.Context, m *v1beta1.EventSourceMapping) (string, error) {
	if meta.GetExternalCreatePending(m).IsZero() {
		if uuid, err := e.shown(ctx, m); uuid != "" || err != nil {
			return uuid, err
		}
		return e.unrecorded(ctx, m)
	}
	candidates, err := e.candidates(ctx, m)
	if err != nil || len(candidates) == 0 {
		return "", err
	}
	if !managed.Reserve(ctx, slices.Repeat([]string{opTags}, len(candidates))...) {
		return "", nil
	}
	found := ownership.Recovery{Kind: "event source mapping", Identifier: "UUID"}
	for _, c := range candidates {
		uuid := ptr.Deref(c.UUID, "")
		tags, told, err := e.tagsOf(ctx, c)
		switch {
		case err != nil:
			return "", errors.Wrapf(awserr.Clean(err), "cannot read the tags of %s to check whether this resource created it", what(uuid))
		case tags[ownership.TagUID] == string(m.GetUID()):
			found.Ours = append(found.Ours, uuid)
		case !told && other(c, plainFunction(functionName(m.Spec.ForProvider))) == 0:
			found.Doubtful = uuid
		}
	}
	return found.Name(m)
}

// shown is the mapping that status shows, if it carries this resource's UID: someone has
// removed the annotations that keep its name.
func (e *external) shown(ctx context.Context, m *v1beta1.EventSourceMapping) (string, error) {
	uuid := ptr.Deref(m.Status.AtProvider.UUID, "")
	if uuid == "" || !managed.Reserve(ctx, opTags) {
		return "", nil
	}
	o, err := e.get(ctx, uuid)
	if awserr.IsNotFound(err) {
		return "", nil
	}
	if err == nil {
		o.tags, err = e.tags.Read(ctx, m, ptr.Deref(o.mapping.EventSourceMappingArn, ""), e.api)
	}
	if err != nil || o.tags[ownership.TagUID] != string(m.GetUID()) {
		return "", err
	}
	return uuid, nil
}

// unrecorded returns the UUID of the mapping that carries this resource's UID although nothing
// in the object says that one was created. It is empty if there is none.
func (e *external) unrecorded(ctx context.Context, m *v1beta1.EventSourceMapping) (string, error) {
	if !tagging.MayHaveCreated(m, managed.Freshness(ctx).Now) {
		return "", nil
	}
	all, err := e.candidates(ctx, m)
	if awserr.IsUnsupported(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	candidates := make([]tagging.Candidate, len(all))
	for i, c := range all {
		candidates[i] = tagging.Candidate{Name: ptr.Deref(c.UUID, ""), ARN: ptr.Deref(c.EventSourceMappingArn, "")}
	}
	return tagging.Search{API: e.api, Cache: e.cache, Kind: "event source mapping", Identifier: "UUID"}.Find(ctx, m, candidates)
}

// tagsOf a mapping, and whether AWS tells them.
func (e *external) tagsOf(ctx context.Context, c types.EventSourceMappingConfiguration) (tags map[string]string, told bool, err error) {
	if c.EventSourceMappingArn == nil {
		return nil, false, nil
	}
	out, err := e.api.ListTags(ctx, &lambda.ListTagsInput{Resource: c.EventSourceMappingArn})
	if awserr.IsNotFound(err) || awserr.IsUnsupported(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return out.Tags, true, nil
}

// candidates are the mappings of the same source, those of the same function first,
// since that may have been changed meanwhile. For a resource that is being deleted and
// whose source can't be told any more, they are all that there are.
func (e *external) candidates(ctx context.Context, m *v1beta1.EventSourceMapping) ([]types.EventSourceMappingConfiguration, error) {
	source, err := e.source(ctx, m)
	if err != nil && !meta.WasDeleted(m) {
		return nil, err
	}
	p := m.Spec.ForProvider
	in := &lambda.ListEventSourceMappingsInput{EventSourceArn: source}
	if p.SelfManagedEventSource != nil && p.FunctionName != nil {
		in.FunctionName = ptr.To(functionName(p))
	}
	var found []types.EventSourceMappingConfiguration
	var read answer.Pages
	for pages := lambda.NewListEventSourceMappingsPaginator(e.api, in); pages.HasMorePages(); {
		if err := read.Next("event source mappings"); err != nil {
			return nil, err
		}
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, errors.Wrap(awserr.Clean(err), "cannot list event source mappings to find one that this resource may have created")
		}
		found = append(found, page.EventSourceMappings...)
	}
	found = slices.DeleteFunc(found, func(c types.EventSourceMappingConfiguration) bool { return c.UUID == nil })
	wanted := plainFunction(functionName(p))
	slices.SortStableFunc(found, func(a, b types.EventSourceMappingConfiguration) int { return other(a, wanted) - other(b, wanted) })
	return found, nil
}

// other is 0 for a mapping of the function, and 1 for one of another.
func other(c types.EventSourceMappingConfiguration, function string) int {
	if plainFunction(ptr.Deref(c.FunctionArn, "")) == function {
		return 0
	}
	return 1
}

var uuidPattern = regexp.MustCompile(`UUID ([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})`)

// takeOver the mapping that AWS says is there already: ours, or one that the user says
// to adopt. For another's, the error tells its UUID and how to import it.
func (e *external) takeOver(ctx context.Context, m *v1beta1.EventSourceMapping, duplicate error) (string, error) {
	found := uuidPattern.FindStringSubmatch(awserr.Message(duplicate))
	if found == nil {
		return "", errors.New("cannot create event source mapping: " + awserr.Clean(duplicate).Error())
	}
	uuid := found[1]
	o, err := e.get(ctx, uuid)
	if err == nil {
		o.tags, err = e.tags.Read(ctx, m, ptr.Deref(o.mapping.EventSourceMappingArn, ""), e.api)
	}
	if err != nil {
		return "", errors.Wrapf(err, "AWS already has event source mapping %s for this source and function", uuid)
	}
	v, err := e.checkOwnership(ctx, m, o, uuid)
	if err != nil {
		return "", err
	}
	if v == ownership.Adopted {
		managed.Emit(ctx, event.Normal(flow.ReasonAdopted, "Adopted "+what(uuid)))
	}
	return uuid, nil
}
