package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const (
	// cleanPasses is the number of times that what is left is looked for and deleted. A mapping that is being changed,
	// and a function that is being created, can be deleted only later.
	cleanPasses = 30

	// cleanPause is the time between two of them.
	cleanPause = 5 * time.Second
)

// A cleaner removes what a run has left.
type cleaner struct {
	state  *State
	lambda *lambda.Client
	sqs    *sqs.Client
	iam    iam
	// deleted are all names that were deleted, and failures the rejected deletions of this pass.
	deleted  []string
	failures []error
}

// Clean deletes all that a run has made: what its state names, and what carries its tag or its prefix. It looks until
// nothing is found, and returns what it has deleted. It needs the same account.
func Clean(ctx context.Context, cfg aws.Config, s *State) (deleted []string, err error) {
	if err := Confirm(ctx, cfg, s.Run.Account); err != nil {
		return nil, err
	}
	c := &cleaner{
		state: s, lambda: lambda.NewFromConfig(cfg), sqs: sqs.NewFromConfig(cfg), iam: iam{cfg: cfg, now: time.Now},
	}
	for pass := range cleanPasses {
		before := len(c.deleted)
		c.failures = nil
		for _, kind := range []func(context.Context) error{
			c.mappings, c.functions, c.signing, c.capacity, c.layers, c.queues, c.roles,
		} {
			if err := kind(ctx); err != nil {
				c.failures = append(c.failures, err)
			}
		}
		if len(c.failures) == 0 && len(c.deleted) == before {
			return c.deleted, nil
		}
		if pass > 0 || len(c.failures) > 0 {
			select {
			case <-ctx.Done():
				return c.deleted, errors.Join(ctx.Err(), errors.Join(c.failures...))
			case <-time.After(cleanPause):
			}
		}
	}
	return c.deleted, fmt.Errorf("something of run %s may be left: run the command again: %w", s.Run.ID,
		errors.Join(c.failures...))
}

// note notes the outcome of a deletion. One of what does not exist needs none.
func (c *cleaner) note(what, name string, err error) {
	for _, code := range []string{
		"ResourceNotFoundException", "NoSuchEntity", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist",
	} {
		if isCode(err, code) {
			return
		}
	}
	if err != nil {
		c.failures = append(c.failures, fmt.Errorf("cannot delete %s %s: %w", what, name, err))
		return
	}
	c.deleted = append(c.deleted, what+" "+name)
}

// own reports whether a name is one of the run.
func (c *cleaner) own(name string) bool {
	return strings.HasPrefix(baseName(name), c.state.Run.Prefix())
}

// tags reports whether what an ARN names carries the tag of the run.
func (c *cleaner) tags(ctx context.Context, arn string) bool {
	out, err := c.lambda.ListTags(ctx, &lambda.ListTagsInput{Resource: &arn})
	return err == nil && out.Tags[TagKey] == c.state.Run.ID
}

func (c *cleaner) mappings(ctx context.Context) error {
	found := c.state.Made(kindMapping)
	all, err := listMappings(ctx, c.lambda)
	if err != nil {
		return err
	}
	for i := range all {
		m := &all[i]
		switch {
		case !c.own(aws.ToString(m.FunctionArn)):
		case aws.ToString(m.State) == "Deleting":
			c.failures = append(c.failures, fmt.Errorf("mapping %s is being deleted", aws.ToString(m.UUID)))
		default:
			found = append(found, aws.ToString(m.UUID))
			_ = c.state.Add(Made{kindMapping, aws.ToString(m.UUID)}) // So that the gate lets it be deleted.
		}
	}
	for _, id := range unique(found) {
		_, err := c.lambda.DeleteEventSourceMapping(ctx, &lambda.DeleteEventSourceMappingInput{UUID: &id})
		c.note(kindMapping, id, err)
	}
	return nil
}

func (c *cleaner) functions(ctx context.Context) error {
	found := c.state.Made(kindFunction)
	all, err := listFunctions(ctx, c.lambda)
	if err != nil {
		return err
	}
	for i := range all {
		if f := &all[i]; c.own(aws.ToString(f.FunctionName)) && c.tags(ctx, aws.ToString(f.FunctionArn)) {
			found = append(found, aws.ToString(f.FunctionName))
		}
	}
	for _, name := range unique(found) {
		_, err := c.lambda.DeleteFunction(ctx, &lambda.DeleteFunctionInput{FunctionName: &name})
		c.note(kindFunction, name, err)
	}
	return nil
}

