package layerversionpermission

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/flow"
	"github.com/crossplane-contrib/provider-lambda/internal/managed/ownership"
	"github.com/crossplane-contrib/provider-lambda/internal/policy"
)

// action is the only one that AWS permits on layers.
const action = "lambda:GetLayerVersion"

// place is where a statement is: in the policy of which version of which layer, and by
// which id. Its text is the external name.
type place struct {
	layer   string
	version int64
	sid     string
}

func (p place) String() string { return p.holder() + ":" + p.sid }

// holder is the layer's version.
func (p place) holder() string { return p.layer + ":" + strconv.FormatInt(p.version, 10) }

// known is false where it is not known which version is meant.
func (p place) known() bool { return p.layer != "" && p.version > 0 }

// parsePlace reads an external name, and the end of a version's ARN with an id after it.
// What is none gives the zero place.
func parsePlace(name string) place {
	parts := strings.Split(name, ":")
	const count = 3
	if len(parts) != count {
		return place{}
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || n < 1 {
		return place{}
	}
	return place{layer: parts[0], version: n, sid: parts[2]}
}

// wantedPlace is the place by spec, as far as its reference could be resolved.
func wantedPlace(p *v1beta1.LayerVersionPermission) place {
	fp := p.Spec.ForProvider
	sid := cmp.Or(ptr.Deref(fp.StatementID, ""), parsePlace(flow.Name(p)).sid, p.GetName())
	if _, name, ok := strings.Cut(ptr.Deref(fp.LayerVersionArn, ""), ":layer:"); ok {
		return parsePlace(name + ":" + sid)
	}
	return place{layer: ptr.Deref(fp.LayerName, ""), version: ptr.Deref(fp.VersionNumber, 0), sid: sid}
}

// knownPlace is where the statement was added, was to be added, or was last seen.
func knownPlace(p *v1beta1.LayerVersionPermission) place {
	if at := parsePlace(flow.Name(p)); at.known() {
		return at
	}
	s := p.Status.AtProvider
	if s.LayerName != nil && s.VersionNumber != nil && s.StatementID != nil {
		return place{layer: *s.LayerName, version: *s.VersionNumber, sid: *s.StatementID}
	}
	return place{}
}

// places are where the statement is to be, and where it is if that is elsewhere. An
// error says that the user has named another one than spec asks for.
func places(p *v1beta1.LayerVersionPermission) (at, old place, err error) {
	at, was := wantedPlace(p), knownPlace(p)
	if meta.WasDeleted(p) {
		return cmp.Or(was, parsePlace(ownership.Parent(p)), at), place{}, nil
	}
	name := flow.Name(p)
	if ownership.UserSetName(p) && name != at.String() {
		return at, place{}, errors.Errorf("the annotation %s is %q, but spec asks for %q: make them the same", meta.AnnotationKeyExternalName, name, at)
	}
	if was.known() && was != at {
		return at, was, nil
	}
	return at, place{}, nil
}

// grantOf is the statement that spec asks for.
func grantOf(fp v1beta1.LayerVersionPermissionParameters) policy.Grant {
	return policy.Grant{
		Action:         ptr.Deref(fp.Action, action),
		Principal:      ptr.Deref(fp.Principal, ""),
		PrincipalOrgID: ptr.Deref(fp.OrganizationID, ""),
	}
}

func addInput(at place, fp v1beta1.LayerVersionPermissionParameters) *lambda.AddLayerVersionPermissionInput {
	return &lambda.AddLayerVersionPermissionInput{
		LayerName:      ptr.To(at.layer),
		VersionNumber:  ptr.To(at.version),
		StatementId:    ptr.To(at.sid),
		Action:         ptr.To(ptr.Deref(fp.Action, action)),
		Principal:      fp.Principal,
		OrganizationId: fp.OrganizationID,
	}
}

func removeInput(at place) *lambda.RemoveLayerVersionPermissionInput {
	return &lambda.RemoveLayerVersionPermissionInput{LayerName: ptr.To(at.layer), VersionNumber: ptr.To(at.version), StatementId: ptr.To(at.sid)}
}

// observation is what status shows of a statement.
func observation(o observed) v1beta1.LayerVersionPermissionObservation {
	g := o.grant()
	out := v1beta1.LayerVersionPermissionObservation{
		LayerName:     ptr.To(o.at.layer),
		VersionNumber: ptr.To(o.at.version),
		StatementID:   ptr.To(o.at.sid),
		Statement:     ptr.To(o.statement.Written),
		RevisionID:    ptr.To(o.revision),
	}
	if g.Principal != "" {
		out.Principal = ptr.To(g.Principal)
	}
	if len(o.statement.Resource) == 1 {
		out.LayerVersionArn = ptr.To(o.statement.Resource[0])
	}
	return out
}
