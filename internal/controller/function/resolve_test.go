package function

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

func TestReferences(t *testing.T) {
	sel := &v1beta1.FieldSelector{
		APIVersion: "iam.example.org/v1", Kind: "Role", Name: "r", FieldPath: "status.atProvider.arn",
	}
	p := minimal(func(p *v1beta1.FunctionSettings) {
		p.Role, p.RoleFrom = nil, sel
		p.VPCConfig = &v1beta1.VPCConfig{
			SubnetIDsFrom: []v1beta1.FieldSelector{*sel, *sel}, SecurityGroupIDs: []string{"sg-1"},
		}
	})
	r := &resolver{fields: fakeFields(func(v1beta1.FieldSelector) (string, error) { return "found", nil })}
	got, err := r.references(testContext(t), "ns", "spec.forProvider", p)
	if err != nil {
		t.Fatal(err)
	}
	if ptr.Deref(got.Role, "") != "found" || len(got.VPCConfig.SubnetIDs) != 1 ||
		got.VPCConfig.SecurityGroupIDs[0] != "sg-1" {
		t.Errorf("each <field>From must be replaced by what it selects, once, got %+v", got)
	}
	if p.Role != nil || p.VPCConfig.SubnetIDs != nil {
		t.Error("the spec itself is the user's and must stay as it was")
	}
	r.fields = fakeFields(
		func(v1beta1.FieldSelector) (string, error) { return "", errors.New("Role ns/r does not exist") },
	)
	if _, err := r.references(testContext(t), "ns", "spec.forProvider", p); err == nil ||
		!strings.Contains(err.Error(), "spec.forProvider.roleFrom: Role ns/r does not exist") {
		t.Errorf("the field and what is missing must be named, got %v", err)
	}
}
