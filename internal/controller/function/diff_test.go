package function

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// sparse returns GetFunction's answer for a function with only what AWS requires: defaults
// are included, and empty blocks are omitted.
func sparse(change ...func(*types.FunctionConfiguration)) observed {
	c := &types.FunctionConfiguration{
		FunctionName:     ptr.To("f"),
		FunctionArn:      ptr.To("arn:aws:lambda:eu-central-1:123456789012:function:f"),
		PackageType:      types.PackageTypeZip,
		Runtime:          types.RuntimePython313,
		Handler:          ptr.To("index.handler"),
		Role:             ptr.To("arn:aws:iam::123456789012:role/r"),
		Architectures:    []types.Architecture{types.ArchitectureX8664},
		Description:      ptr.To(""),
		MemorySize:       ptr.To[int32](128),
		Timeout:          ptr.To[int32](3),
		EphemeralStorage: &types.EphemeralStorage{Size: ptr.To[int32](512)},
		TracingConfig:    &types.TracingConfigResponse{Mode: types.TracingModePassThrough},
		SnapStart: &types.SnapStartResponse{
			ApplyOn: types.SnapStartApplyOnNone, OptimizationStatus: types.SnapStartOptimizationStatusOff,
		},
		LoggingConfig:    &types.LoggingConfig{LogFormat: types.LogFormatText, LogGroup: ptr.To("/aws/lambda/f")},
		State:            types.StateActive,
		LastUpdateStatus: types.LastUpdateStatusSuccessful,
	}
	for _, f := range change {
		f(c)
	}
	return observed{function: &lambda.GetFunctionOutput{Configuration: c, Code: &types.FunctionCodeLocation{}}}
}

// minimal returns the spec of the function that sparse returns.
func minimal(change ...func(*v1beta1.FunctionSettings)) v1beta1.FunctionSettings {
	p := v1beta1.FunctionSettings{
		Runtime: ptr.To("python3.13"),
		Handler: ptr.To("index.handler"),
		Role:    ptr.To("arn:aws:iam::123456789012:role/r"),
	}
	for _, f := range change {
		f(&p)
	}
	return p
}

