package conformance

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// ofRun matches the names of what runs make.
var ofRun = regexp.MustCompile(`\bplc-([0-9a-f]{8})-`)

// Leftovers returns the IDs of the runs of which something is left in the account and region of cfg, by tags and names,
// sorted. A run that is in progress is one of them.
func Leftovers(ctx context.Context, cfg aws.Config) ([]string, error) {
	found := map[string]bool{}
	add := func(name string) {
		if m := ofRun.FindStringSubmatch(name); m != nil {
			found[m[1]] = true
		}
	}
	c := lambda.NewFromConfig(cfg)
	if err := leftNames(ctx, c, add); err != nil {
		return nil, err
	}
	if err := leftConfigs(ctx, c, found); err != nil {
		return nil, err
	}
	prefix := "plc-"
	queues, err := sqs.NewFromConfig(cfg).ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: &prefix})
	if err != nil {
		return nil, fmt.Errorf("cannot list queues: %w", err)
	}
	roles, err := (iam{cfg: cfg, now: time.Now}).roles(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot list roles: %w", err)
	}
	for _, name := range append(queues.QueueUrls, roles...) {
		add(name)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// leftNames adds the names of functions, also of those that mappings are of, of layers and of capacity providers.
func leftNames(ctx context.Context, c *lambda.Client, add func(string)) error {
	functions, err := listFunctions(ctx, c)
	if err != nil {
		return err
	}
	for i := range functions {
		add(aws.ToString(functions[i].FunctionName))
	}
	layers, err := listLayers(ctx, c)
	if err != nil {
		return err
	}
	for i := range layers {
		add(aws.ToString(layers[i].LayerName))
	}
	mappings, err := listMappings(ctx, c)
	if err != nil {
		return err
	}
	for i := range mappings {
		add(aws.ToString(mappings[i].FunctionArn))
	}
	for _, p := range listCapacity(ctx, c) {
		add(aws.ToString(p.CapacityProviderArn))
	}
	return nil
}

// leftConfigs adds the runs that have left code signing configurations, whose names AWS gives.
func leftConfigs(ctx context.Context, c *lambda.Client, found map[string]bool) error {
	configs, err := listSigning(ctx, c)
	if err != nil {
		return err
	}
	for i := range configs {
		out, err := c.ListTags(ctx, &lambda.ListTagsInput{Resource: configs[i].CodeSigningConfigArn})
		if err == nil && out.Tags[TagKey] != "" {
			found[out.Tags[TagKey]] = true
		}
	}
	return nil
}
