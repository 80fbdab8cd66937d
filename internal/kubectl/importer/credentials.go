package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/middleware"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl/awsconfig"
)

// fromMachine returns a session with the credentials of this machine.
func fromMachine(ctx context.Context, cfg aws.Config, limiter *quota.Limiter) (*session.Session, error) {
	out, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return nil, awsconfig.Explain("ask AWS who you are", err)
	}
	s := &session.Session{AWS: cfg, Partition: session.PartitionOf(cfg.Region), Identity: session.Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn)}}
	s.Scope.Account, s.Scope.Region = s.Identity.Account, cfg.Region
	s.AWS.APIOptions = append(s.AWS.APIOptions, func(stack *middleware.Stack) error {
		return errors.Join(stack.Finalize.Insert(limiter.PreferAnswer(), "Retry", middleware.Before), stack.Finalize.Add(limiter.Middleware(s.Scope), middleware.After))
	})
	return s, nil
}

// fromConfig returns a session with the credentials of a ProviderConfig in the cluster.
func (o *options) fromConfig(ctx context.Context, scheme *runtime.Scheme, namespace string, ref *xpv2.ProviderConfigReference, limiter *quota.Limiter) (*session.Session, error) {
	config, err := o.Config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	mg := &v1beta1.Function{}
	mg.SetNamespace(namespace)
	mg.SetProviderConfigReference(ref)
	s, err := session.New(c, session.LiveSecrets(c), limiter, o.Now, awsconfig.SessionOptions()).Resolve(ctx, mg, o.region)
	if err != nil {
		return nil, fmt.Errorf("%w: to read AWS with the credentials of this machine, set --aws-profile or --aws-default-chain", err)
	}
	return s, nil
}

// parseConfig parses the name of a ClusterProviderConfig, or the kind and the name of a config. It returns nil if it is
// empty.
func parseConfig(text string) (*xpv2.ProviderConfigReference, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // Objects without a reference use the default.
	}
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		kind, name = v1beta1.ClusterProviderConfigKind, text
	}
	for _, k := range []string{v1beta1.ClusterProviderConfigKind, v1beta1.ProviderConfigKind} {
		if strings.EqualFold(k, kind) && name != "" {
			return &xpv2.ProviderConfigReference{Kind: k, Name: name}, nil
		}
	}
	return nil, fmt.Errorf("invalid provider config %q: use the name of a ClusterProviderConfig, or ProviderConfig/NAME", text)
}