func (c *cleaner) signing(ctx context.Context) error {
	found := c.state.Made(kindSigning)
	all, err := listSigning(ctx, c.lambda)
	if err != nil {
		return err
	}
	for i := range all {
		if arn := aws.ToString(all[i].CodeSigningConfigArn); c.tags(ctx, arn) {
			found = append(found, arn)
			_ = c.state.Add(Made{kindSigning, arn}) // As above.
		}
	}
	for _, arn := range unique(found) {
		_, err := c.lambda.DeleteCodeSigningConfig(ctx,
			&lambda.DeleteCodeSigningConfigInput{CodeSigningConfigArn: &arn})
		c.note(kindSigning, arn, err)
	}
	return nil
}

func (c *cleaner) capacity(ctx context.Context) error {
	found := c.state.Made(kindCapacity)
	for _, p := range listCapacity(ctx, c.lambda) {
		if arn := aws.ToString(p.CapacityProviderArn); c.own(arn) {
			found = append(found, baseName(arn))
		}
	}
	for _, name := range unique(found) {
		out, err := c.lambda.GetCapacityProvider(ctx, &lambda.GetCapacityProviderInput{CapacityProviderName: &name})
		if err == nil && out.CapacityProvider.State == types.CapacityProviderStateDeleting {
			c.failures = append(c.failures, fmt.Errorf("capacity provider %s is being deleted", name))
			continue
		}
		_, err = c.lambda.DeleteCapacityProvider(ctx, &lambda.DeleteCapacityProviderInput{CapacityProviderName: &name})
		c.note(kindCapacity, name, err)
	}
	return nil
}

func (c *cleaner) layers(ctx context.Context) error {
	found := c.state.Made(kindLayer)
	all, err := listLayers(ctx, c.lambda)
	if err != nil {
		return err
	}
	for i := range all {
		if name := aws.ToString(all[i].LayerName); c.own(name) {
			found = append(found, name)
		}
	}
	for _, name := range unique(found) {
		out, err := c.lambda.ListLayerVersions(ctx, &lambda.ListLayerVersionsInput{LayerName: &name})
		if err != nil {
			return fmt.Errorf("cannot list the versions of layer %s: %w", name, err)
		}
		for i := range out.LayerVersions {
			n := out.LayerVersions[i].Version
			_, err := c.lambda.DeleteLayerVersion(ctx,
				&lambda.DeleteLayerVersionInput{LayerName: &name, VersionNumber: &n})
			c.note(kindLayer, name+" "+strconv.FormatInt(n, 10), err)
		}
	}
	return nil
}

func (c *cleaner) queues(ctx context.Context) error {
	prefix := c.state.Run.Prefix()
	out, err := c.sqs.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: &prefix})
	if err != nil {
		return fmt.Errorf("cannot list queues: %w", err)
	}
	found := out.QueueUrls
	for _, name := range c.state.Made(kindQueue) { // A new queue is listed late.
		q, err := c.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name})
		if err == nil {
			found = append(found, aws.ToString(q.QueueUrl))
		}
	}
	for _, url := range unique(found) {
		_, err := c.sqs.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: &url})
		c.note(kindQueue, url[strings.LastIndex(url, "/")+1:], err)
	}
	return nil
}

func (c *cleaner) roles(ctx context.Context) error {
	names, err := c.iam.roles(ctx)
	if err != nil && len(c.state.Made(kindRole)) == 0 {
		return nil // The run was given a role, and may lack the right to list them.
	}
	if err != nil {
		return fmt.Errorf("cannot list roles: %w", err)
	}
	names = append(names, c.state.Made(kindRole)...)
	for _, name := range unique(names) {
		if strings.HasPrefix(name, c.state.Run.Prefix()) {
			c.note(kindRole, name, c.iam.deleteRole(ctx, name))
		}
	}
	return nil
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
