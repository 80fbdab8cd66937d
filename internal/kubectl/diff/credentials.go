package diff

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

// machine is the name of the Secret that stands for the credentials of this machine.
const machine = "credentials-of-this-machine"

// machineCredentials returns the credentials of a profile of this machine, or its default ones, as a Secret has them.
func machineCredentials(ctx context.Context, profile string) (map[string][]byte, error) {
	cfg, err := awsconfig.Load(ctx, profile)
	if err != nil {
		return nil, err
	}
	c, err := cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot get the AWS credentials of this machine: %w", err)
	}
	ini := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", c.AccessKeyID, c.SecretAccessKey)
	if c.SessionToken != "" {
		ini += "aws_session_token = " + c.SessionToken + "\n"
	}
	return map[string][]byte{machine: []byte(ini)}, nil
}

// machineConfigs reads ProviderConfigs with the credentials of this machine in place of their own, and without the roles
// that they assume. Endpoints and tags are those of the config.
type machineConfigs struct{ client.Client }

// Get reads an object.
func (c *machineConfigs) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := c.Client.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	local := v1beta1.LocalCredentialsSecretSelector{Name: machine, Key: machine}
	switch cfg := obj.(type) {
	case *v1beta1.ClusterProviderConfig:
		cfg.Spec.Credentials = v1beta1.ClusterProviderCredentials{Source: v1beta1.CredentialsSourceSecret, SecretRef: &v1beta1.CredentialsSecretSelector{Namespace: machine, LocalCredentialsSecretSelector: local}}
		cfg.Spec.AssumeRoleChain = nil
	case *v1beta1.ProviderConfig:
		cfg.Spec.Credentials = v1beta1.ProviderCredentials{Source: v1beta1.CredentialsSourceSecret, SecretRef: &local}
		cfg.Spec.AssumeRoleChain = nil
	}
	return nil
}

// A paced resolver resolves sessions whose calls wait for the quota. It adds to errors of a ProviderConfig what the user of
// the command can do.
type paced struct{ resolver reconciler.Resolver }

// Resolve resolves the session of a resource.
func (e *paced) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*session.Session, error) {
	s, err := e.resolver.Resolve(ctx, mg, region)
	if err == nil {
		return s.Derive(awsconfig.Pace(kubectl.Wait)), nil
	}
	for _, source := range []string{"IRSA", "PodIdentity", "WebIdentity", "Filesystem", "environment"} {
		if strings.Contains(err.Error(), source) {
			return nil, fmt.Errorf("%w: only the provider's pod has these credentials; set --aws-profile or --aws-default-chain to read AWS with those of this machine", err)
		}
	}
	return nil, err
}
