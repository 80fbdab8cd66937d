package dryrun

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/crossplane-contrib/provider-lambda/internal/archive"
)

// read answers a read: from what was changed, or else by AWS.
func (a *Account) read(in any, live func() (any, error)) (any, error) {
	s := &a.state
	switch in := in.(type) {
	case *lambda.GetFunctionInput:
		return a.getFunction(key(in.FunctionName, in.Qualifier), live)
	case *lambda.GetFunctionConfigurationInput:
		out, err := a.getFunction(key(in.FunctionName, in.Qualifier), func() (any, error) {
			o, err := live()
			if c, ok := o.(*lambda.GetFunctionConfigurationOutput); ok && err == nil {
				return &lambda.GetFunctionOutput{Configuration: as[types.FunctionConfiguration](c)}, nil
			}
			return nil, err
		})
		if err != nil {
			return nil, err
		}
		return as[lambda.GetFunctionConfigurationOutput](out.Configuration), nil
	case *lambda.ListVersionsByFunctionInput:
		return a.listVersions(in, live)
	case *lambda.GetFunctionCodeSigningConfigInput:
		return getAs[lambda.GetFunctionCodeSigningConfigOutput](&s.signing, key(in.FunctionName, nil),
			a.ofFunction(in.FunctionName, live, &lambda.GetFunctionCodeSigningConfigOutput{}))
	case *lambda.GetFunctionRecursionConfigInput:
		return getAs[lambda.GetFunctionRecursionConfigOutput](&s.recursion, key(in.FunctionName, nil),
			a.ofFunction(in.FunctionName, live,
				&lambda.GetFunctionRecursionConfigOutput{RecursiveLoop: types.RecursiveLoopTerminate}))
	case *lambda.GetFunctionScalingConfigInput:
		return getAs[lambda.GetFunctionScalingConfigOutput](&s.scaling, key(in.FunctionName, nil),
			a.ofFunction(in.FunctionName, live, &lambda.GetFunctionScalingConfigOutput{}))
	case *lambda.GetAliasInput:
		return getAs[lambda.GetAliasOutput](&s.aliases, key(in.FunctionName, in.Name), live)
	case *lambda.ListAliasesInput:
		return list(a, &s.aliases, key(in.FunctionName, nil), in.Marker, live,
			func(o *lambda.ListAliasesOutput) *[]types.AliasConfiguration { return &o.Aliases },
			func(v types.AliasConfiguration) string { return key(in.FunctionName, v.Name) })
	case *lambda.GetLayerVersionInput:
		return getAs[lambda.GetLayerVersionOutput](&s.layers, layerKey(in.LayerName, in.VersionNumber), live)
	case *lambda.ListLayerVersionsInput:
		return a.listLayerVersions(in, live)
	case *lambda.GetPolicyInput:
		return getAs[lambda.GetPolicyOutput](&s.policies, key(in.FunctionName, in.Qualifier), live)
	case *lambda.GetLayerVersionPolicyInput:
		return getAs[lambda.GetLayerVersionPolicyOutput](&s.policies,
			"layer:"+layerKey(in.LayerName, in.VersionNumber), live)
	case *lambda.GetResourcePolicyInput:
		return getAs[lambda.GetResourcePolicyOutput](&s.policies, "resource:"+aws.ToString(in.ResourceArn), live)
	}
	return a.readConfig(in, live)
}

