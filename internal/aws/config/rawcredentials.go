package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// A material is what credentials are made of, read anew at each use.
type rawCredentials struct {
	// keys are there where they are given as such.
	keys aws.Credentials
	// token is a web identity token, with the role to assume with it.
	token   []byte
	roleARN string
}

// version changes when the config or the material does. It tells nothing of
// either.
func (m rawCredentials) version(generation int64) string {
	h := sha256.New()
	for _, part := range []string{m.keys.AccessKeyID, m.keys.SecretAccessKey, m.keys.SessionToken, string(m.token), m.roleARN} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // A hash takes all.
	}
	return fmt.Sprintf("%d/%s", generation, hex.EncodeToString(h.Sum(nil)))
}

// placeholder keys sign calls to endpoints that check no signature.
var placeholder = aws.Credentials{AccessKeyID: "NONE", SecretAccessKey: "none"}

// rawCredentials of a config's credentials.
func (r *Resolver) rawCredentials(ctx context.Context, s settings) (rawCredentials, error) {
	switch s.source {
	case v1beta1.CredentialsSourceNone:
		if s.Endpoint == nil {
			return rawCredentials{}, fmt.Errorf("credentials.source None requires endpoint, because AWS does not accept placeholder keys")
		}
		return rawCredentials{keys: placeholder}, nil
	case v1beta1.CredentialsSourceSecret:
		if s.secret == nil {
			return rawCredentials{}, fmt.Errorf("credentials.source Secret requires credentials.secretRef")
		}
		keys, err := r.secretKeys(ctx, *s.secret, s.profile)
		return rawCredentials{keys: keys}, err
	case v1beta1.CredentialsSourceEnvironment:
		keys, err := r.environmentKeys(s)
		return rawCredentials{keys: keys}, err
	case v1beta1.CredentialsSourceFilesystem:
		keys, err := r.fileKeys(s)
		return rawCredentials{keys: keys}, err
	case v1beta1.CredentialsSourceWebIdentity:
		return r.webIdentity(ctx, s)
	case v1beta1.CredentialsSourceIRSA, v1beta1.CredentialsSourcePodIdentity:
		return rawCredentials{}, nil
	default:
		return rawCredentials{}, fmt.Errorf("credentials.source %q is not known", s.source)
	}
}

// environmentKeys reads the provider's environment.
func (r *Resolver) environmentKeys(s settings) (aws.Credentials, error) {
	if s.env != nil {
		ini, ok := r.options.LookupEnv(*s.env)
		if !ok {
			return aws.Credentials{}, fmt.Errorf("the provider has no environment variable %q: set it in the provider's DeploymentRuntimeConfig, or correct credentials.env", *s.env)
		}
		c, err := parseINI([]byte(ini), s.profile)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("in environment variable %q, %w", *s.env, err)
		}
		return c, nil
	}
	values := map[string]string{}
	for _, key := range []string{keyAccessKeyID, keySecretAccessKey, keySessionToken} {
		values[key], _ = r.options.LookupEnv(strings.ToUpper(key))
	}
	c, err := keysOf(values)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("the provider's environment %w in capital letters: set it in the provider's DeploymentRuntimeConfig, or choose another credentials.source", err)
	}
	return c, nil
}

// fileKeys reads a file in the provider's pod.
func (r *Resolver) fileKeys(s settings) (aws.Credentials, error) {
	if s.path == nil {
		return aws.Credentials{}, fmt.Errorf("credentials.source Filesystem requires credentials.fs.path")
	}
	ini, err := r.options.ReadFile(*s.path)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("cannot read credentials: %w: mount the file into the provider's pod, or correct credentials.fs.path", err)
	}
	c, err := parseINI(ini, s.profile)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("in file %s, %w", *s.path, err)
	}
	return c, nil
}

// webIdentity reads a token, and says which role to assume with it.
func (r *Resolver) webIdentity(ctx context.Context, s settings) (rawCredentials, error) {
	m := rawCredentials{roleARN: s.web.roleARN}
	if m.roleARN == "" {
		m.roleARN, _ = r.options.LookupEnv("AWS_ROLE_ARN")
	}
	if m.roleARN == "" {
		return rawCredentials{}, fmt.Errorf("no role to assume with the web identity token: set credentials.webIdentity.roleARN")
	}
	if s.web.secret != nil {
		token, err := r.secretToken(ctx, *s.web.secret)
		m.token = token
		return m, err
	}
	path := valueOf(s.web.path)
	if path == "" {
		path, _ = r.options.LookupEnv("AWS_WEB_IDENTITY_TOKEN_FILE")
	}
	if path == "" {
		return rawCredentials{}, fmt.Errorf("no web identity token: set credentials.webIdentity.tokenConfig, or give the provider's pod one (AWS_WEB_IDENTITY_TOKEN_FILE)")
	}
	token, err := r.options.ReadFile(path)
	if err != nil {
		return rawCredentials{}, fmt.Errorf("cannot read the web identity token: %w: mount it into the provider's pod, or correct credentials.webIdentity.tokenConfig.fs.path", err)
	}
	m.token = []byte(strings.TrimSpace(string(token)))
	if len(m.token) == 0 {
		return rawCredentials{}, fmt.Errorf("the web identity token in %s is empty", path)
	}
	return m, nil
}
