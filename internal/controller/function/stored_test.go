package function

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestStoredSpecFingerprint compares fingerprints of specs with those that the first release stored in status. If one
// changes after a member was added to settings, give that member the JSON option omitempty: otherwise each function
// with publish: true publishes a version for nothing after the upgrade.
func TestStoredSpecFingerprint(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1beta1.FunctionSettings
		vars   map[string]string
		want   string
	}{
		"Minimal": {
			reason: "Settings that the manifest leaves out are part of the stored fingerprint.",
			spec:   minimal(),
			want:   "9a50f52a350bd439568e818982cd77eb",
		},
		"Blocks": {
			reason: "Blocks, in which the manifest leaves members out, have the fingerprint that is stored for them.",
			spec: minimal(func(p *v1beta1.FunctionSettings) {
				p.VPCConfig = &v1beta1.VPCConfig{SubnetIDs: []string{"s"}, SecurityGroupIDs: []string{"g"}}
				p.DeadLetterConfig = &v1beta1.DeadLetterConfig{TargetArn: ptr.To("q")}
				p.EphemeralStorage = &v1beta1.EphemeralStorage{Size: 1024}
				p.FileSystemConfigs = []v1beta1.FileSystemConfig{{Arn: "a", LocalMountPath: "/mnt/a"}}
				p.ImageConfig = &v1beta1.ImageConfig{Command: []string{"c"}}
				p.LoggingConfig = &v1beta1.LoggingConfig{LogGroup: ptr.To("g")}
				p.TracingConfig = &v1beta1.TracingConfig{Mode: "Active"}
				p.SnapStart = &v1beta1.SnapStart{ApplyOn: "None"}
				p.DurableConfig = &v1beta1.DurableConfig{ExecutionTimeout: ptr.To[int32](60)}
				p.TenancyConfig = &v1beta1.TenancyConfig{TenantIsolationMode: "PER_TENANT"}
				p.CapacityProviderConfig = &v1beta1.CapacityProviderConfig{}
				p.Tags = map[string]string{"not": "part of a version"}
			}),
			vars: map[string]string{"A": "1"},
			want: "73f95104cb6f8cbe5e7a94b72f13e0ee",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := sparse(func(c *types.FunctionConfiguration) {
				c.Environment = &types.EnvironmentResponse{Variables: map[string]string{"A": "1"}}
			})
			p := plan{name: "f", resource: o}
			p.Observed = fromAWS(o)
			if got := p.specFingerprint(want2(tc.spec, v1beta1.FunctionSettings{}, tc.vars)); got != tc.want {
				t.Errorf("%s\nfingerprint %s, want %s: status has stored the latter", tc.reason, got, tc.want)
			}
		})
	}
}