func (a *Account) readConfig(in any, live func() (any, error)) (any, error) {
	s := &a.state
	switch in := in.(type) {
	case *lambda.GetEventSourceMappingInput:
		return getAs[lambda.GetEventSourceMappingOutput](&s.mappings, aws.ToString(in.UUID), live)
	case *lambda.ListEventSourceMappingsInput:
		return list(a, &s.mappings, "", in.Marker, live,
			func(o *lambda.ListEventSourceMappingsOutput) *[]types.EventSourceMappingConfiguration {
				return &o.EventSourceMappings
			},
			func(v types.EventSourceMappingConfiguration) string { return aws.ToString(v.UUID) })
	case *lambda.ListTagsInput:
		return getAs[lambda.ListTagsOutput](&s.tags, aws.ToString(in.Resource),
			a.orEmpty(live, &lambda.ListTagsOutput{}))
	case *lambda.GetCodeSigningConfigInput:
		return get(&s.configs, aws.ToString(in.CodeSigningConfigArn), live,
			func(v *types.CodeSigningConfig) *lambda.GetCodeSigningConfigOutput {
				return &lambda.GetCodeSigningConfigOutput{CodeSigningConfig: v}
			}, func(o *lambda.GetCodeSigningConfigOutput) *types.CodeSigningConfig { return o.CodeSigningConfig })
	case *lambda.ListCodeSigningConfigsInput:
		return list(a, &s.configs, "", in.Marker, live,
			func(o *lambda.ListCodeSigningConfigsOutput) *[]types.CodeSigningConfig { return &o.CodeSigningConfigs },
			func(v types.CodeSigningConfig) string { return aws.ToString(v.CodeSigningConfigArn) })
	case *lambda.GetCapacityProviderInput:
		return get(&s.providers, aws.ToString(in.CapacityProviderName), live,
			func(v *types.CapacityProvider) *lambda.GetCapacityProviderOutput {
				return &lambda.GetCapacityProviderOutput{CapacityProvider: v}
			}, func(o *lambda.GetCapacityProviderOutput) *types.CapacityProvider { return o.CapacityProvider })
	case *lambda.GetFunctionUrlConfigInput:
		return getAs[lambda.GetFunctionUrlConfigOutput](&s.urls, key(in.FunctionName, in.Qualifier), live)
	case *lambda.GetFunctionEventInvokeConfigInput:
		return getAs[lambda.GetFunctionEventInvokeConfigOutput](&s.invokes, key(in.FunctionName, in.Qualifier), live)
	case *lambda.ListFunctionEventInvokeConfigsInput:
		return list(a, &s.invokes, key(in.FunctionName, nil), in.Marker, live,
			func(o *lambda.ListFunctionEventInvokeConfigsOutput) *[]types.FunctionEventInvokeConfig {
				return &o.FunctionEventInvokeConfigs
			},
			func(v types.FunctionEventInvokeConfig) string { return key(v.FunctionArn, nil) })
	case *lambda.GetProvisionedConcurrencyConfigInput:
		return getAs[lambda.GetProvisionedConcurrencyConfigOutput](&s.provisioned, key(in.FunctionName, in.Qualifier),
			live)
	case *lambda.ListProvisionedConcurrencyConfigsInput:
		return list(a, &s.provisioned, key(in.FunctionName, nil), in.Marker, live,
			func(o *lambda.ListProvisionedConcurrencyConfigsOutput) *[]types.ProvisionedConcurrencyConfigListItem {
				return &o.ProvisionedConcurrencyConfigs
			},
			func(v types.ProvisionedConcurrencyConfigListItem) string { return key(v.FunctionArn, nil) })
	case *lambda.GetRuntimeManagementConfigInput:
		return getAs[lambda.GetRuntimeManagementConfigOutput](&s.runtimes, key(in.FunctionName, in.Qualifier),
			a.ofFunction(in.FunctionName, live,
				&lambda.GetRuntimeManagementConfigOutput{
					UpdateRuntimeOn: types.UpdateRuntimeOnAuto,
					FunctionArn:     aws.String(a.functionARN(key(in.FunctionName, in.Qualifier))),
				}))
	case *s3.HeadObjectInput, *s3.GetObjectInput, *ecr.BatchGetImageInput:
		return a.readCode(in, live)
	case *lambda.ListFunctionsInput:
		return a.orEmpty(live, &lambda.ListFunctionsOutput{})()
	}
	return live()
}

// orEmpty returns a function that reads live, or returns the answer of an empty account if there is no connection.
func (a *Account) orEmpty(live func() (any, error), empty any) func() (any, error) {
	if a.base.Live {
		return live
	}
	return func() (any, error) { return empty, nil }
}

// ofFunction returns a function that reads live what belongs to a function, or returns the answer about a new one, if
// AWS does not have the function.
func (a *Account) ofFunction(name *string, live func() (any, error), empty any) func() (any, error) {
	if r := a.state.functions.rows[named(name).Function+":"]; r != nil && r.created {
		return func() (any, error) { return empty, nil }
	}
	return a.orEmpty(live, empty)
}

// get answers a read of one row. answer returns the answer for a row, and base the row of an answer.
func get[V, O any](t *table[V], k string, live func() (any, error), answer func(*V) *O, base func(*O) *V) (*O, error) {
	if v, ok := t.known(k); ok {
		if v == nil {
			return nil, notFound()
		}
		return answer(v), nil
	}
	o, err := live()
	if err != nil {
		return nil, err
	}
	out, ok := o.(*O)
	if ok {
		if v := base(out); v != nil {
			t.keep(k, v)
		}
	}
	return out, nil
}

