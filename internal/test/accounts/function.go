package accounts

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
)

// input returns a random function.
func (a *Account) input(name string) *lambda.CreateFunctionInput {
	in := &lambda.CreateFunctionInput{
		FunctionName: &name, Role: aws.String("arn:aws:iam::" + awsdouble.DefaultAccount + ":role/" +
			pick(a, "a", "b")), Description: some(a, "one", "two"),
		MemorySize: some(a, int32(128), 512), Timeout: some(a, int32(3), 300),
		KMSKeyArn:     some(a, "arn:aws:kms"+here+"key/a"),
		Architectures: []types.Architecture{pick(a, types.ArchitectureX8664, types.ArchitectureArm64)},
		Tags:          a.texts("t", "team", "cost", "Stage"),
	}
	if vars := a.texts(a.Secret, "LEVEL", "PASSWORD", "url"); len(vars) > 0 {
		in.Environment = &types.Environment{Variables: vars}
	}
	if a.maybe() {
		in.EphemeralStorage = &types.EphemeralStorage{Size: aws.Int32(1024)}
	}
	if a.maybe() {
		in.DeadLetterConfig = &types.DeadLetterConfig{TargetArn: aws.String("arn:aws:sqs" + here + "dead")}
	}
	if a.maybe() {
		in.TracingConfig = &types.TracingConfig{Mode: types.TracingModeActive}
	}
	if a.maybe() {
		in.LoggingConfig = &types.LoggingConfig{
			LogFormat: types.LogFormatJson, LogGroup: some(a, "/logs"),
			ApplicationLogLevel: types.ApplicationLogLevelWarn, SystemLogLevel: types.SystemLogLevelDebug,
		}
	}
	if a.maybe() {
		in.VpcConfig = &types.VpcConfig{
			SubnetIds:        append([]string{"subnet-2"}, a.subset("subnet-1")...),
			SecurityGroupIds: []string{"sg-1"}, Ipv6AllowedForDualStack: some(a, true),
		}
		if a.maybe() {
			in.FileSystemConfigs = []types.FileSystemConfig{{Arn: aws.String("arn:aws:elasticfilesystem" + here +
				"access-point/fsap-0123456789abcdef0"), LocalMountPath: aws.String("/mnt/data")}}
		}
	}
	a.archive(in)
	return in
}

// archive adds the deployment package, and what depends on its type.
func (a *Account) archive(in *lambda.CreateFunctionInput) {
	if a.IntN(4) == 0 {
		in.PackageType, in.Code = types.PackageTypeImage, &types.FunctionCode{ImageUri: aws.String(image + ":1")}
		if a.maybe() {
			in.ImageConfig = &types.ImageConfig{
				Command: a.subset("x", "y"), EntryPoint: []string{"sh"},
				WorkingDirectory: some(a, "/app"),
			}
		}
		return
	}
	in.Runtime, in.Handler, in.Code = pick(a, types.RuntimePython313,
		types.RuntimePython312), aws.String("index.handler"), &types.FunctionCode{ZipFile: awsdouble.Zip(nil)}
	in.Layers = a.subset(append([]string{"arn:aws:lambda:" + region + ":580247275435:layer:insights:1"},
		a.layers...)...)
	a.Shuffle(len(in.Layers), func(i, j int) { in.Layers[i], in.Layers[j] = in.Layers[j], in.Layers[i] })
	if a.IntN(4) == 0 {
		in.CodeSigningConfigArn = aws.String(pick(a, a.signing...))
	}
	switch a.IntN(6) {
	case 0:
		in.SnapStart = &types.SnapStart{ApplyOn: types.SnapStartApplyOnPublishedVersions}
		in.EphemeralStorage, in.FileSystemConfigs, in.Architectures = nil, nil, []types.Architecture{
			types.ArchitectureX8664,
		}
	case 1:
		in.DurableConfig = &types.DurableConfig{
			ExecutionTimeout:      aws.Int32(3600),
			RetentionPeriodInDays: some(a, int32(7)),
		}
	case 2: //nolint:mnd // The next one.
		in.VpcConfig, in.FileSystemConfigs, in.MemorySize = nil, nil, aws.Int32(2048)
		in.LoggingConfig, in.DeadLetterConfig = nil, nil
		in.CapacityProviderConfig = &types.CapacityProviderConfig{
			LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
				CapacityProviderArn: &a.instances, PerExecutionEnvironmentMaxConcurrency: some(a, int32(5)),
				ExecutionEnvironmentMemoryGiBPerVCpu: some(a, 2.0),
			},
		}
	}
}

