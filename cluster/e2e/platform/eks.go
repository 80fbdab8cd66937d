package platform

import (
	"context"
	"crypto"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/go-jose/go-jose/v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/identity"
	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/node"
	"github.com/crossplane-contrib/provider-lambda/internal/test/awsdouble"
	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

const (
	// roleAnnotation is the annotation of a ServiceAccount with the role of its pods.
	roleAnnotation = "eks.amazonaws.com/role-arn"

	// audience of the tokens for that role.
	audience = "sts.amazonaws.com"

	// Role is the role that the provider assumes.
	Role = "arn:aws:iam::" + awsdouble.DefaultAccount + ":role/" + Provider
)

// trustCluster adds the control plane to the double's IAM as an issuer of the provider's ServiceAccount tokens, by
// the keys that the API server publishes, as `eksctl create iamserviceaccount` does.
func (p *Platform) trustCluster(ctx context.Context) error {
	k, err := kubernetes.NewForConfig(p.Cluster.Config)
	if err != nil {
		return err
	}
	text, err := k.Discovery().RESTClient().Get().AbsPath("/openid/v1/jwks").DoRaw(ctx)
	if err != nil {
		return fmt.Errorf("cannot read the API server's public keys: %w", err)
	}
	set := jose.JSONWebKeySet{}
	if err := json.Unmarshal(text, &set); err != nil {
		return fmt.Errorf("cannot read the API server's public keys: %w", err)
	}
	keys := map[string]crypto.PublicKey{}
	for _, key := range set.Keys {
		keys[key.KeyID] = key.Key
	}
	p.Double.AddIssuerKeys(awsdouble.DefaultAccount, devcluster.Issuer, keys, audience)
	p.Double.AddRole(awsdouble.Role{ARN: Role, WebIdentity: &awsdouble.WebIdentity{
		Issuer: devcluster.Issuer, Audience: audience, Subject: "system:serviceaccount:" + Namespace + ":" + Provider,
	}})
	// Callers from outside of the cluster, such as tests.
	access, err := p.Double.Config("").Credentials.Retrieve(ctx)
	if err != nil {
		return err
	}
	p.Double.AddUser(awsdouble.User{
		ARN:         "arn:aws:iam::" + awsdouble.DefaultAccount + ":user/onlooker",
		AccessKeyID: access.AccessKeyID, SecretAccessKey: access.SecretAccessKey,
	})
	return nil
}

// injectRole adds to a pod what the webhook of EKS adds, if its ServiceAccount is annotated with a role.
func (p *Platform) injectRole(ctx context.Context, account *corev1.ServiceAccount, folder string) ([]string, error) {
	role := account.GetAnnotations()[roleAnnotation]
	if role == "" {
		return nil, nil
	}
	token, err := identity.Token(ctx, p.Cluster.Config, account.GetNamespace(), account.GetName(), audience)
	if err != nil {
		return nil, err
	}
	if err := node.WriteFiles(filepath.Join(folder, "aws"), map[string][]byte{"token": []byte(token)}); err != nil {
		return nil, err
	}
	return []string{
		"AWS_ROLE_ARN=" + role,
		"AWS_WEB_IDENTITY_TOKEN_FILE=" + filepath.Join(folder, "aws", "token"),
		"AWS_STS_REGIONAL_ENDPOINTS=regional",
	}, nil
}
