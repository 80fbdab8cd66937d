package function

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// generator returns random specs that AWS accepts, over all fields of a function.
type generator struct {
	*rand.Rand

	// image and instances are fixed for one function: AWS can't change them later.
	image     bool
	instances bool
	// codeSigning lists the existing code signing configurations.
	codeSigning []string
}

func (g generator) maybe() bool { return g.IntN(2) == 0 }

func pick[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

func some[T any](g generator, v func() T) *T {
	if g.maybe() {
		return nil
	}
	return ptr.To(v())
}

func (g generator) subset(of ...string) []string {
	var out []string
	for _, s := range of {
		if g.maybe() {
			out = append(out, s)
		}
	}
	return out
}

func (g generator) texts(of ...string) map[string]string {
	out := map[string]string{}
	for _, k := range g.subset(of...) {
		out[k] = fmt.Sprint(g.IntN(3))
	}
	return out
}

// settings returns the settings of a function. Settings that every function has are always
// set.
func (g generator) settings() v1beta1.FunctionSettings {
	p := v1beta1.FunctionSettings{
		Role:        ptr.To(pick(g, "arn:aws:iam::123456789012:role/a", "arn:aws:iam::123456789012:role/b")),
		Description: some(g, func() string { return pick(g, "", "one", "two") }),
		MemorySize:  some(g, func() int32 { return pick[int32](g, 128, 256, 1024) }),
		Timeout:     some(g, func() int32 { return pick[int32](g, 3, 30, 900) }),
		KMSKeyArn:   some(g, func() string { return pick(g, "", "arn:aws:kms:eu-central-1:123456789012:key/a") }),
		Environment: some(g, g.environment),
		EphemeralStorage: some(g, func() v1beta1.EphemeralStorage {
			return v1beta1.EphemeralStorage{Size: pick[int32](g, 512, 1024)}
		}),
		DeadLetterConfig: some(g, func() v1beta1.DeadLetterConfig {
			return v1beta1.DeadLetterConfig{TargetArn: ptr.To(
				pick(g, "arn:aws:sqs:eu-central-1:123456789012:a", "arn:aws:sns:eu-central-1:123456789012:b"),
			)}
		}),
		LoggingConfig: some(g, g.logging),
		TracingConfig: some(
			g, func() v1beta1.TracingConfig { return v1beta1.TracingConfig{Mode: pick(g, "Active", "PassThrough")} },
		),
		Tags:                         g.texts("a", "b", "c"),
		ReservedConcurrentExecutions: some(g, func() int32 { return pick[int32](g, -1, 0, 5) }),
		RecursiveLoop:                some(g, func() string { return pick(g, "Allow", "Terminate") }),
		Architectures:                pick(g, nil, []string{"x86_64"}, []string{"arm64"}),
		Publish:                      some(g, g.maybe),
	}
	if g.maybe() {
		p.VPCConfig = &v1beta1.VPCConfig{
			SubnetIDs:               append([]string{"subnet-0"}, g.subset("subnet-2", "subnet-1")...),
			SecurityGroupIDs:        append([]string{"sg-0"}, g.subset("sg-1")...),
			IPv6AllowedForDualStack: some(g, g.maybe),
		}
		p.FileSystemConfigs = g.fileSystems()
	}
	if g.instances {
		p.CapacityProviderConfig = g.capacityProvider()
		p.FunctionScalingConfig = some(g, func() v1beta1.FunctionScalingConfig {
			return v1beta1.FunctionScalingConfig{
				MinExecutionEnvironments: ptr.To(pick[int32](g, 3, 4)),
				MaxExecutionEnvironments: some(g, func() int32 { return pick[int32](g, 5, 9) }),
			}
		})
		p.PublishTo = ptr.To("LATEST_PUBLISHED")
		p.Publish = ptr.To(true)
		p.VPCConfig, p.FileSystemConfigs, p.MemorySize = nil, nil, ptr.To[int32](2048)
	}
	if g.image {
		p.PackageType = ptr.To("Image")
		p.Code = &v1beta1.FunctionCode{
			ImageURI: ptr.To(pick(g, testImage+":1", testImage+":2")), TrackImageTag: some(g, g.maybe),
		}
		p.ImageConfig = some(g, func() v1beta1.ImageConfig {
			return v1beta1.ImageConfig{
				Command: g.subset("x", "y"), EntryPoint: g.subset("sh", "-c"),
				WorkingDirectory: some(g, func() string { return "/app" }),
			}
		})
		return p
	}
	p.Runtime = ptr.To(pick(g, "python3.12", "python3.13"))
	p.Handler = ptr.To(pick(g, "index.handler", "app.main"))
	p.Code = ptr.To(g.code())
	p.Layers = g.subset(
		"arn:aws:lambda:eu-central-1:580247275435:layer:a:1", "arn:aws:lambda:eu-central-1:580247275435:layer:b:1",
	)
	p.SnapStart = some(
		g, func() v1beta1.SnapStart { return v1beta1.SnapStart{ApplyOn: pick(g, "None", "PublishedVersions")} },
	)
	if len(g.codeSigning) > 0 {
		p.CodeSigningConfigArn = some(g, func() string { return pick(g, append([]string{""}, g.codeSigning...)...) })
	}
	return p
}

const testImage = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/repo"

func (g generator) environment() v1beta1.Environment {
	e := v1beta1.Environment{Variables: g.texts("AA", "BB", "CC")}
	if g.maybe() {
		e.VariablesFrom = []v1beta1.EnvironmentVariable{{Name: "DD", ValueFrom: v1beta1.ValueSource{
			SecretKeyRef: &v1beta1.KeySelector{Name: "s", Key: pick(g, "k1", "k2")},
		}}}
	}
	if g.maybe() {
		e.EnvFrom = []v1beta1.EnvironmentSource{
			{Prefix: ptr.To(pick(g, "P_", "Q_")), ConfigMapRef: &v1beta1.EnvironmentSourceReference{Name: "c"}},
		}
	}
	return e
}

func (g generator) logging() v1beta1.LoggingConfig {
	l := v1beta1.LoggingConfig{
		LogFormat: ptr.To(pick(g, "Text", "JSON")), LogGroup: some(g, func() string { return pick(g, "/a", "/b") }),
	}
	if g.instances {
		l.LogFormat = ptr.To("JSON")
	}
	if *l.LogFormat == "JSON" {
		l.ApplicationLogLevel = some(g, func() string { return pick(g, "DEBUG", "ERROR") })
		l.SystemLogLevel = some(g, func() string { return pick(g, "DEBUG", "WARN") })
	}
	return l
}

func (g generator) fileSystems() []v1beta1.FileSystemConfig {
	if g.maybe() {
		return nil
	}
	return []v1beta1.FileSystemConfig{{
		Arn: "arn:aws:elasticfilesystem:eu-central-1:123456789012:access-point/fsap-0123456789abcdef" + pick(
			g, "0", "1",
		),
		LocalMountPath: "/mnt/" + pick(g, "a", "b"),
	}}
}

func (g generator) capacityProvider() *v1beta1.CapacityProviderConfig {
	return &v1beta1.CapacityProviderConfig{
		LambdaManagedInstancesCapacityProviderConfig: v1beta1.LambdaManagedInstancesCapacityProviderConfig{
			CapacityProviderArn: ptr.To(
				"arn:aws:lambda:eu-central-1:123456789012:capacity-provider:cp",
			),
			ExecutionEnvironmentMemoryGiBPerVCPU:  some(g, func() string { return pick(g, "2.0", "4") }),
			PerExecutionEnvironmentMaxConcurrency: some(g, func() int32 { return pick[int32](g, 8, 16) }),
		},
	}
}

// code returns code from any source but images.
func (g generator) code() v1beta1.FunctionCode {
	switch g.IntN(4) {
	case 0:
		return v1beta1.FunctionCode{Inline: map[string]string{"index.py": pick(g, "a", "b")}}
	case 1:
		return v1beta1.FunctionCode{ConfigMapRef: &v1beta1.LocalObjectReference{Name: pick(g, "code1", "code2")}}
	case 2:
		return v1beta1.FunctionCode{ZipFileFrom: &v1beta1.ZipFileSource{
			SecretKeyRef: &v1beta1.KeySelector{Name: "zip", Key: pick(g, "z1", "z2")},
		}}
	default:
		return v1beta1.FunctionCode{S3Bucket: ptr.To("bucket"), S3Key: ptr.To(pick(g, "k1.zip", "k2.zip"))}
	}
}

// randomObjects returns the objects that random specs refer to.
func randomObjects() (testenv.Objects, error) {
	out := testenv.Objects{
		refs.SecretOf("ns", "s"):        refs.ObjectData{"k1": []byte("one"), "k2": []byte("two")},
		refs.ConfigMapOf("ns", "c"):     refs.ObjectData{"x": []byte("1"), "y": []byte("2")},
		refs.ConfigMapOf("ns", "code1"): refs.ObjectData{"index.py": []byte("c1")},
		refs.ConfigMapOf("ns", "code2"): refs.ObjectData{"index.py": []byte("c2")},
		refs.SecretOf("ns", "zip"):      refs.ObjectData{},
	}
	for _, k := range []string{"z1", "z2"} {
		b, err := archive.Zip(map[string][]byte{"index.py": []byte(k)})
		if err != nil {
			return nil, err
		}
		out[refs.SecretOf("ns", "zip")][k] = b
	}
	return out, nil
}

// groups returns the settings that one call each can change.
func groups(p v1beta1.FunctionSettings) map[string]any {
	rest := p
	rest.Code, rest.Architectures, rest.Tags, rest.ReservedConcurrentExecutions = nil, nil, nil, nil
	rest.CodeSigningConfigArn, rest.RecursiveLoop, rest.FunctionScalingConfig = nil, nil, nil
	rest.Publish, rest.PublishTo = nil, nil
	return map[string]any{
		"configuration": rest,
		"code":          []any{p.Code, p.Architectures},
		"concurrency":   p.ReservedConcurrentExecutions,
		"codeSigning":   p.CodeSigningConfigArn,
		"recursion":     p.RecursiveLoop,
		"scaling":       p.FunctionScalingConfig,
	}
}

// mostCalls returns the maximum number of calls to change a to b: one for each group of
// settings that differs, and for tags one to set and one to remove.
func mostCalls(a, b v1beta1.FunctionSettings) int {
	n := 0
	ga, gb := groups(a), groups(b)
	for _, k := range slices.Sorted(maps.Keys(ga)) {
		if testenv.JSON(ga[k]) != testenv.JSON(gb[k]) {
			n++
		}
	}
	for k, v := range b.Tags {
		if old, ok := a.Tags[k]; !ok || old != v {
			n++
			break
		}
	}
	for k := range a.Tags {
		if _, ok := b.Tags[k]; !ok {
			n++
			break
		}
	}
	if ptr.Deref(b.Publish, false) && publishable(a) != publishable(b) {
		n++
	}
	return n
}

// publishable returns the parts of a spec that require another version when they change.
func publishable(p v1beta1.FunctionSettings) string {
	g := groups(p)
	return testenv.JSON([]any{g["configuration"], g["code"], p.Publish, p.PublishTo})
}
