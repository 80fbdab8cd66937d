package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
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
	account

	state *State
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
	c := &cleaner{account: accountOf(cfg), state: s}
	for pass := range cleanPasses {
		before := len(c.deleted)
		c.failures = nil
		for _, k := range kinds {
			if err := c.remove(ctx, k); err != nil {
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
	return c.deleted, errors.Join(fmt.Errorf("something of run %s may be left: run the command again", s.Run.ID),
		errors.Join(c.failures...))
}

// note notes the outcome of a deletion. One of what does not exist needs none.
func (c *cleaner) note(what, name string, err error) {
	switch awserr.Code(err) {
	case "ResourceNotFoundException", "NoSuchEntity", "AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist":
		return
	}
	if err != nil {
		c.failures = append(c.failures, fmt.Errorf("cannot delete %s %s: %w", what, name, err))
		return
	}
	c.deleted = append(c.deleted, what+" "+name)
}

// remove deletes what the run has left of a kind: what its state names, and what is found by tags and names.
func (c *cleaner) remove(ctx context.Context, k kind) error {
	found, err := c.leftovers(ctx, k)
	if k.name == kindRole && err != nil && len(c.state.Made(kindRole)) == 0 {
		return nil // The run was given a role, and may lack the right to list them.
	}
	if err != nil {
		return err
	}
	deleting := map[string]bool{}
	for _, l := range found {
		if l.run == c.state.Run.ID {
			deleting[l.id] = l.deleting
			_ = c.state.Add(Made{k.name, l.id}) // So that the gate lets it be deleted.
		}
	}
	for _, id := range c.state.Made(k.name) {
		_, exists := deleting[id]
		switch {
		case deleting[id]:
			c.failures = append(c.failures, fmt.Errorf("%s %s is being deleted", k.name, id))
		case !exists && slices.Contains(c.deleted, k.name+" "+id): // Some emulators would accept another deletion.
		case k.name == kindLayer:
			c.removeVersions(ctx, id)
		default:
			c.note(k.name, id, c.removeOne(ctx, k, id))
		}
	}
	return nil
}

func (c *cleaner) removeOne(ctx context.Context, k kind, id string) error {
	switch k.name {
	case kindRole:
		return c.iam.deleteRole(ctx, id)
	case kindQueue:
		q, err := c.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &id})
		if err == nil {
			_, err = c.sqs.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: q.QueueUrl})
		}
		return err
	}
	_, err := callLambda(ctx, c.lambda, "Delete"+k.name, map[string]any{k.id: id})
	return err
}

// removeVersions deletes the versions of a layer, which exists as long as one of them does.
func (c *cleaner) removeVersions(ctx context.Context, layer string) {
	out, err := c.lambda.ListLayerVersions(ctx, &lambda.ListLayerVersionsInput{LayerName: &layer})
	if err != nil {
		c.failures = append(c.failures, fmt.Errorf("cannot list the versions of layer %s: %w", layer, err))
		return
	}
	for i := range out.LayerVersions {
		n := out.LayerVersions[i].Version
		_, err := c.lambda.DeleteLayerVersion(ctx,
			&lambda.DeleteLayerVersionInput{LayerName: &layer, VersionNumber: &n})
		c.note(kindLayer, layer+" "+strconv.FormatInt(n, 10), err)
	}
}
