package dryrun

import (
	"cmp"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
)

// write answers a call that would change something, and remembers its effect. An input may lack what AWS requires: that
// of a resource that only observes, of which AWS has something.
func (a *Account) write(in any) (any, error) {
	s := &a.state
	switch in := in.(type) {
	case *lambda.CreateAliasInput:
		v := a.alias(in, key(in.FunctionName, in.Name))
		return as[lambda.CreateAliasOutput](v), nil
	case *lambda.UpdateAliasInput:
		v := a.alias(in, key(in.FunctionName, in.Name))
		return as[lambda.UpdateAliasOutput](v), nil
	case *lambda.DeleteAliasInput:
		s.aliases.set(key(in.FunctionName, in.Name), nil)
		return &lambda.DeleteAliasOutput{}, nil
	case *lambda.PublishLayerVersionInput:
		return a.publishLayer(in), nil
	case *lambda.DeleteLayerVersionInput:
		s.layers.set(layerKey(in.LayerName, in.VersionNumber), nil)
		return &lambda.DeleteLayerVersionOutput{}, nil
	case *lambda.CreateCodeSigningConfigInput:
		arn := a.arn("code-signing-config:" + a.placeholder("csc-%017d"))
		v := as[types.CodeSigningConfig](in)
		v.CodeSigningConfigArn = aws.String(arn)
		if v.CodeSigningPolicies == nil {
			v.CodeSigningPolicies = &types.CodeSigningPolicies{
				UntrustedArtifactOnDeployment: types.CodeSigningPolicyWarn,
			}
		}
		s.configs.set(arn, v)
		a.setTags(arn, in.Tags)
		return &lambda.CreateCodeSigningConfigOutput{CodeSigningConfig: v}, nil
	case *lambda.UpdateCodeSigningConfigInput:
		v := update(&s.configs, aws.ToString(in.CodeSigningConfigArn), in)
		return &lambda.UpdateCodeSigningConfigOutput{CodeSigningConfig: v}, nil
	case *lambda.DeleteCodeSigningConfigInput:
		s.configs.set(aws.ToString(in.CodeSigningConfigArn), nil)
		return &lambda.DeleteCodeSigningConfigOutput{}, nil
	case *lambda.CreateCapacityProviderInput:
		arn := a.arn("capacity-provider:" + aws.ToString(in.CapacityProviderName))
		v := as[types.CapacityProvider](in)
		v.CapacityProviderArn, v.State = aws.String(arn), types.CapacityProviderStateActive
		s.providers.set(aws.ToString(in.CapacityProviderName), v)
		a.setTags(arn, in.Tags)
		return &lambda.CreateCapacityProviderOutput{CapacityProvider: v}, nil
	case *lambda.UpdateCapacityProviderInput:
		v := update(&s.providers, aws.ToString(in.CapacityProviderName), in)
		return &lambda.UpdateCapacityProviderOutput{CapacityProvider: v}, nil
	case *lambda.DeleteCapacityProviderInput:
		s.providers.set(aws.ToString(in.CapacityProviderName), nil)
		return &lambda.DeleteCapacityProviderOutput{}, nil
	case *lambda.TagResourceInput:
		a.tag(aws.ToString(in.Resource), func(tags map[string]string) { maps.Copy(tags, in.Tags) })
		return &lambda.TagResourceOutput{}, nil
	case *lambda.UntagResourceInput:
		a.tag(aws.ToString(in.Resource), func(tags map[string]string) {
			for _, k := range in.TagKeys {
				delete(tags, k)
			}
		})
		return &lambda.UntagResourceOutput{}, nil
	case *lambda.InvokeInput:
		return &lambda.InvokeOutput{StatusCode: 200, ExecutedVersion: aws.String("$LATEST"), //nolint:mnd // OK.
			Payload: []byte("null")}, nil
	}
	if out, ok := a.writeFunction(in); ok {
		return out, nil
	}
	if out, ok := a.writePolicy(in); ok {
		return out, nil
	}
	return a.writeConfig(in)
}

