package layerversionpermission

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/arn"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/statements"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/policy"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile/ownership"
)

// observed is a statement in AWS.
type observed struct {
	at        statementKey
	statement statements.Statement
	revision  string
}

// action is the only one that AWS permits on layers.
const action = "lambda:GetLayerVersion"

// A statementKey identifies a statement by layer, version and statement id. Its text is the external name.
type statementKey struct {
	layer   string
	version int64
	sid     string
}

func (p statementKey) String() string { return p.layerVersion() + ":" + p.sid }

// layerVersion returns the name of the layer version.
func (p statementKey) layerVersion() string { return p.layer + ":" + strconv.FormatInt(p.version, 10) }

// known reports whether the layer version is known.
func (p statementKey) known() bool { return p.layer != "" && p.version > 0 }

// parseStatementKey parses an external name, or the end of a version's ARN followed by a
// statement id. It returns the zero key if the name is neither.
func parseStatementKey(name string) statementKey {
	parts := strings.Split(name, ":")
	const count = 3
	if len(parts) != count {
		return statementKey{}
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || n < 1 {
		return statementKey{}
	}
	return statementKey{layer: parts[0], version: n, sid: parts[2]}
}

// desiredStatementKey returns the desired place, as far as its reference could be resolved. It
// returns an error if spec names no valid version.
func desiredStatementKey(p *v1beta1.LayerVersionPermission) (statementKey, error) {
	fp := p.Spec.ForProvider
	sid := cmp.Or(ptr.Deref(fp.StatementID, ""), parseStatementKey(reconcile.ExternalName(p)).sid, p.GetName())
	if fp.LayerVersionArn == nil {
		return statementKey{layer: ptr.Deref(fp.LayerName, ""), version: ptr.Deref(fp.VersionNumber, 0), sid: sid}, nil
	}
	id, err := arn.Parse(*fp.LayerVersionArn)
	name, ok := strings.CutPrefix(id.Resource, "layer:")
	at := parseStatementKey(name + ":" + sid)
	switch {
	case err != nil || !ok || !at.known():
		return statementKey{},
			errors.Errorf("%q is not the ARN of a layer version: set spec.forProvider.layerVersionArn to one of the "+
				"form arn:aws:lambda:region:123456789012:layer:name:version", *fp.LayerVersionArn)
	case id.Region != fp.Region:
		return statementKey{},
			errors.Errorf("layer version %s is in another region than spec.forProvider.region, which is %s: create a "+
				"LayerVersionPermission in that region, or use a layer version of this one", *fp.LayerVersionArn,
				fp.Region)
	}
	return at, nil
}

// allVersions returns the key that the statement should have, and the others that it may have: where it was added, and
// where an unanswered create may have added it. It returns an error if spec names no version, or if the user has set an
// external name for another version than spec asks for.
func allVersions(p *v1beta1.LayerVersionPermission) (at statementKey, others []statementKey, err error) {
	at, err = desiredStatementKey(p)
	name := reconcile.ExternalName(p)
	named, tried := parseStatementKey(name), parseStatementKey(ownership.Parent(p))
	byUser := ownership.UserSetName(p)
	switch {
	case meta.WasDeleted(p) && byUser && err == nil && at.known() && at != named:
		return statementKey{}, nil, nil // It was never adopted.
	case meta.WasDeleted(p) && byUser:
		return named, nil, nil
	case meta.WasDeleted(p):
		at = cmp.Or(tried, named, at)
	case err != nil:
		return statementKey{}, nil, err
	case byUser && name != at.String():
		return at, nil, errors.Errorf("the annotation %s is %q, but spec asks for %q: make them the same",
			meta.AnnotationKeyExternalName, name, at)
	case byUser:
		return at, nil, nil
	}
	for _, other := range []statementKey{named, tried} {
		if other.known() && other != at && !slices.Contains(others, other) {
			others = append(others, other)
		}
	}
	return at, others, nil
}

// desired returns the statement that spec asks for.
func desired(fp v1beta1.LayerVersionPermissionParameters) policy.Grant {
	return policy.Grant{
		Action:         ptr.Deref(fp.Action, action),
		Principal:      ptr.Deref(fp.Principal, ""),
		PrincipalOrgID: ptr.Deref(fp.OrganizationID, ""),
	}
}

func addInput(
	at statementKey, sid string, fp v1beta1.LayerVersionPermissionParameters,
) *lambda.AddLayerVersionPermissionInput {
	return &lambda.AddLayerVersionPermissionInput{
		LayerName:      ptr.To(layerName(at, fp)),
		VersionNumber:  ptr.To(at.version),
		StatementId:    ptr.To(sid),
		Action:         ptr.To(ptr.Deref(fp.Action, action)),
		Principal:      fp.Principal,
		OrganizationId: fp.OrganizationID,
	}
}

// layerName returns the layer's ARN if spec has one, so that AWS rejects the layer of
// another account instead of using this account's layer of the same name.
func layerName(at statementKey, fp v1beta1.LayerVersionPermissionParameters) string {
	layer, ok := strings.CutSuffix(ptr.Deref(fp.LayerVersionArn, ""), ":"+strconv.FormatInt(at.version, 10))
	if !ok {
		return at.layer
	}
	return layer
}

func removeInput(at statementKey, sid string) *lambda.RemoveLayerVersionPermissionInput {
	return &lambda.RemoveLayerVersionPermissionInput{
		LayerName: ptr.To(at.layer), VersionNumber: ptr.To(at.version),
		StatementId: ptr.To(sid),
	}
}

// observation returns what status shows of a statement.
func observation(o observed) v1beta1.LayerVersionPermissionObservation {
	g := fromAWS(o)
	out := v1beta1.LayerVersionPermissionObservation{
		LayerName:     ptr.To(o.at.layer),
		VersionNumber: ptr.To(o.at.version),
		StatementID:   ptr.To(o.statement.Sid),
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

func fromAWS(o observed) policy.Grant {
	return policy.GrantOf(o.statement.Statement, ":layer:"+o.at.layerVersion())
}
