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
	functions := lambda.NewListFunctionsPaginator(c, &lambda.ListFunctionsInput{})
	for functions.HasMorePages() {
		page, err := functions.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("cannot list functions: %w", err)
		}
		for i := range page.Functions {
			add(value(page.Functions[i].FunctionName))
		}
	}
	layers := lambda.NewListLayersPaginator(c, &lambda.ListLayersInput{})
	for layers.HasMorePages() {
		page, err := layers.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("cannot list layers: %w", err)
		}
		for i := range page.Layers {
			add(value(page.Layers[i].LayerName))
		}
	}
	mappings := lambda.NewListEventSourceMappingsPaginator(c, &lambda.ListEventSourceMappingsInput{})
	for mappings.HasMorePages() {
		page, err := mappings.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("cannot list event source mappings: %w", err)
		}
		for i := range page.EventSourceMappings {
			add(value(page.EventSourceMappings[i].FunctionArn))
		}
	}
	capacity := lambda.NewListCapacityProvidersPaginator(c, &lambda.ListCapacityProvidersInput{})
	for capacity.HasMorePages() {
		page, err := capacity.NextPage(ctx)
		if err != nil {
			return nil //nolint:nilerr // Not all regions have them, nor all emulators.
		}
		for i := range page.CapacityProviders {
			add(value(page.CapacityProviders[i].CapacityProviderArn))
		}
	}
	return nil
}

// leftConfigs adds the runs that have left code signing configurations, whose names AWS gives.
func leftConfigs(ctx context.Context, c *lambda.Client, found map[string]bool) error {
	pages := lambda.NewListCodeSigningConfigsPaginator(c, &lambda.ListCodeSigningConfigsInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("cannot list code signing configurations: %w", err)
		}
		for i := range page.CodeSigningConfigs {
			out, err := c.ListTags(ctx,
				&lambda.ListTagsInput{Resource: page.CodeSigningConfigs[i].CodeSigningConfigArn})
			if err == nil && out.Tags[TagKey] != "" {
				found[out.Tags[TagKey]] = true
			}
		}
	}
	return nil
}