// writeConfig answers calls that configure a function, a version or an alias.
func (a *Account) writeConfig(in any) (any, error) {
	s := &a.state
	switch in := in.(type) {
	case *lambda.CreateEventSourceMappingInput:
		v := a.newMapping(in)
		return as[lambda.CreateEventSourceMappingOutput](v), nil
	case *lambda.UpdateEventSourceMappingInput:
		v := update(&s.mappings, aws.ToString(in.UUID), in)
		if in.Enabled != nil {
			v.State = mappingState(in.Enabled)
		}
		if in.FunctionName != nil {
			v.FunctionArn = aws.String(a.functionARN(key(in.FunctionName, nil)))
		}
		return as[lambda.UpdateEventSourceMappingOutput](v), nil
	case *lambda.DeleteEventSourceMappingInput:
		s.mappings.set(aws.ToString(in.UUID), nil)
		return &lambda.DeleteEventSourceMappingOutput{}, nil
	case *lambda.CreateFunctionUrlConfigInput:
		k := key(in.FunctionName, in.Qualifier)
		v := as[types.FunctionUrlConfig](in)
		v.FunctionArn, v.FunctionUrl = aws.String(a.functionARN(k)), aws.String(
			"https://"+a.placeholder("planned-url-%d")+".lambda-url."+a.base.Region+".on.aws/")
		if v.InvokeMode == "" {
			v.InvokeMode = types.InvokeModeBuffered
		}
		s.urls.set(k, v)
		return as[lambda.CreateFunctionUrlConfigOutput](v), nil
	case *lambda.UpdateFunctionUrlConfigInput:
		return as[lambda.UpdateFunctionUrlConfigOutput](update(&s.urls, key(in.FunctionName, in.Qualifier), in)), nil
	case *lambda.DeleteFunctionUrlConfigInput:
		s.urls.set(key(in.FunctionName, in.Qualifier), nil)
		return &lambda.DeleteFunctionUrlConfigOutput{}, nil
	case *lambda.PutFunctionEventInvokeConfigInput:
		k := key(in.FunctionName, in.Qualifier)
		v := as[types.FunctionEventInvokeConfig](in) // It replaces all settings.
		v.FunctionArn = aws.String(a.arn("function:" + function(k) + ":" + qualified(k)))
		s.invokes.set(k, v)
		return as[lambda.PutFunctionEventInvokeConfigOutput](v), nil
	case *lambda.DeleteFunctionEventInvokeConfigInput:
		s.invokes.set(key(in.FunctionName, in.Qualifier), nil)
		return &lambda.DeleteFunctionEventInvokeConfigOutput{}, nil
	case *lambda.PutProvisionedConcurrencyConfigInput:
		k, n := key(in.FunctionName, in.Qualifier), aws.Int32(max(1, aws.ToInt32(in.ProvisionedConcurrentExecutions)))
		v := &types.ProvisionedConcurrencyConfigListItem{
			FunctionArn: aws.String(a.functionARN(k)), Status: types.ProvisionedConcurrencyStatusEnumReady,
			RequestedProvisionedConcurrentExecutions: n, AllocatedProvisionedConcurrentExecutions: n,
			AvailableProvisionedConcurrentExecutions: n,
		}
		s.provisioned.set(k, v)
		return as[lambda.PutProvisionedConcurrencyConfigOutput](v), nil
	case *lambda.DeleteProvisionedConcurrencyConfigInput:
		s.provisioned.set(key(in.FunctionName, in.Qualifier), nil)
		return &lambda.DeleteProvisionedConcurrencyConfigOutput{}, nil
	case *lambda.PutRuntimeManagementConfigInput:
		k := key(in.FunctionName, in.Qualifier)
		v := as[lambda.GetRuntimeManagementConfigOutput](in)
		v.UpdateRuntimeOn = cmp.Or(v.UpdateRuntimeOn, types.UpdateRuntimeOnAuto)
		v.FunctionArn = aws.String(a.functionARN(k))
		s.runtimes.set(k, v)
		return as[lambda.PutRuntimeManagementConfigOutput](v), nil
	}
	return nil, &smithy.GenericAPIError{
		Code:    "UnsupportedOperation",
		Message: "the plan does not know what this call changes",
	}
}