func TestDiff(t *testing.T) {
	type want struct {
		changes []string
		call    call
	}
	cases := map[string]struct {
		reason       string
		forProvider  v1beta1.FunctionSettings
		initProvider v1beta1.FunctionSettings
		variables    map[string]string
		observed     observed
		want         want
	}{
		"Same": {
			reason:      "AWS's defaults are no differences.",
			forProvider: minimal(),
			observed:    sparse(),
		},
		"NilScalarUntouched": {
			reason:      "A scalar that is not set is left to AWS.",
			forProvider: minimal(),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.MemorySize, c.Timeout, c.Description, c.Architectures = ptr.To[int32](512), ptr.To[int32](60), ptr.To(
					"by hand",
				), []types.Architecture{types.ArchitectureArm64}
				c.KMSKeyArn = ptr.To("arn:aws:kms:eu-central-1:123456789012:key/k")
			}),
		},
		"Scalar": {
			reason:      "A scalar that is set is compared.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) { p.MemorySize = ptr.To[int32](256) }),
			observed:    sparse(),
			want:        want{changes: []string{"memorySize: 128 -> 256"}, call: opUpdateConfiguration},
		},
		"EmptyStringClears": {
			reason:      "An empty string goes back to none.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) { p.KMSKeyArn = ptr.To("") }),
			observed:    sparse(func(c *types.FunctionConfiguration) { c.KMSKeyArn = ptr.To("arn:k") }),
			want:        want{changes: []string{"kmsKeyArn: removed"}, call: opUpdateConfiguration},
		},
		"EnvironmentExact": {
			reason:      "A variable that spec does not set is removed, and no value is shown.",
			forProvider: minimal(),
			variables:   map[string]string{"KEEP": "1", "CHANGE": "new", "ADD": "x"},
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.Environment = &types.EnvironmentResponse{
					Variables: map[string]string{"KEEP": "1", "CHANGE": "old", "GONE": "s3cret"},
				}
			}),
			want: want{
				changes: []string{
					"environment.variables[ADD]: added (redacted)", "environment.variables[CHANGE]",
					"environment.variables[GONE]: removed",
				},
				call: opUpdateConfiguration,
			},
		},
		"BlocksExact": {
			reason:      "Lists and blocks that left spec leave AWS.",
			forProvider: minimal(),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.Layers = []types.Layer{{Arn: ptr.To("l:1")}}
				c.VpcConfig = &types.VpcConfigResponse{
					SubnetIds: []string{"subnet-a"}, SecurityGroupIds: []string{"sg-a"},
					Ipv6AllowedForDualStack: ptr.To(false),
				}
				c.DeadLetterConfig = &types.DeadLetterConfig{TargetArn: ptr.To("q")}
				c.TracingConfig = &types.TracingConfigResponse{Mode: types.TracingModeActive}
				c.EphemeralStorage = &types.EphemeralStorage{Size: ptr.To[int32](1024)}
			}),
			want: want{changes: []string{
				`deadLetterConfig: removed`, "ephemeralStorage.size: 1024 -> 512", `layers: removed`,
				`tracingConfig.mode: "Active" -> "PassThrough"`, `vpcConfig: removed`,
			}, call: opUpdateConfiguration},
		},
		"EmptyVPC": {
			reason:      "The empty configuration that a function keeps after it left its VPC is none.",
			forProvider: minimal(),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.VpcConfig = &types.VpcConfigResponse{
					SubnetIds: []string{}, SecurityGroupIds: []string{}, VpcId: ptr.To(""),
					Ipv6AllowedForDualStack: ptr.To(false),
				}
			}),
		},
		"SetsHaveNoOrder": {
			reason: "Subnets and security groups are sets.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) {
				p.VPCConfig = &v1beta1.VPCConfig{
					SubnetIDs: []string{"subnet-b", "subnet-a"}, SecurityGroupIDs: []string{"sg-a"},
				}
			}),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.VpcConfig = &types.VpcConfigResponse{
					SubnetIds: []string{"subnet-a", "subnet-b"}, SecurityGroupIds: []string{"sg-a"},
					Ipv6AllowedForDualStack: ptr.To(true),
				}
			}),
		},
		"LayersHaveOrder": {
			reason:      "Layers are unpacked in order.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) { p.Layers = []string{"l:1", "l:2"} }),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.Layers = []types.Layer{{Arn: ptr.To("l:2")}, {Arn: ptr.To("l:1")}}
			}),
			want: want{changes: []string{`layers: ["l:2" "l:1"] -> ["l:1" "l:2"]`}, call: opUpdateConfiguration},
		},
		"LogLevelsOfInstances": {
			reason:      "A block that spec omits returns to AWS's defaults on managed instances too.",
			forProvider: minimal(usesInstances),
			observed: sparse(onInstancesOf, func(c *types.FunctionConfiguration) {
				c.LoggingConfig.ApplicationLogLevel = types.ApplicationLogLevelDebug
				c.LoggingConfig.SystemLogLevel = types.SystemLogLevelWarn
			}),
			want: want{
				changes: []string{
					`loggingConfig.applicationLogLevel: "DEBUG" -> "INFO"`,
					`loggingConfig.systemLogLevel: "WARN" -> "INFO"`,
				},
				call: opUpdateConfiguration,
			},
		},
		"BackToTextLogs": {
			reason:      "Levels go with JSON logs, since AWS refuses them with text.",
			forProvider: minimal(),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.LoggingConfig = &types.LoggingConfig{
					LogFormat: types.LogFormatJson, LogGroup: ptr.To("/aws/lambda/f"),
					ApplicationLogLevel: types.ApplicationLogLevelInfo, SystemLogLevel: types.SystemLogLevelInfo,
				}
			}),
			want: want{
				changes: []string{
					`loggingConfig.applicationLogLevel: removed`, `loggingConfig.logFormat: "JSON" -> "Text"`,
					`loggingConfig.systemLogLevel: removed`,
				},
				call: opUpdateConfiguration,
			},
		},
		"NoReservation": {
			reason: "-1 removes the reservation.",
			forProvider: minimal(
				func(p *v1beta1.FunctionSettings) { p.ReservedConcurrentExecutions = ptr.To[int32](-1) },
			),
			observed: func() observed {
				o := sparse()
				o.function.Concurrency = &types.Concurrency{ReservedConcurrentExecutions: ptr.To[int32](5)}
				return o
			}(),
			want: want{changes: []string{"reservedConcurrentExecutions: removed"}, call: opDeleteConcurrency},
		},
		"ZeroReservation": {
			reason: "0 is a reservation, of none.",
			forProvider: minimal(
				func(p *v1beta1.FunctionSettings) { p.ReservedConcurrentExecutions = ptr.To[int32](0) },
			),
			observed: sparse(),
			want:     want{changes: []string{"reservedConcurrentExecutions: added 0"}, call: opPutConcurrency},
		},
		"TagsExactButForIgnored": {
			reason:      "Tags are exact, except AWS's own and ignored ones.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) { p.Tags = map[string]string{"a": "1"} }),
			observed: func() observed {
				o := sparse()
				o.function.Tags = map[string]string{"a": "1", "b": "2", "aws:cloudformation": "x", "ignored": "y"}
				return o
			}(),
			want: want{changes: []string{"tags[b]: removed"}, call: opUntag},
		},
		"TagsBeforeAll": {
			reason: "Tags record the ownership, so they are set first.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) {
				p.Tags, p.MemorySize = map[string]string{"a": "1"}, ptr.To[int32](256)
			}),
			observed: sparse(),
			want:     want{changes: []string{"memorySize: 128 -> 256", `tags[a]: added "1"`}, call: opTag},
		},
		"ConfigurationBeforeCode": {
			reason: "A version that is published with the code has the configuration too.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) {
				p.Architectures, p.Timeout = []string{"arm64"}, ptr.To[int32](9)
			}),
			observed: sparse(),
			want: want{
				changes: []string{`architectures: "x86_64" -> "arm64"`, "timeout: 3 -> 9"}, call: opUpdateConfiguration,
			},
		},
		"InitProviderLeftAlone": {
			reason:      "What initProvider alone names is others' after creation, by key in maps.",
			forProvider: minimal(),
			initProvider: v1beta1.FunctionSettings{
				MemorySize: ptr.To[int32](512), Layers: []string{"l:1"}, Tags: map[string]string{"t": "1"},
				LoggingConfig: &v1beta1.LoggingConfig{LogFormat: ptr.To("JSON")},
			},
			observed: func() observed {
				o := sparse(func(c *types.FunctionConfiguration) {
					c.MemorySize = ptr.To[int32](1024)
					c.Layers = []types.Layer{{Arn: ptr.To("other:9")}}
				})
				o.function.Tags = map[string]string{"t": "2", "stray": "x"}
				return o
			}(),
			want: want{changes: []string{"tags[stray]: removed"}, call: opUntag},
		},
		"InitProviderFileSystems": {
			reason:      "A list that initProvider alone names is left alone whole.",
			forProvider: minimal(),
			initProvider: v1beta1.FunctionSettings{
				FileSystemConfigs: []v1beta1.FileSystemConfig{{Arn: "a", LocalMountPath: "/mnt/a"}},
			},
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.FileSystemConfigs = []types.FileSystemConfig{{Arn: ptr.To("b"), LocalMountPath: ptr.To("/mnt/b")}}
			}),
		},
		"PackageTypeLeftToAWS": {
			reason:      "An imported function whose code is another's is the package type that it is.",
			forProvider: v1beta1.FunctionSettings{},
			observed:    sparse(func(c *types.FunctionConfiguration) { c.PackageType = types.PackageTypeImage }),
		},
		"ForProviderWins": {
			reason:       "forProvider takes precedence over initProvider.",
			forProvider:  minimal(func(p *v1beta1.FunctionSettings) { p.MemorySize = ptr.To[int32](256) }),
			initProvider: v1beta1.FunctionSettings{MemorySize: ptr.To[int32](512)},
			observed:     sparse(),
			want:         want{changes: []string{"memorySize: 128 -> 256"}, call: opUpdateConfiguration},
		},
		"ImageOverridesOfNothing": {
			reason: "An empty override is none: AWS doesn't keep it.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) {
				p.ImageConfig = &v1beta1.ImageConfig{Command: []string{}, WorkingDirectory: ptr.To("")}
			}),
			observed: sparse(),
		},
		"DecimalsBySize": {
			reason: "A number is the same however it is written.",
			forProvider: minimal(func(p *v1beta1.FunctionSettings) {
				p.CapacityProviderConfig = &v1beta1.CapacityProviderConfig{
					LambdaManagedInstancesCapacityProviderConfig: v1beta1.LambdaManagedInstancesCapacityProviderConfig{
						CapacityProviderArn: ptr.To("cp"), ExecutionEnvironmentMemoryGiBPerVCPU: ptr.To("2.0"),
					},
				}
			}),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.CapacityProviderConfig = &types.CapacityProviderConfig{
					LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
						CapacityProviderArn: ptr.To("cp"), ExecutionEnvironmentMemoryGiBPerVCpu: ptr.To(2.0),
					},
				}
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := want2(tc.forProvider, tc.initProvider, tc.variables)
			have := fromAWS(tc.observed)
			tgt := target(d, have, "f", testenv.Owner(kind, "ignored"))
			changes := diff.Compare(tgt, have)
			if diff := cmp.Diff(tc.want.changes, texts(changes)); diff != "" {
				t.Errorf("%s\nchanges: -want, +got:\n%s", tc.reason, diff)
			}
			if got := first(due(changes, tgt, have)); got != tc.want.call {
				t.Errorf("%s\nnext call: want %q, got %q", tc.reason, tc.want.call, got)
			}
		})
	}
}

