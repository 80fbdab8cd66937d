// Package fingerprint tells whether a function or a version has the same code and
// configuration as another. It is pure.
//
// A revision id does not tell: it changes with permissions and with publishing too.
// Nor does the time of the last change: an update that changes nothing moves it.
package fingerprint

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
)

// Content is all that PublishVersion keeps of a function, as far as someone chose it.
// What AWS chooses, such as the patch level of a runtime, is left out.
type Content struct {
	FunctionName           *string
	CodeSha256             *string
	Architectures          []types.Architecture
	CapacityProviderConfig *types.CapacityProviderConfig
	DeadLetterConfig       *types.DeadLetterConfig
	Description            *string
	DurableConfig          *types.DurableConfig
	Environment            *types.EnvironmentResponse
	EphemeralStorage       *types.EphemeralStorage
	FileSystemConfigs      []types.FileSystemConfig
	Handler                *string
	ImageConfigResponse    *types.ImageConfigResponse
	KMSKeyArn              *string
	Layers                 []types.Layer
	LoggingConfig          *types.LoggingConfig
	MemorySize             *int32
	PackageType            types.PackageType
	Role                   *string
	Runtime                types.Runtime
	SnapStart              *types.SnapStartResponse
	TenancyConfig          *types.TenancyConfig
	Timeout                *int32
	TracingConfig          *types.TracingConfigResponse
	VpcConfig              *types.VpcConfigResponse
}

// Read the content of a function or a version from an answer of the SDK that has the
// fields of types.FunctionConfiguration, such as lambda.PublishVersionOutput.
func Read[C any](answer *C) Content {
	c := Content{}
	from, to := reflect.ValueOf(answer).Elem(), reflect.ValueOf(&c).Elem()
	for f, v := range to.Fields() {
		v.Set(from.FieldByName(f.Name))
	}
	return normal(c)
}

// normal is a content without what AWS adds, in which what is empty is absent.
func normal(c Content) Content {
	if c.Environment != nil && len(c.Environment.Variables) == 0 {
		c.Environment = nil
	}
	if s := c.SnapStart; s != nil {
		c.SnapStart = &types.SnapStartResponse{ApplyOn: s.ApplyOn}
	}
	if v := c.VpcConfig; v != nil {
		c.VpcConfig = nil
		if len(v.SubnetIds)+len(v.SecurityGroupIds) > 0 {
			c.VpcConfig = &types.VpcConfigResponse{
				SubnetIds:               slices.Sorted(slices.Values(v.SubnetIds)),
				SecurityGroupIds:        slices.Sorted(slices.Values(v.SecurityGroupIds)),
				Ipv6AllowedForDualStack: v.Ipv6AllowedForDualStack,
			}
		}
	}
	layers := make([]types.Layer, 0, len(c.Layers))
	for _, l := range c.Layers {
		layers = append(layers, types.Layer{Arn: l.Arn})
	}
	c.Layers = layers
	c.FileSystemConfigs = append([]types.FileSystemConfig{}, c.FileSystemConfigs...)
	c.Description = ptr.To(ptr.Deref(c.Description, ""))
	return c
}

// WithoutDescription is the content whatever its description.
func (c Content) WithoutDescription() Content {
	c.Description = nil
	return c
}

// Equal tells whether two contents are the same.
func (c Content) Equal(other Content) bool {
	return bytes.Equal(c.canonical(), other.canonical())
}

// rounds make it dear to guess the values of environment variables from a
// fingerprint, which anyone may see who sees a resource's status.
const rounds = 1 << 14

// Fingerprint stands for the content: 32 hexadecimal digits, which tell nothing of
// the values of environment variables. It takes some milliseconds where there are
// any.
func (c Content) Fingerprint() string { return c.FingerprintWith(nil) }

// FingerprintWith stands for the content together with settings, which hold no secrets
// and can be encoded as JSON. Nil is none.
func (c Content) FingerprintWith(settings any) string {
	h := sha256.New()
	if settings != nil {
		_, _ = h.Write(encode(settings)) // A hash cannot fail.
	}
	if c.Environment != nil {
		salt := []byte("environment of function " + ptr.Deref(c.FunctionName, ""))
		secret, _ := pbkdf2.Key(sha256.New, string(encode(c.Environment)), salt, rounds, sha256.Size) // It fails on sizes other than these.
		_, _ = h.Write(secret)                                                                        // A hash cannot fail.
		c.Environment = nil
	}
	_, _ = h.Write(c.canonical())
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// canonical is the content as text, the same for equal contents.
func (c Content) canonical() []byte { return encode(c) }

// encode what consists of texts, numbers, lists and maps, which JSON takes all of.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return b
}