// update changes a row by the members of an input that are set, and returns it.
func update[V any](t *table[V], k string, in any) *V {
	v := t.current(k)
	assign(v, in)
	t.set(k, v)
	return v
}

func (a *Account) alias(in any, k string) *types.AliasConfiguration {
	v := update(&a.state.aliases, k, in)
	v.FunctionVersion = aws.String(cmp.Or(aws.ToString(v.FunctionVersion), "$LATEST"))
	v.AliasArn = aws.String(a.functionARN(k))
	v.RevisionId = aws.String(a.placeholder("planned-revision-%d"))
	if v.RoutingConfig != nil && len(v.RoutingConfig.AdditionalVersionWeights) == 0 {
		v.RoutingConfig = nil
	}
	return v
}

func mappingState(enabled *bool) *string {
	if enabled != nil && !*enabled {
		return aws.String("Disabled")
	}
	return aws.String("Enabled")
}

func (a *Account) newMapping(in *lambda.CreateEventSourceMappingInput) *types.EventSourceMappingConfiguration {
	uuid := a.placeholder("00000000-0000-4000-8000-%012d")
	v := as[types.EventSourceMappingConfiguration](in)
	v.UUID, v.State = aws.String(uuid), mappingState(in.Enabled)
	v.EventSourceMappingArn = aws.String(a.arn("event-source-mapping:" + uuid))
	v.FunctionArn = aws.String(a.functionARN(key(in.FunctionName, nil)))
	v.StateTransitionReason, v.LastModified = aws.String("USER_INITIATED"), aws.Time(a.base.Now())
	a.state.mappings.set(uuid, v)
	a.setTags(*v.EventSourceMappingArn, in.Tags)
	return v
}

func (a *Account) publishLayer(in *lambda.PublishLayerVersionInput) *lambda.PublishLayerVersionOutput {
	name := layerKey(in.LayerName, nil)
	v := as[lambda.GetLayerVersionOutput](in)
	v.Version = numberOf(a, name, &a.state.layers)
	v.LayerArn = aws.String(a.arn("layer:" + strings.TrimSuffix(name, ":")))
	v.LayerVersionArn = aws.String(*v.LayerArn + ":" + itoa(v.Version))
	v.Content = &types.LayerVersionContentOutput{}
	if c := in.Content; c != nil {
		v.Content.CodeSha256 = a.codeHash(c.ZipFile, c.S3Bucket, c.S3Key, c.S3ObjectVersion)
		v.Content.ResolvedS3Object = referred(c.S3ObjectStorageMode, c.S3Bucket, c.S3Key, c.S3ObjectVersion)
	}
	a.state.layers.set(layerKey(in.LayerName, &v.Version), v)
	return as[lambda.PublishLayerVersionOutput](v)
}

func (a *Account) setTags(arn string, tags map[string]string) {
	a.state.tags.set(arn, &lambda.ListTagsOutput{Tags: tags})
}

// tag changes tags. Those of a function are part of the function.
func (a *Account) tag(arn string, change func(map[string]string)) {
	if n := named(&arn); n.Function != "" && strings.Contains(arn, ":function:") {
		k := n.Function + ":"
		f := a.state.functions.current(k)
		f.Tags = changed(f.Tags, change)
		a.state.functions.set(k, f)
		return
	}
	a.setTags(arn, changed(a.state.tags.current(arn).Tags, change))
}

func changed(tags map[string]string, change func(map[string]string)) map[string]string {
	all := map[string]string{}
	maps.Copy(all, tags)
	change(all)
	return all
}
