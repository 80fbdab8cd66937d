package dryrun

import (
	"cmp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/lambda/fingerprint"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// Defaults of AWS for functions.
const (
	defaultMemory  = 128
	defaultTimeout = 3
	defaultStorage = 512
)

// writeFunction answers calls that change functions and versions. It returns false for all others.
func (a *Account) writeFunction(in any) (any, bool) {
	s := &a.state
	switch in := in.(type) {
	case *lambda.CreateFunctionInput:
		return a.createFunction(in), true
	case *lambda.UpdateFunctionConfigurationInput:
		f := a.function(in.FunctionName)
		configure(f.Configuration, in)
		a.touch(f)
		s.updated[key(in.FunctionName, nil)] = true
		return as[lambda.UpdateFunctionConfigurationOutput](f.Configuration), true
	case *lambda.UpdateFunctionCodeInput:
		return a.updateCode(in), true
	case *lambda.PublishVersionInput:
		f := a.function(in.FunctionName)
		return as[lambda.PublishVersionOutput](a.publish(f, in.Description, in.PublishTo)), true
	case *lambda.DeleteFunctionInput:
		if k := key(in.FunctionName, in.Qualifier); qualifier(k) != "" {
			s.versions.set(k, nil)
		} else {
			s.functions.set(k, nil)
		}
		return &lambda.DeleteFunctionOutput{}, true
	case *lambda.PutFunctionConcurrencyInput:
		f := a.function(in.FunctionName)
		f.Concurrency = &types.Concurrency{ReservedConcurrentExecutions: in.ReservedConcurrentExecutions}
		return &lambda.PutFunctionConcurrencyOutput{ReservedConcurrentExecutions: in.ReservedConcurrentExecutions}, true
	case *lambda.DeleteFunctionConcurrencyInput:
		a.function(in.FunctionName).Concurrency = nil
		return &lambda.DeleteFunctionConcurrencyOutput{}, true
	case *lambda.PutFunctionCodeSigningConfigInput:
		s.signing.set(key(in.FunctionName, nil), as[lambda.GetFunctionCodeSigningConfigOutput](in))
		return as[lambda.PutFunctionCodeSigningConfigOutput](in), true
	case *lambda.DeleteFunctionCodeSigningConfigInput:
		s.signing.set(key(in.FunctionName, nil), as[lambda.GetFunctionCodeSigningConfigOutput](in))
		return &lambda.DeleteFunctionCodeSigningConfigOutput{}, true
	case *lambda.PutFunctionRecursionConfigInput:
		s.recursion.set(key(in.FunctionName, nil), as[lambda.GetFunctionRecursionConfigOutput](in))
		return as[lambda.PutFunctionRecursionConfigOutput](in), true
	case *lambda.PutFunctionScalingConfigInput:
		s.scaling.set(key(in.FunctionName, nil), &lambda.GetFunctionScalingConfigOutput{
			RequestedFunctionScalingConfig: in.FunctionScalingConfig,
			AppliedFunctionScalingConfig:   in.FunctionScalingConfig,
		})
		return &lambda.PutFunctionScalingConfigOutput{}, true
	}
	return nil, false
}

func (a *Account) function(name *string) *lambda.GetFunctionOutput {
	k := key(name, nil)
	f := a.state.functions.current(k)
	if f.Configuration == nil {
		f.Configuration = a.newConfiguration(function(k))
	}
	f.Configuration = clone(f.Configuration)
	a.state.functions.set(k, f)
	return f
}

// newConfiguration returns the configuration of a function with AWS's defaults.
func (a *Account) newConfiguration(name string) *types.FunctionConfiguration {
	c := &types.FunctionConfiguration{
		FunctionName: aws.String(name), FunctionArn: aws.String(a.arn("function:" + name)), Version: aws.String(
			functionname.Latest),
		MemorySize: aws.Int32(defaultMemory), Timeout: aws.Int32(
			defaultTimeout), EphemeralStorage: &types.EphemeralStorage{Size: aws.Int32(defaultStorage)},
		PackageType: types.PackageTypeZip, Architectures: []types.Architecture{types.ArchitectureX8664},
		TracingConfig: &types.TracingConfigResponse{Mode: types.TracingModePassThrough},
		SnapStart: &types.SnapStartResponse{
			ApplyOn:            types.SnapStartApplyOnNone,
			OptimizationStatus: types.SnapStartOptimizationStatusOff,
		},
		LoggingConfig: &types.LoggingConfig{
			LogFormat: types.LogFormatText,
			LogGroup:  aws.String("/aws/lambda/" + name),
		},
		Description: aws.String(""),
	}
	a.activate(c)
	return c
}

// activate sets the state of a function whose change AWS has completed.
func (a *Account) activate(c *types.FunctionConfiguration) {
	c.State, c.StateReason, c.StateReasonCode = types.StateActive, nil, ""
	c.LastUpdateStatus, c.LastUpdateStatusReason, c.LastUpdateStatusReasonCode = types.LastUpdateStatusSuccessful, nil,
		""
	c.LastModified = aws.String(a.base.Now().UTC().Format("2006-01-02T15:04:05.000-0700"))
}

// touch completes a change of a function, which gives it another revision.
func (a *Account) touch(f *lambda.GetFunctionOutput) {
	a.activate(f.Configuration)
	f.Configuration.RevisionId = aws.String(a.placeholder("planned-revision-%d"))
}

func (a *Account) createFunction(in *lambda.CreateFunctionInput) *lambda.CreateFunctionOutput {
	k := key(in.FunctionName, nil)
	c := a.newConfiguration(function(k))
	configure(c, in)
	f := &lambda.GetFunctionOutput{Configuration: c, Tags: in.Tags, Code: &types.FunctionCodeLocation{}}
	if in.Code != nil {
		a.deploy(f, *in.Code)
	}
	if in.CodeSigningConfigArn != nil {
		a.state.signing.set(k, as[lambda.GetFunctionCodeSigningConfigOutput](in))
	}
	a.touch(f)
	a.state.functions.create(k, f)
	out := as[lambda.CreateFunctionOutput](c)
	if in.Publish {
		out.Version = a.publish(f, in.Description, in.PublishTo).Version
	}
	return out
}

func configure(c *types.FunctionConfiguration, in any) {
	was, set := clone(c), as[lambda.UpdateFunctionConfigurationInput](in)
	assign(c, in)
	if set.Layers != nil {
		c.Layers = make([]types.Layer, 0, len(set.Layers))
		for _, l := range set.Layers {
			c.Layers = append(c.Layers, types.Layer{Arn: aws.String(l)})
		}
	}
	if set.ImageConfig != nil {
		c.ImageConfigResponse = &types.ImageConfigResponse{ImageConfig: set.ImageConfig}
	}
	if d := c.DeadLetterConfig; d != nil && aws.ToString(d.TargetArn) == "" {
		c.DeadLetterConfig = nil
	}
	if aws.ToString(c.KMSKeyArn) == "" {
		c.KMSKeyArn = nil
	}
	if l := c.LoggingConfig; l != nil && was.LoggingConfig != nil {
		c.LoggingConfig = logging(*l, *was.LoggingConfig)
	}
	if s := c.SnapStart; s != nil && s.OptimizationStatus == "" {
		s.OptimizationStatus = types.SnapStartOptimizationStatusOff
	}
}

// logging returns a logging configuration, completed by the one before and by AWS's defaults.
func logging(l, was types.LoggingConfig) *types.LoggingConfig {
	l.LogGroup = cmp.Or(l.LogGroup, was.LogGroup)
	l.LogFormat = cmp.Or(l.LogFormat, was.LogFormat)
	if l.LogFormat == types.LogFormatJson {
		l.ApplicationLogLevel = cmp.Or(l.ApplicationLogLevel, types.ApplicationLogLevelInfo)
		l.SystemLogLevel = cmp.Or(l.SystemLogLevel, types.SystemLogLevelInfo)
	}
	return &l
}

func (a *Account) updateCode(in *lambda.UpdateFunctionCodeInput) *lambda.UpdateFunctionCodeOutput {
	f := a.function(in.FunctionName)
	if len(in.Architectures) > 0 {
		f.Configuration.Architectures = in.Architectures
	}
	a.deploy(f, *as[types.FunctionCode](in))
	a.touch(f)
	a.state.updated[key(in.FunctionName, nil)] = true
	return as[lambda.UpdateFunctionCodeOutput](f.Configuration)
}

func (a *Account) publish(f *lambda.GetFunctionOutput, description *string,
	to types.FunctionVersionLatestPublished,
) *types.FunctionConfiguration {
	name := aws.ToString(f.Configuration.FunctionName) + ":"
	if v := a.unchanged(name, f.Configuration); v != nil && to == "" {
		return v
	}
	v := clone(f.Configuration)
	number := itoa(numberOf(a, name, &a.state.versions))
	if to != "" {
		number = "$LATEST.PUBLISHED"
	}
	v.Version, v.FunctionArn = aws.String(number), aws.String(a.arn("function:"+name+number))
	if description != nil {
		v.Description = description
	}
	v.RevisionId = aws.String(a.placeholder("planned-revision-%d"))
	a.state.versions.set(name+number, v)
	delete(a.state.updated, name)
	// A publication gives the function itself another revision.
	a.touch(f)
	return v
}

// unchanged returns the last version of a function if it has the content of the function: AWS publishes no other one
// then. It returns nil if it has not, or is not known, if the function was updated since, even if only its description
// was, or if PublishAs has set the number of another one.
func (a *Account) unchanged(name string, c *types.FunctionConfiguration) *types.FunctionConfiguration {
	next := numberOf(a, name, &a.state.versions)
	last := a.state.versions.rows[name+itoa(next-1)]
	if next == a.publishes || a.state.updated[name] || last == nil || last.value == nil {
		return nil
	}
	if !fingerprint.Read(c).WithoutDescription().Equal(fingerprint.Read(last.value).WithoutDescription()) {
		return nil
	}
	return last.value
}

func (a *Account) functionARN(k string) string {
	return a.arn("function:" + strings.TrimSuffix(k, ":"))
}
