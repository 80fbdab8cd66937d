package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/kube/refs"
)

// LiveSecrets returns Secrets that are read from the API server each time.
func LiveSecrets(r client.Reader) Secrets {
	return func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
		s := &corev1.Secret{}
		if err := r.Get(ctx, name, s); err != nil {
			return nil, err
		}
		return s.Data, nil
	}
}

// placeholder keys sign calls to endpoints that check no signature.
var placeholder = aws.Credentials{AccessKeyID: "NONE", SecretAccessKey: "none"}

// rawCredentials reads the raw credentials of a config. It returns an error that names what is missing, and
// where to set it.
func (r *Resolver) rawCredentials(ctx context.Context, s settings) (m rawCredentials, err error) {
	c := s.credentials
	switch c.Source {
	case v1beta1.CredentialsSourceNone:
		if s.Endpoint == nil {
			return rawCredentials{}, fmt.Errorf(
				"credentials.source None requires endpoint, because AWS does not accept placeholder keys")
		}
		return rawCredentials{keys: placeholder}, nil
	case v1beta1.CredentialsSourceSecret:
		if c.SecretRef == nil {
			return rawCredentials{}, fmt.Errorf("credentials.source Secret requires credentials.secretRef")
		}
		m.keys, err = r.secretKeys(ctx, c.SecretRef, aws.ToString(c.Profile))
	case v1beta1.CredentialsSourceEnvironment:
		m.keys, err = r.environmentKeys(c)
	case v1beta1.CredentialsSourceFilesystem:
		m.keys, err = r.fileKeys(c)
	case v1beta1.CredentialsSourceWebIdentity:
		return r.webIdentity(ctx, s)
	case v1beta1.CredentialsSourceIRSA, v1beta1.CredentialsSourcePodIdentity:
		return rawCredentials{}, nil
	default:
		return rawCredentials{}, fmt.Errorf("credentials.source %q is not known", c.Source)
	}
	return m, err
}

func (r *Resolver) environmentKeys(in v1beta1.ClusterProviderCredentials) (aws.Credentials, error) {
	if in.Env != nil {
		ini, ok := r.options.LookupEnv(in.Env.Name)
		if !ok {
			return aws.Credentials{}, lacksVariable(in.Env.Name, "correct credentials.env")
		}
		c, err := parseINI([]byte(ini), aws.ToString(in.Profile))
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("in environment variable %q, %w", in.Env.Name, err)
		}
		return c, nil
	}
	values := map[string]string{}
	for _, key := range []string{keyAccessKeyID, keySecretAccessKey, keySessionToken} {
		name := strings.ToUpper(key)
		if values[key], _ = r.options.LookupEnv(name); values[key] == "" && key != keySessionToken {
			return aws.Credentials{}, lacksVariable(name, "choose another credentials.source")
		}
	}
	return keysOf(values)
}

// lacksVariable returns the error about a variable that the provider's environment lacks.
func lacksVariable(name, otherwise string) error {
	return fmt.Errorf("the provider has no environment variable %s: set it in the provider's "+
		"DeploymentRuntimeConfig, or %s", name, otherwise)
}

func (r *Resolver) fileKeys(in v1beta1.ClusterProviderCredentials) (aws.Credentials, error) {
	if in.Fs == nil {
		return aws.Credentials{}, fmt.Errorf("credentials.source Filesystem requires credentials.fs.path")
	}
	ini, err := r.options.ReadFile(in.Fs.Path)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf(
			"cannot read credentials: %w: mount the file into the provider's pod, or correct credentials.fs.path", err)
	}
	c, err := parseINI(ini, aws.ToString(in.Profile))
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("in file %s, %w", in.Fs.Path, err)
	}
	return c, nil
}

// webIdentity reads a token, and returns it with the role to assume with it.
func (r *Resolver) webIdentity(ctx context.Context, s settings) (rawCredentials, error) {
	web := s.webIdentity()
	m := rawCredentials{roleARN: aws.ToString(web.RoleARN)}
	if m.roleARN == "" {
		m.roleARN, _ = r.options.LookupEnv("AWS_ROLE_ARN")
	}
	if m.roleARN == "" {
		return rawCredentials{}, fmt.Errorf(
			"no role to assume with the web identity token: set credentials.webIdentity.roleARN")
	}
	if ref := s.tokenSecret(); ref != nil {
		token, err := r.secretToken(ctx, ref)
		m.token = token
		return m, err
	}
	var path string
	if t := web.TokenConfig; t != nil && t.Source == v1beta1.CredentialsSourceFilesystem && t.Fs != nil {
		path = t.Fs.Path
	}
	if path == "" {
		path, _ = r.options.LookupEnv("AWS_WEB_IDENTITY_TOKEN_FILE")
	}
	if path == "" {
		return rawCredentials{}, fmt.Errorf("no web identity token: set credentials.webIdentity.tokenConfig, or give " +
			"the provider's pod one (AWS_WEB_IDENTITY_TOKEN_FILE)")
	}
	token, err := r.options.ReadFile(path)
	if err != nil {
		return rawCredentials{}, fmt.Errorf("cannot read the web identity token: %w: mount it into the provider's "+
			"pod, or correct credentials.webIdentity.tokenConfig.fs.path", err)
	}
	if m.token = strings.TrimSpace(string(token)); m.token == "" {
		return rawCredentials{}, fmt.Errorf("the web identity token in %s is empty", path)
	}
	return m, nil
}

// usualKeys are the keys under which a Secret may have an INI file if secretRef names no key.
var usualKeys = []string{"credentials", "creds"}

