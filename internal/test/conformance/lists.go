package conformance

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// A paginator reads a list page by page.
type paginator[P any] interface {
	HasMorePages() bool
	NextPage(ctx context.Context, options ...func(*lambda.Options)) (*P, error)
}

// listed returns the elements of all pages of a list. After an error, it returns those of the pages before.
func listed[P, T any](ctx context.Context, what string, pages paginator[P], of func(*P) []T) (all []T, err error) {
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return all, fmt.Errorf("cannot list %s: %w", what, err)
		}
		all = append(all, of(page)...)
	}
	return all, nil
}

func listFunctions(ctx context.Context, c *lambda.Client) ([]types.FunctionConfiguration, error) {
	return listed(ctx, "functions", lambda.NewListFunctionsPaginator(c, &lambda.ListFunctionsInput{}),
		func(p *lambda.ListFunctionsOutput) []types.FunctionConfiguration { return p.Functions })
}

func listLayers(ctx context.Context, c *lambda.Client) ([]types.LayersListItem, error) {
	return listed(ctx, "layers", lambda.NewListLayersPaginator(c, &lambda.ListLayersInput{}),
		func(p *lambda.ListLayersOutput) []types.LayersListItem { return p.Layers })
}

func listMappings(ctx context.Context, c *lambda.Client) ([]types.EventSourceMappingConfiguration, error) {
	return listed(ctx, "event source mappings",
		lambda.NewListEventSourceMappingsPaginator(c, &lambda.ListEventSourceMappingsInput{}),
		func(p *lambda.ListEventSourceMappingsOutput) []types.EventSourceMappingConfiguration {
			return p.EventSourceMappings
		})
}

func listSigning(ctx context.Context, c *lambda.Client) ([]types.CodeSigningConfig, error) {
	return listed(ctx, "code signing configurations",
		lambda.NewListCodeSigningConfigsPaginator(c, &lambda.ListCodeSigningConfigsInput{}),
		func(p *lambda.ListCodeSigningConfigsOutput) []types.CodeSigningConfig { return p.CodeSigningConfigs })
}

// listCapacity returns no error, since not all regions have capacity providers, nor all emulators.
func listCapacity(ctx context.Context, c *lambda.Client) []types.CapacityProvider {
	all, _ := listed(ctx, "capacity providers",
		lambda.NewListCapacityProvidersPaginator(c, &lambda.ListCapacityProvidersInput{}),
		func(p *lambda.ListCapacityProvidersOutput) []types.CapacityProvider { return p.CapacityProviders })
	return all
}
