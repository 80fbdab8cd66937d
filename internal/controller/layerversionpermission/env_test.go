package layerversionpermission

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/test/testenv"
)

// versions are the statements of the policies of the versions of layer base.
type versions map[int64]string

// in puts the statements into the policies in AWS.
func (v versions) in(e env) {
	e.Helper()
	for number, statements := range v {
		if !e.Double.PutPolicy(
			fmt.Sprintf("%s:%d", layerArn, number),
			`{"Version":"2012-10-17","Id":"default","Statement":[`+statements+`]}`,
		) {
			e.Fatal("the policy can't be put")
		}
	}
}

const (
	partnerStatement = `{"Sid":"partner","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:1"}`
	partnerAtTwo     = `{"Sid":"partner","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:root"},"Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:2"}`
	publicAtTwo      = `{"Sid":"partner","Effect":"Allow","Principal":"*","Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:2"}`
	otherStatement   = `{"Sid":"other","Effect":"Allow","Principal":"*","Action":"lambda:GetLayerVersion","Resource":"` + layerArn + `:1"}`
)

var (
	// named sets the external name for version 1 as if the permission had written it.
	named = testenv.Named[*v1beta1.LayerVersionPermission]("base:1:partner")

	// imported sets the external name as if the user had set it.
	imported = testenv.Imported[*v1beta1.LayerVersionPermission]("base:1:partner")
)

// tried records a create for version 1 without a known result.
func tried(p *v1beta1.LayerVersionPermission) {
	meta.AddAnnotations(p, map[string]string{v1beta1.AnnotationParent: "base:1:partner"})
	meta.SetExternalCreatePending(p, testenv.Start)
}

// atTwo sets version 2.
func atTwo(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.VersionNumber = ptr.To[int64](2) }

// unresolved removes what the reference was resolved to.
func unresolved(p *v1beta1.LayerVersionPermission) {
	p.Spec.ForProvider.LayerName, p.Spec.ForProvider.VersionNumber = nil, nil
	p.Spec.ForProvider.LayerVersionArnRef = &xpv2.NamespacedReference{Name: "base"}
}

// byArn names a version by its ARN.
func byArn(id string) func(*v1beta1.LayerVersionPermission) {
	return func(p *v1beta1.LayerVersionPermission) {
		p.Spec.ForProvider.LayerName, p.Spec.ForProvider.VersionNumber = nil, nil
		p.Spec.ForProvider.LayerVersionArn = ptr.To(id)
	}
}

func public(p *v1beta1.LayerVersionPermission) { p.Spec.ForProvider.Principal = ptr.To("*") }