func want2(forProvider, initProvider v1beta1.FunctionSettings, vars map[string]string) reconcile.Desired[settings] {
	return reconcile.Merge(fromSpec(forProvider, vars), fromSpec(initProvider, nil))
}

func texts(cs diff.Changes) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.String())
	}
	return out
}

func TestImmutable(t *testing.T) {
	p := minimal(func(p *v1beta1.FunctionSettings) {
		p.PackageType = ptr.To("Image")
		p.DurableConfig = &v1beta1.DurableConfig{ExecutionTimeout: ptr.To[int32](60)}
	})
	have := fromAWS(sparse())
	changes := diff.Compare(target(want2(p, v1beta1.FunctionSettings{}, nil), have, "f", testenv.Owner(kind, "")), have)
	got := texts(immutable(changes, have))
	if diff := cmp.Diff(
		[]string{`packageType: "Zip" -> "Image"`, "durableConfig: added {executionTimeout:60}"}, got,
	); diff != "" {
		t.Errorf("what AWS can't change on an existing function must be told: -want, +got:\n%s", diff)
	}
}

// onInstancesOf changes a configuration to AWS's answer for a function on Lambda Managed
// Instances.
func onInstancesOf(c *types.FunctionConfiguration) {
	c.CapacityProviderConfig = &types.CapacityProviderConfig{
		LambdaManagedInstancesCapacityProviderConfig: &types.LambdaManagedInstancesCapacityProviderConfig{
			CapacityProviderArn: ptr.To("cp"),
		},
	}
	c.LoggingConfig = &types.LoggingConfig{
		LogFormat: types.LogFormatJson, LogGroup: ptr.To("/aws/lambda/f"),
		ApplicationLogLevel: types.ApplicationLogLevelInfo, SystemLogLevel: types.SystemLogLevelInfo,
	}
}