// secretKeys reads keys from a Secret: from the INI file at a key if the reference names one, and
// otherwise from entries of their own or from an INI file under a usual name.
func (r *Resolver) secretKeys(ctx context.Context, ref *v1beta1.CredentialsSecretSelector,
	profile string,
) (aws.Credentials, error) {
	data, err := r.secret(ctx, ref)
	if err != nil {
		return aws.Credentials{}, err
	}
	names := usualKeys
	var absent error
	if ref.Key != "" {
		names, absent = []string{ref.Key}, missingKey(data, ref)
	} else {
		values := map[string]string{}
		for _, key := range slices.Sorted(maps.Keys(data)) { // Of two spellings, the one in lower case is the last.
			values[strings.ToLower(key)] = strings.TrimSpace(string(data[key]))
		}
		c, err := keysOf(values)
		if err == nil {
			return c, nil
		}
		absent = fmt.Errorf("Secret %s/%s %w: add it, or name in secretRef.key "+ //nolint:staticcheck // Secret is a kind.
			"the key that holds an INI file (it "+
			"has %s)",
			ref.Namespace, ref.Name, err, cmp.Or(refs.Keys(data), "no keys"))
	}
	for _, key := range names {
		ini, ok := data[key]
		if !ok {
			continue
		}
		c, err := parseINI(ini, profile)
		if err != nil {
			return aws.Credentials{}, fmt.Errorf("in key %q of Secret %s/%s, %w", key, ref.Namespace, ref.Name, err)
		}
		return c, nil
	}
	return aws.Credentials{}, absent
}

func (r *Resolver) secretToken(ctx context.Context, ref *v1beta1.CredentialsSecretSelector) (string, error) {
	data, err := r.secret(ctx, ref)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data[ref.Key]))
	if token == "" {
		return "", missingKey(data, ref)
	}
	return token, nil
}

// secret reads the data of a Secret. It returns a missingError if there is none.
func (r *Resolver) secret(ctx context.Context, ref *v1beta1.CredentialsSecretSelector) (map[string][]byte, error) {
	name := types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}
	data, err := r.secrets(ctx, name)
	switch {
	case kerrors.IsNotFound(err):
		err := fmt.Errorf("Secret %s does not exist: create it, or correct secretRef", name) //nolint:staticcheck // Secret is a kind.
		return nil, &missingError{err}
	case kerrors.IsForbidden(err):
		return nil, fmt.Errorf("cannot read Secret %s: grant the provider's ServiceAccount get on secrets", name)
	case err != nil:
		return nil, fmt.Errorf("cannot read Secret %s: %w", name, err)
	default:
		return data, nil
	}
}

// missingKey returns the error of a Secret that lacks the key that secretRef names. It lists the keys
// that the Secret has, which are not confidential.
func missingKey(data map[string][]byte, ref *v1beta1.CredentialsSecretSelector) error {
	return fmt.Errorf("Secret %s/%s has no value at key %q (it has %s): "+ //nolint:staticcheck // Secret is a kind.
		"add it, or correct secretRef.key",
		ref.Namespace, ref.Name, ref.Key, cmp.Or(refs.Keys(data), "no keys"))
}

const defaultProfile = "default"

// Names of the three parts of access keys, in an INI file and as entries of a Secret.
const (
	keyAccessKeyID     = "aws_access_key_id"
	keySecretAccessKey = "aws_secret_access_key"
	keySessionToken    = "aws_session_token"
)

// parseINI returns the access keys of a profile in a file such as ~/.aws/credentials. Errors name
// lines and keys, never values.
func parseINI(data []byte, profile string) (aws.Credentials, error) {
	profile = cmp.Or(profile, defaultProfile)
	sections, err := parseSections(string(data))
	if err != nil {
		return aws.Credentials{}, err
	}
	section, ok := sections[profile]
	if !ok {
		// Only what is a profile is named: a Secret with something else must not be quoted.
		maps.DeleteFunc(sections, func(_ string, s map[string]string) bool { return s[keyAccessKeyID] == "" })
		return aws.Credentials{}, fmt.Errorf("profile %q does not exist (the file has %s): set credentials.profile "+
			"to one that exists", profile, cmp.Or(refs.Keys(sections), "no profiles"))
	}
	c, err := keysOf(section)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("profile %q %w", profile, err)
	}
	return c, nil
}

// parseSections returns the sections of an INI file. Keys are in lower case. A section may have the
// word profile before its name, as in ~/.aws/config.
func parseSections(data string) (map[string]map[string]string, error) {
	sections, section := map[string]map[string]string{}, ""
	for i, line := range strings.Split(data, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, ok = strings.CutSuffix(name, "]")
			if !ok {
				return nil, fmt.Errorf("line %d opens a section without closing it: write [default]", i+1)
			}
			section = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "profile "))
			if sections[section] == nil {
				sections[section] = map[string]string{}
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		switch {
		case !ok:
			return nil, fmt.Errorf("line %d is neither a [section] nor key = value", i+1)
		case section == "":
			return nil, fmt.Errorf("line %d is outside any section: start with [default]", i+1)
		}
		sections[section][strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
	}
	return sections, nil
}

// keysOf returns the access keys that are values of a section of an INI file, or of a Secret. It
// returns an error that begins with a verb and names the key that is missing.
func keysOf(values map[string]string) (aws.Credentials, error) {
	c := aws.Credentials{
		AccessKeyID:     values[keyAccessKeyID],
		SecretAccessKey: values[keySecretAccessKey],
		SessionToken:    values[keySessionToken],
	}
	switch {
	case c.AccessKeyID == "":
		return aws.Credentials{}, fmt.Errorf("has no %s", keyAccessKeyID)
	case c.SecretAccessKey == "":
		return aws.Credentials{}, fmt.Errorf("has no %s", keySecretAccessKey)
	default:
		return c, nil
	}
}
