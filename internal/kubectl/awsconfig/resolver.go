package awsconfig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/middleware"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/regions"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
	"github.com/crossplane-contrib/provider-lambda/internal/kubectl"
)

// Session returns a session with the credentials of this machine in a region. Its calls wait for the quota.
func (f *Flags) Session(ctx context.Context, region string, now func() time.Time) (*session.Session, error) {
	return f.session(ctx, region, quota.New(now, nil))
}

func (f *Flags) session(ctx context.Context, region string, limiter *quota.Limiter) (*session.Session, error) {
	cfg, err := f.Load(ctx, region)
	if err != nil {
		return nil, err
	}
	out, err := sts.NewFromConfig(cfg).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return nil, Explain("read which account the credentials of this machine are of", err)
	}
	s := &session.Session{AWS: cfg, Partition: session.PartitionOf(cfg.Region)}
	s.Identity = session.Identity{Account: aws.ToString(out.Account), ARN: aws.ToString(out.Arn)}
	s.Scope.Account, s.Scope.Region = s.Identity.Account, cfg.Region
	s.AWS.APIOptions = append(s.AWS.APIOptions, func(stack *middleware.Stack) error {
		return errors.Join(
			stack.Finalize.Insert(limiter.PreferAnswer(), "Retry", middleware.Before),
			stack.Finalize.Add(limiter.Middleware(s.Scope), middleware.After))
	})
	return s.Derive(Pace), nil
}

// A Resolver resolves sessions through the ProviderConfigs of resources, for one command. Their calls wait for the
// quota. Whoever writes a ProviderConfig must not get at what the user of the command has:
//
//   - A ProviderConfig of a namespace must not name an endpoint, as if the provider had no flag that allows it.
//   - A config has no access to the files, the environment and the credentials of this machine.
//   - If the user has chosen the credentials of this machine, the config only says which tags a resource has, and which
//     namespaces may use it. The clients are those of Flags.Session, which know nothing of the config.
//   - The URL of the flag replaces all endpoints.
type Resolver struct {
	flags   *Flags
	through *session.Resolver
	configs *configs
	limiter *quota.Limiter
	machine map[string]*session.Session
}

// Resolver returns a Resolver. What the user should know about a config is written to notes.
func (f *Flags) Resolver(c client.Client, now func() time.Time, notes io.Writer) *Resolver {
	limiter := quota.New(now, nil)
	o := session.Options{
		LookupEnv: func(string) (string, bool) { return "", false },
		ReadFile: func(string) ([]byte, error) {
			return nil, errors.New("a file of the provider's pod is not on this machine")
		},
	}
	if u, err := f.named(); err == nil && u != nil {
		o.AllowNamespacedEndpoints, o.AllowLoopbackEndpoints = true, true
		o.NamespacedEndpointHosts = []string{u.Hostname()}
	}
	secrets := session.LiveSecrets(c)
	if f.Chosen() {
		secrets = func(context.Context, types.NamespacedName) (map[string][]byte, error) {
			return placeholder, nil
		}
	}
	from := &configs{Client: c, flags: f, notes: notes, noted: map[string]bool{}}
	through := session.New(from, secrets, limiter, now, o)
	return &Resolver{
		flags: f, limiter: limiter, machine: map[string]*session.Session{}, through: through, configs: from,
	}
}

// Resolve returns the session of a resource in a region.
func (r *Resolver) Resolve(ctx context.Context, mg resource.ModernManaged, region string) (*session.Session, error) {
	s, err := r.through.Resolve(ctx, mg, region)
	if err != nil && !r.flags.Chosen() && regions.Known(region) { // Other credentials are no way out of a wrong region.
		return nil, fmt.Errorf("%w; to read AWS with the credentials of this machine, set --aws-profile or "+
			"--aws-default-chain", err)
	}
	if err != nil {
		return nil, err
	}
	if !r.flags.Chosen() {
		return s.Derive(Pace), nil
	}
	own := r.machine[region]
	if own == nil {
		if own, err = r.flags.session(ctx, region, r.limiter); err != nil {
			return nil, err
		}
		r.machine[region] = own
	}
	if reached := r.configs.reached; reached != "" && reached != own.Identity.Account {
		r.configs.warnf("%s reaches account %s, and the credentials of this machine are of account %s, which is read "+
			"instead", s.Ref, reached, own.Identity.Account)
	}
	s = s.Derive()
	s.AWS, s.Scope, s.Partition, s.Identity = own.AWS, own.Scope, own.Partition, own.Identity
	return s, nil
}