// getAs answers a read of one row. The answer has the same members as the row.
func getAs[O, V any](t *table[V], k string, live func() (any, error)) (*O, error) {
	return get(t, k, live, func(v *V) *O { return as[O](v) }, func(o *O) *V { return as[V](o) })
}

// list answers a read of a list: AWS's, with the rows that were changed. Rows that were created are on its first page.
// An item has the members that a row has, as far as lists show them.
func list[V, I, O any](a *Account, t *table[V], prefix string, marker *string, live func() (any, error),
	items func(*O) *[]I, keyOf func(I) string,
) (*O, error) {
	out := new(O)
	if a.base.Live {
		o, err := live()
		created := t.below(prefix)
		if err != nil && len(created) == 0 {
			return nil, err
		}
		if answered, ok := o.(*O); ok && err == nil {
			out = answered
		}
	}
	listed := items(out)
	var all []I
	for _, v := range *listed {
		k := keyOf(v)
		if _, changed := t.known(k); changed {
			continue
		}
		t.keep(k, as[V](v))
		all = append(all, v)
	}
	if marker == nil {
		for _, v := range t.below(prefix) {
			all = append(all, *as[I](v))
		}
	}
	*listed = all
	return out, nil
}

func (a *Account) getFunction(k string, live func() (any, error)) (*lambda.GetFunctionOutput, error) {
	var out *lambda.GetFunctionOutput
	var err error
	if qualifier(k) == "" {
		out, err = get(&a.state.functions, k, live, clone, clone[lambda.GetFunctionOutput])
	} else {
		out, err = get(&a.state.versions, k, live, func(v *types.FunctionConfiguration) *lambda.GetFunctionOutput {
			return &lambda.GetFunctionOutput{Configuration: v}
		}, func(o *lambda.GetFunctionOutput) *types.FunctionConfiguration { return o.Configuration })
	}
	_, deleted := a.state.versions.known(k)
	f, known := a.state.functions.known(function(k) + ":")
	switch {
	case err == nil, !a.assumes, a.base.Live, deleted:
		return out, err
	case !known:
		return a.assume(k, a.newConfiguration(function(k))), nil
	case f != nil && qualifier(k) != "":
		return a.assume(k, clone(f.Configuration)), nil
	}
	return out, err
}

// assume returns the answer about a function, or about a version or an alias of it, that is assumed to exist. Versions
// have different code.
func (a *Account) assume(k string, c *types.FunctionConfiguration) *lambda.GetFunctionOutput {
	name := "function " + strings.TrimSuffix(k, ":")
	a.assumed = append(a.assumed, name)
	c.RevisionId, c.CodeSha256 = aws.String("assumed"), aws.String(archive.Hash([]byte(name)))
	if version := qualifier(k); atoi(version) > 0 {
		c.Version = &version
	}
	return &lambda.GetFunctionOutput{Configuration: c}
}

func (a *Account) listVersions(in *lambda.ListVersionsByFunctionInput,
	live func() (any, error),
) (*lambda.ListVersionsByFunctionOutput, error) {
	k := key(in.FunctionName, nil)
	out, err := list(a, &a.state.versions, k, in.Marker, live,
		func(o *lambda.ListVersionsByFunctionOutput) *[]types.FunctionConfiguration { return &o.Versions },
		func(v types.FunctionConfiguration) string { return key(in.FunctionName, v.Version) })
	if err == nil {
		out.Versions = slices.DeleteFunc(out.Versions, func(v types.FunctionConfiguration) bool {
			return a.isLater(atoi(aws.ToString(v.Version)))
		})
	}
	return out, err
}

func (a *Account) listLayerVersions(in *lambda.ListLayerVersionsInput,
	live func() (any, error),
) (*lambda.ListLayerVersionsOutput, error) {
	out, err := list(a, &a.state.layers, layerKey(in.LayerName, nil), in.Marker, live,
		func(o *lambda.ListLayerVersionsOutput) *[]types.LayerVersionsListItem { return &o.LayerVersions },
		func(v types.LayerVersionsListItem) string { return layerKey(in.LayerName, &v.Version) })
	if err == nil {
		out.LayerVersions = slices.DeleteFunc(out.LayerVersions, func(v types.LayerVersionsListItem) bool {
			return a.isLater(v.Version)
		})
	}
	return out, err
}
