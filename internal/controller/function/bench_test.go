package function

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// large returns a function with 4 KB of environment and five layers, as desired and as
// observed.
func large() (reconcile.Desired[settings], observed) {
	vars := map[string]string{}
	for i := range 64 {
		vars[fmt.Sprintf("VARIABLE_%02d", i)] = strings.Repeat("x", 52)
	}
	var arns []string
	var ls []types.Layer
	for i := range 5 {
		arn := fmt.Sprintf("arn:aws:lambda:eu-central-1:123456789012:layer:layer-%d:%d", i, i+1)
		arns = append(arns, arn)
		ls = append(ls, types.Layer{Arn: ptr.To(arn)})
	}
	p := minimal(func(p *v1beta1.FunctionSettings) {
		p.Layers = arns
		p.VPCConfig = &v1beta1.VPCConfig{
			SubnetIDs: []string{"subnet-b", "subnet-a"}, SecurityGroupIDs: []string{"sg-a"},
		}
	})
	o := sparse(func(c *types.FunctionConfiguration) {
		c.Environment = &types.EnvironmentResponse{Variables: vars}
		c.Layers = ls
		c.VpcConfig = &types.VpcConfigResponse{
			SubnetIds: []string{"subnet-a", "subnet-b"}, SecurityGroupIds: []string{"sg-a"},
		}
	})
	return want2(p, v1beta1.FunctionSettings{}, vars), o
}

func BenchmarkDiffSame(b *testing.B) {
	d, o := large()
	b.ReportAllocs()
	for b.Loop() {
		have := fromAWS(o)
		if len(diff.Compare(target(d, have, "f", testenv.Owner(kind, "")), have)) > 0 {
			b.Fatal("must be the same")
		}
	}
}

func BenchmarkDiffWholeEnvironment(b *testing.B) {
	d, o := large()
	o.config().Environment.Variables = map[string]string{}
	b.ReportAllocs()
	for b.Loop() {
		have := fromAWS(o)
		if len(diff.Compare(target(d, have, "f", testenv.Owner(kind, "")), have)) == 0 {
			b.Fatal("must differ")
		}
	}
}

func BenchmarkConvertCreate(b *testing.B) {
	d, _ := large()
	b.ReportAllocs()
	for b.Loop() {
		if createInput("f", d.Settings, &types.FunctionCode{}, publish{}) == nil {
			b.Fatal("no input")
		}
	}
}

func BenchmarkConvertStatus(b *testing.B) {
	_, o := large()
	b.ReportAllocs()
	for b.Loop() {
		if observation(o, fromAWS(o), v1beta1.FunctionObservation{}).FunctionName == nil {
			b.Fatal("no status")
		}
	}
}