// makeFunction makes a function, and what belongs to it.
func (a *Account) makeFunction(ctx context.Context, name string) error {
	in := a.input(name)
	if _, err := a.Lambda.CreateFunction(ctx, in); err != nil {
		return fmt.Errorf("cannot create it: %w", err)
	}
	if in.CapacityProviderConfig != nil {
		if a.Unversioned {
			return nil
		}
		return a.publish(ctx, name, 1)
	}
	versions := a.IntN(3)
	if a.Unversioned {
		versions = 0
	}
	if a.maybe() {
		reserved := pick(a, int32(3), 5)
		if versions == 0 { // There is no provisioned concurrency, which would have to be less.
			reserved = pick(a, int32(0), 1)
		}
		if _, err := a.Lambda.PutFunctionConcurrency(ctx, &lambda.PutFunctionConcurrencyInput{
			FunctionName:                 &name,
			ReservedConcurrentExecutions: &reserved,
		}); err != nil {
			return err
		}
	}
	if a.maybe() {
		if _, err := a.Lambda.PutFunctionRecursionConfig(ctx,
			&lambda.PutFunctionRecursionConfigInput{
				FunctionName:  &name,
				RecursiveLoop: types.RecursiveLoopAllow,
			}); err != nil {
			return err
		}
	}
	if err := a.manageRuntime(ctx, in); err != nil {
		return err
	}
	if err := a.publish(ctx, name, versions); err != nil {
		return err
	}
	qualifiers, err := a.makeAliases(ctx, name, versions)
	if err != nil {
		return err
	}
	return a.configure(ctx, name, qualifiers)
}

// publish publishes so many versions, and changes the function before and after each of them.
func (a *Account) publish(ctx context.Context, name string, n int) error {
	for i := range n {
		if _, err := a.Lambda.PublishVersion(ctx,
			&lambda.PublishVersionInput{FunctionName: &name, Description: some(a, "release")}); err != nil {
			return fmt.Errorf("cannot publish: %w", err)
		}
		if _, err := a.Lambda.UpdateFunctionConfiguration(ctx,
			&lambda.UpdateFunctionConfigurationInput{
				FunctionName: &name,
				Timeout:      aws.Int32(int32(10 + i)),
			}); err != nil {
			return fmt.Errorf("cannot change it: %w", err)
		}
	}
	return nil
}

// makeAliases makes aliases of versions, and returns their names.
func (a *Account) makeAliases(ctx context.Context, name string, versions int) ([]string, error) {
	version := "1"
	switch {
	case a.Unversioned:
		version = "$LATEST"
	case versions == 0:
		return nil, nil
	}
	out := append([]string{"live"}, a.subset("Live", "blue_green")...)
	for _, alias := range out {
		in := &lambda.CreateAliasInput{
			FunctionName: &name, Name: &alias, FunctionVersion: &version,
			Description: some(a, "serves"),
		}
		if versions > 1 && alias != "live" && a.maybe() {
			in.RoutingConfig = &types.AliasRoutingConfiguration{AdditionalVersionWeights: map[string]float64{"2": pick(
				a, 0.1, 0.25)}}
		}
		if _, err := a.Lambda.CreateAlias(ctx, in); err != nil {
			return nil, fmt.Errorf("cannot create alias %s: %w", alias, err)
		}
	}
	return out, nil
}

// manageRuntime sets when the runtime is updated, but not of images, which have no such setting.
func (a *Account) manageRuntime(ctx context.Context, in *lambda.CreateFunctionInput) error {
	if in.PackageType == types.PackageTypeImage || a.maybe() {
		return nil
	}
	rt := &lambda.PutRuntimeManagementConfigInput{
		FunctionName:    in.FunctionName,
		UpdateRuntimeOn: pick(a, types.UpdateRuntimeOnFunctionUpdate, types.UpdateRuntimeOnManual),
	}
	if rt.UpdateRuntimeOn == types.UpdateRuntimeOnManual {
		rt.RuntimeVersionArn = aws.String("arn:aws:lambda:" + region +
			"::runtime:7f2c0a3c4d5e6f7081920a1b2c3d4e5f60718293a4b5c6d7e8f90123456789ab")
	}
	_, err := a.Lambda.PutRuntimeManagementConfig(ctx, rt)
	return err
}
