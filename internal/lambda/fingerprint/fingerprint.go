// Package fingerprint compares the code and configuration of functions and versions, and hashes secrets. It is pure,
// but for a cache of hashes.
//
// A revision ID does not serve for that: it also changes with permissions and with publishing. Nor does the time of the
// last change: an update without a change sets it too.
package fingerprint

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/lru"
	"k8s.io/utils/ptr"
)

// Content is the part of a function that PublishVersion keeps, as far as a user chose it. What AWS chooses, such as the
// patch level of a runtime, is left out.
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
	RuntimeConfig          *types.FunctionRuntimeConfig
	SnapStart              *types.SnapStartResponse
	TenancyConfig          *types.TenancyConfig
	Timeout                *int32
	TracingConfig          *types.TracingConfigResponse
	VpcConfig              *types.VpcConfigResponse
}

// Read returns the content of a function or a version from an SDK output with the fields of
// types.FunctionConfiguration, such as lambda.PublishVersionOutput.
func Read[C any](answer *C) Content {
	c := Content{}
	from, to := reflect.ValueOf(answer).Elem(), reflect.ValueOf(&c).Elem()
	for f, v := range to.Fields() {
		v.Set(from.FieldByName(f.Name))
	}
	return normal(c)
}

// normal returns a content without what AWS adds, in which empty values are absent.
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

// WithoutDescription returns the content with an absent description.
func (c Content) WithoutDescription() Content {
	c.Description = nil
	return c
}

// Equal reports whether two contents are equal.
func (c Content) Equal(other Content) bool { return reflect.DeepEqual(c, other) }

// rounds is high enough to make it expensive to guess the values of environment variables from a fingerprint, which all
// who can read a resource's status see.
const rounds = 1 << 14

// Fingerprint returns 32 hexadecimal digits that identify the content, and reveal nothing about the values of
// environment variables. It takes some milliseconds if there are any that it was not called with lately. It returns
// the same digits in each release, since resources store them.
func (c Content) Fingerprint() string { return c.FingerprintWith(nil) }

// FingerprintWith returns the fingerprint of the content together with settings, which hold no secrets and are
// encoded as JSON. Nil means none. Fingerprints are stored: a member that is added to the type of settings must have
// the option omitempty.
func (c Content) FingerprintWith(settings any) string {
	h := sha256.New()
	if settings != nil {
		_, _ = h.Write(marshal(settings)) // A hash never fails to write.
	}
	if c.Environment != nil {
		_, _ = h.Write(secretHash(ptr.Deref(c.FunctionName, ""), encode(c.Environment)))
		c.Environment = nil
	}
	_, _ = h.Write(encode(c))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// secretHash returns an expensive hash of the environment variables of a function.
func secretHash(function string, variables []byte) []byte {
	return Slow(variables, "environment of function "+function, rounds)
}

// hashes holds the latest results of Slow by an HMAC of its arguments with a key that only this process knows: the same
// secrets are hashed in each reconcile. It never leaves memory.
var (
	hashes     = lru.New(10_000) //nolint:mnd // A result takes about 200 bytes.
	processKey = rand.Text()
)

// Slow returns a hash of a secret that takes as many rounds, so that the secret cannot be guessed from it. It is
// computed once for a secret that it was called with lately.
func Slow(secret []byte, salt string, rounds int) []byte {
	mac := hmac.New(sha256.New, []byte(processKey))
	_, _ = fmt.Fprintf(mac, "%d %q ", rounds, salt) // A hash never fails to write.
	_, _ = mac.Write(secret)
	key := [sha256.Size]byte(mac.Sum(nil))
	if sum, ok := hashes.Get(key); ok {
		return sum.([]byte) //nolint:forcetypeassert // Only this function adds one.
	}
	sum, _ := pbkdf2.Key(sha256.New, string(secret), []byte(salt), rounds, sha256.Size) // These sizes never fail.
	hashes.Add(key, sum)
	return sum
}