// usesInstances changes a spec to that of a function on Lambda Managed Instances.
func usesInstances(p *v1beta1.FunctionSettings) {
	p.CapacityProviderConfig = &v1beta1.CapacityProviderConfig{
		LambdaManagedInstancesCapacityProviderConfig: v1beta1.LambdaManagedInstancesCapacityProviderConfig{
			CapacityProviderArn: ptr.To("cp"),
		},
	}
}

// TestNothingIsDue checks that nothing is due if AWS's answer has all that spec asks for,
// or omits what the function does not have.
func TestNothingIsDue(t *testing.T) {
	explicit := func(p *v1beta1.FunctionSettings) {
		p.Architectures = []string{"x86_64"}
		p.PackageType = ptr.To("Zip")
		p.EphemeralStorage = &v1beta1.EphemeralStorage{Size: 512}
		p.TracingConfig = &v1beta1.TracingConfig{Mode: "PassThrough"}
		p.SnapStart = &v1beta1.SnapStart{ApplyOn: "None"}
		p.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: ptr.To("Text"), LogGroup: ptr.To("/aws/lambda/f")}
	}
	bare := func(c *types.FunctionConfiguration) {
		c.EphemeralStorage, c.TracingConfig, c.SnapStart, c.LoggingConfig = nil, nil, nil, nil
		c.Architectures, c.PackageType = nil, ""
	}
	empty := func(c *types.FunctionConfiguration) {
		c.EphemeralStorage, c.TracingConfig = &types.EphemeralStorage{}, &types.TracingConfigResponse{}
		c.SnapStart, c.LoggingConfig = &types.SnapStartResponse{}, &types.LoggingConfig{}
		c.Environment, c.DeadLetterConfig = &types.EnvironmentResponse{}, &types.DeadLetterConfig{}
		c.VpcConfig = &types.VpcConfigResponse{}
		c.ImageConfigResponse = &types.ImageConfigResponse{ImageConfig: &types.ImageConfig{}}
		c.Layers, c.FileSystemConfigs = []types.Layer{}, []types.FileSystemConfig{}
		c.Architectures = []types.Architecture{}
	}
	cases := map[string]struct {
		reason   string
		spec     v1beta1.FunctionSettings
		observed observed
	}{
		"Bare": {
			reason: "Blocks that AWS leaves out get no default.", spec: minimal(), observed: sparse(bare),
		},
		"BareExplicit": {
			reason: "Defaults that spec sets explicitly are not a difference if AWS leaves them out.",
			spec:   minimal(explicit), observed: sparse(bare),
		},
		"Empty": {reason: "What is empty is as good as left out.", spec: minimal(), observed: sparse(empty)},
		"EmptyExplicit": {
			reason: "Defaults that spec spells out included.", spec: minimal(explicit), observed: sparse(empty),
		},
		"PartOfLogging": {reason: "A log group that is not shown is the default one.", spec: minimal(
			explicit,
		), observed: sparse(func(c *types.FunctionConfiguration) {
			c.LoggingConfig = &types.LoggingConfig{LogFormat: types.LogFormatText}
		})},
		"Instances": {
			reason: "On managed instances, logs are JSON, which is not a difference.", spec: minimal(usesInstances),
			observed: sparse(onInstancesOf),
		},
		"InstancesImported": {
			reason: "Whether or not spec names the capacity provider.", spec: minimal(),
			observed: sparse(onInstancesOf),
		},
		"InstancesWithoutLogs": {
			reason: "An answer without logging converges too.", spec: minimal(usesInstances),
			observed: sparse(onInstancesOf, func(c *types.FunctionConfiguration) { c.LoggingConfig = nil }),
		},
		"InstancesText": {reason: "A response that knows only the text format converges.", spec: minimal(
			usesInstances,
		), observed: sparse(onInstancesOf, func(c *types.FunctionConfiguration) {
			c.LoggingConfig = &types.LoggingConfig{LogFormat: types.LogFormatText, LogGroup: ptr.To("/aws/lambda/f")}
		})},
		"InstancesJSON": {
			reason: "JSON may be spelt out, even where it is not shown.",
			spec: minimal(usesInstances, func(p *v1beta1.FunctionSettings) {
				p.LoggingConfig = &v1beta1.LoggingConfig{LogFormat: ptr.To("JSON")}
			}),
			observed: sparse(onInstancesOf, func(c *types.FunctionConfiguration) { c.LoggingConfig = nil }),
		},
		"DualStack": {
			reason: "Dual stack that is not shown is off.",
			spec: minimal(func(p *v1beta1.FunctionSettings) {
				p.VPCConfig = &v1beta1.VPCConfig{
					SubnetIDs: []string{"s"}, SecurityGroupIDs: []string{"g"}, IPv6AllowedForDualStack: ptr.To(false),
				}
			}),
			observed: sparse(func(c *types.FunctionConfiguration) {
				c.VpcConfig = &types.VpcConfigResponse{SubnetIds: []string{"s"}, SecurityGroupIds: []string{"g"}}
			}),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			have := fromAWS(tc.observed)
			d := want2(tc.spec, v1beta1.FunctionSettings{}, nil)
			d.Settings.Code = code{SHA256: "x"}
			have.Code = d.Settings.Code
			tgt := target(d, have, "f", testenv.Owner(kind, ""))
			if changes := diff.Compare(tgt, have); len(changes) > 0 {
				t.Errorf("%s\nstill to do: %s", tc.reason, changes)
			}
		})
	}
}

