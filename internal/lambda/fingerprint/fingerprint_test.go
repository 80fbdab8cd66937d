package fingerprint

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"
)

func configuration(change func(*types.FunctionConfiguration)) *types.FunctionConfiguration {
	c := &types.FunctionConfiguration{
		FunctionName: ptr.To("f"), FunctionArn: ptr.To("arn:f"), Version: ptr.To("$LATEST"), CodeSha256: ptr.To("a"),
		Description: ptr.To("d"), MemorySize: ptr.To[int32](128), RevisionId: ptr.To("r"),
		Environment: &types.EnvironmentResponse{Variables: map[string]string{"PASSWORD": "hunter2"}},
		SnapStart: &types.SnapStartResponse{
			ApplyOn: types.SnapStartApplyOnPublishedVersions, OptimizationStatus: types.SnapStartOptimizationStatusOff,
		},
		VpcConfig: &types.VpcConfigResponse{SubnetIds: []string{"a", "b"}, VpcId: ptr.To("v")},
		Layers:    []types.Layer{{Arn: ptr.To("l:1"), CodeSize: 1}},
	}
	if change != nil {
		change(c)
	}
	return c
}

func TestContent(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*types.FunctionConfiguration)
		same   bool
	}{
		"Nothing": {reason: "Two answers with the same values have the same content.", same: true},
		"WhatAWSAdds": {
			reason: "What publishing, permissions and AWS itself change is not part of the content.",
			change: func(c *types.FunctionConfiguration) {
				c.RevisionId, c.Version, c.FunctionArn = ptr.To("s"), ptr.To("3"), ptr.To("arn:f:3")
				c.LastModified = ptr.To("later")
				c.State, c.LastUpdateStatus = types.StatePending, types.LastUpdateStatusInProgress
				c.SnapStart.OptimizationStatus = types.SnapStartOptimizationStatusOn
				c.RuntimeVersionConfig = &types.RuntimeVersionConfig{RuntimeVersionArn: ptr.To("patched")}
				c.VpcConfig = &types.VpcConfigResponse{SubnetIds: []string{"b", "a"}, SecurityGroupIds: []string{}}
				c.Layers = []types.Layer{{Arn: ptr.To("l:1"), CodeSize: 2}}
			},
			same: true,
		},
		"Code": {
			reason: "Other code is other content.",
			change: func(c *types.FunctionConfiguration) { c.CodeSha256 = ptr.To("b") },
		},
		"Memory": {
			reason: "Another setting is other content.",
			change: func(c *types.FunctionConfiguration) { c.MemorySize = ptr.To[int32](256) },
		},
		"Description": {
			reason: "A missing description changes the fingerprint.",
			change: func(c *types.FunctionConfiguration) { c.Description = nil },
		},
		"Environment": {
			reason: "Another value of a variable changes the fingerprint.",
			change: func(c *types.FunctionConfiguration) { c.Environment.Variables["PASSWORD"] = "hunter3" },
		},
		"NoEnvironment": {
			reason: "A missing environment changes the fingerprint.",
			change: func(c *types.FunctionConfiguration) { c.Environment = nil },
		},
		"Layer": {
			reason: "Another layer changes the fingerprint.",
			change: func(c *types.FunctionConfiguration) { c.Layers[0].Arn = ptr.To("l:2") },
		},
		"Subnet": {
			reason: "Another subnet changes the fingerprint.",
			change: func(c *types.FunctionConfiguration) { c.VpcConfig.SubnetIds = []string{"a"} },
		},
	}
	before := Read(configuration(nil))
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			after := Read(configuration(tc.change))
			if got := before.Equal(after); got != tc.same {
				t.Errorf("%s\nEqual() = %t", tc.reason, got)
			}
			if got := before.Fingerprint() == after.Fingerprint(); got != tc.same {
				t.Errorf("%s\nthe same fingerprint: %t", tc.reason, got)
			}
		})
	}
}

func TestNoDescription(t *testing.T) {
	change := func(c *types.FunctionConfiguration) { c.Description = ptr.To("e") }
	other := Read(configuration(change)).WithoutDescription()
	if !Read(configuration(nil)).WithoutDescription().Equal(other) {
		t.Error("contents without their descriptions differ")
	}
}

// TestReadOfEveryAnswer checks that the outputs of the calls that publish have the fields of a
// configuration.
func TestReadOfEveryAnswer(t *testing.T) {
	want := Read(&types.FunctionConfiguration{CodeSha256: ptr.To("a")})
	for name, got := range map[string]Content{
		"PublishVersion":     Read(&lambda.PublishVersionOutput{CodeSha256: ptr.To("a")}),
		"CreateFunction":     Read(&lambda.CreateFunctionOutput{CodeSha256: ptr.To("a")}),
		"UpdateFunctionCode": Read(&lambda.UpdateFunctionCodeOutput{CodeSha256: ptr.To("a")}),
	} {
		if !got.Equal(want) {
			t.Errorf("%s: another content than that of a configuration", name)
		}
	}
}

func TestFingerprintKeepsSecrets(t *testing.T) {
	c := Read(configuration(nil))
	if f := c.Fingerprint(); len(f) != 32 || strings.Contains(f, "hunter") {
		t.Errorf("fingerprint %q", f)
	}
	if c.Environment == nil {
		t.Error("telling the fingerprint changed the content")
	}
	other := Read(configuration(func(c *types.FunctionConfiguration) { c.FunctionName = ptr.To("g") }))
	if secretHashOf(c) == secretHashOf(other) || secretHashOf(c) != secretHashOf(Read(configuration(nil))) {
		t.Error("the same variables must have the same hash in one function, and another one in another")
	}
}

// secretHashOf returns the hash of a content's environment variables.
func secretHashOf(c Content) string {
	return string(secretHash(*c.FunctionName, encode(c.Environment)))
}

// TestSlow checks that a secret is hashed once, and that each argument counts.
func TestSlow(t *testing.T) {
	const rounds = 100_000
	slow := func(secret, salt string, rounds int) string { return string(Slow([]byte(secret), salt, rounds)) }
	want, began := slow("secret", "salt", rounds), time.Now()
	for range 1000 {
		if got := slow("secret", "salt", rounds); got != want {
			t.Fatalf("got %x, want %x", got, want)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a thousand looks took %s", took)
	}
	for name, other := range map[string]string{
		"secret": slow("secre", "salt", rounds), "salt": slow("secret", "salt2", rounds), "rounds": slow("secret", "salt", 1),
	} {
		if other == want {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