// unused is the name of the Secret in place of the credentials of a config that AWS is not called with.
const unused = "unused"

// placeholder is the data of that Secret.
var placeholder = map[string][]byte{"aws_access_key_id": []byte("NONE"), "aws_secret_access_key": []byte("none")}

// configs reads ProviderConfigs as the commands use them.
type configs struct {
	client.Client

	flags *Flags
	notes io.Writer
	noted map[string]bool

	// reached is the account that the config that was read last reaches, as the provider has found out. It is empty if
	// that is not known.
	reached string
}

// Get reads an object.
func (c *configs) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := c.Client.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	local := v1beta1.LocalCredentialsSecretSelector{Name: unused}
	switch cfg := obj.(type) {
	case *v1beta1.ClusterProviderConfig:
		c.reached = cfg.Status.AccountID
		c.replaceEndpoint(&cfg.Spec.ConnectionSpec)
		source := cfg.Spec.Credentials.Source
		switch {
		case c.flags.Chosen():
			c.note(cfg)
			isolate(&cfg.Spec.ConnectionSpec)
			ref := &v1beta1.CredentialsSecretSelector{Namespace: unused, LocalCredentialsSecretSelector: local}
			cfg.Spec.Credentials = v1beta1.ClusterProviderCredentials{
				Source: v1beta1.CredentialsSourceSecret, SecretRef: ref,
			}
		case source == v1beta1.CredentialsSourceIRSA, source == v1beta1.CredentialsSourcePodIdentity:
			return fmt.Errorf("credentials.source %s is the identity of the provider's pod, which this machine "+
				"does not have",
				source)
		}
	case *v1beta1.ProviderConfig:
		c.reached = cfg.Status.AccountID
		c.replaceEndpoint(&cfg.Spec.ConnectionSpec)
		if c.flags.Chosen() {
			isolate(&cfg.Spec.ConnectionSpec)
			cfg.Spec.Credentials = v1beta1.ProviderCredentials{
				Source: v1beta1.CredentialsSourceSecret, SecretRef: &local,
			}
		}
	}
	return nil
}

// replaceEndpoint sets the URL of the flag, if there is one.
func (c *configs) replaceEndpoint(s *v1beta1.ConnectionSpec) {
	if c.flags.endpoint == "" {
		return
	}
	url := v1beta1.URLConfig{Type: v1beta1.EndpointURLTypeStatic, Static: &c.flags.endpoint}
	s.Endpoint, s.S3UsePathStyle = &v1beta1.EndpointConfig{URL: url}, true
}

// isolate removes all by which a config would be called with.
func isolate(s *v1beta1.ConnectionSpec) {
	s.AssumeRoleChain, s.CABundle = nil, nil
	s.SkipCredentialsValidation, s.SkipRequestingAccountID = true, true
}

// note tells the user that the endpoint of a config is not called.
func (c *configs) note(cfg *v1beta1.ClusterProviderConfig) {
	if e := cfg.Spec.Endpoint; c.flags.endpoint == "" && e != nil && e.URL.Type != v1beta1.EndpointURLTypeAuto {
		c.warnf("ClusterProviderConfig %s names an endpoint, where credentials of this machine are not sent. Instead, "+
			"AWS or the endpoint of this machine's AWS configuration is read. To name the endpoint, set "+
			"--aws-endpoint-url.", cfg.Name)
	}
}

// warnf warns the user, once.
func (c *configs) warnf(format string, args ...any) {
	text := kubectl.OneLine(fmt.Sprintf(format, args...))
	if !c.noted[text] {
		_, _ = fmt.Fprintf(c.notes, "warning: %s\n", text)
	}
	c.noted[text] = true
}