const (
	oldKey = "arn:aws:kms:eu-central-1:123456789012:key/old"
	newKey = "arn:aws:kms:eu-central-1:123456789012:key/new"
)

// TestKeyTakesVariablesAlong checks that a change of the key also sends the variables,
// because AWS encrypts them when it receives them.
func TestKeyTakesVariablesAlong(t *testing.T) {
	vars := map[string]string{"AA": "1"}
	cases := map[string]struct {
		reason     string
		from, to   *string
		vars, want map[string]string
		sends      *string
	}{
		"Set": {
			reason: "From AWS's own key.", to: ptr.To(newKey), vars: vars, want: vars, sends: ptr.To(newKey),
		},
		"Changed": {
			reason: "From another one.", from: ptr.To(oldKey), to: ptr.To(newKey), vars: vars, want: vars,
			sends: ptr.To(newKey),
		},
		"Removed": {
			reason: "Back to AWS's own.", from: ptr.To(oldKey), to: ptr.To(""), vars: vars, want: vars,
			sends: ptr.To(""),
		},
		"NotSet": {reason: "A key that spec does not name is left.", from: ptr.To(oldKey), vars: vars},
		"WithoutVariables": {
			reason: "Where there are none, none are sent.", from: ptr.To(oldKey), to: ptr.To(newKey),
			sends: ptr.To(newKey),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			have := fromAWS(sparse(func(c *types.FunctionConfiguration) {
				c.KMSKeyArn, c.Environment = tc.from, &types.EnvironmentResponse{Variables: tc.vars}
			}))
			tgt := target(
				want2(
					minimal(func(p *v1beta1.FunctionSettings) { p.KMSKeyArn = tc.to }), v1beta1.FunctionSettings{},
					tc.vars,
				),
				have, "f", testenv.Owner(kind, ""),
			)
			in := configurationInput("f", tgt, diff.Compare(tgt, have), nil)
			var got map[string]string
			if in.Environment != nil {
				got = in.Environment.Variables
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nvariables: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.sends, in.KMSKeyArn); diff != "" {
				t.Errorf("%s\nkey: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
