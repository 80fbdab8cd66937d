package config

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
)

// Secrets reads Secrets. It is asked at each reconcile: it should be cheap, and
// see a change soon.
type Secrets interface {
	// Secret is the data of a Secret.
	Secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error)
}

// A SecretsFunc is a function that reads Secrets.
type SecretsFunc func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error)

// Secret calls the function.
func (fn SecretsFunc) Secret(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
	return fn(ctx, name)
}

// LiveSecrets reads a Secret anew each time it is asked.
func LiveSecrets(r client.Reader) Secrets {
	return SecretsFunc(func(ctx context.Context, name types.NamespacedName) (map[string][]byte, error) {
		s := &corev1.Secret{}
		if err := r.Get(ctx, name, s); err != nil {
			return nil, err
		}
		return s.Data, nil
	})
}

// entries are keys under which a Secret may have an INI file, if none is named.
var entries = []string{"credentials", "creds"}

// secretKeys reads the keys in a Secret.
func (r *Resolver) secretKeys(ctx context.Context, k secretKey, profile string) (aws.Credentials, error) {
	data, err := r.secret(ctx, k)
	if err != nil {
		return aws.Credentials{}, err
	}
	if k.key == "" {
		return separateKeys(data, k, profile)
	}
	ini, ok := data[k.key]
	if !ok {
		return aws.Credentials{}, missingKey(data, k)
	}
	c, err := parseINI(ini, profile)
	if err != nil {
		return aws.Credentials{}, fmt.Errorf("in key %q of Secret %s, %w", k.key, k.NamespacedName, err)
	}
	return c, nil
}

// separateKeys are in entries of their own. A Secret without such entries may
// have an INI file under a usual name.
func separateKeys(data map[string][]byte, k secretKey, profile string) (aws.Credentials, error) {
	values := map[string]string{}
	for key, v := range data {
		values[strings.ToLower(key)] = strings.TrimSpace(string(v))
	}
	c, err := keysOf(values)
	if err == nil {
		return c, nil
	}
	for _, key := range entries {
		if ini, ok := data[key]; ok {
			c, err := parseINI(ini, profile)
			if err != nil {
				return aws.Credentials{}, fmt.Errorf("in key %q of Secret %s, %w", key, k.NamespacedName, err)
			}
			return c, nil
		}
	}
	return aws.Credentials{}, fmt.Errorf("Secret %s %w: add it, or name in secretRef.key the key that holds an INI file (it has %s)",
		k.NamespacedName, err, keysIn(data))
}

// secretToken reads a web identity token.
func (r *Resolver) secretToken(ctx context.Context, k secretKey) ([]byte, error) {
	data, err := r.secret(ctx, k)
	if err != nil {
		return nil, err
	}
	token := strings.TrimSpace(string(data[k.key]))
	if token == "" {
		return nil, missingKey(data, k)
	}
	return []byte(token), nil
}

func (r *Resolver) secret(ctx context.Context, k secretKey) (map[string][]byte, error) {
	data, err := r.secrets.Secret(ctx, k.NamespacedName)
	switch {
	case kerrors.IsNotFound(err):
		return nil, missing(fmt.Errorf("Secret %s does not exist: create it, or correct secretRef", k.NamespacedName))
	case kerrors.IsForbidden(err):
		return nil, fmt.Errorf("cannot read Secret %s: grant the provider's ServiceAccount get on secrets", k.NamespacedName)
	case err != nil:
		return nil, fmt.Errorf("cannot read Secret %s: %w", k.NamespacedName, err)
	default:
		return data, nil
	}
}

func missingKey(data map[string][]byte, k secretKey) error {
	return fmt.Errorf("Secret %s has no value at key %q (it has %s): add it, or correct secretRef.key",
		k.NamespacedName, k.key, keysIn(data))
}

// keysIn a Secret, whose names are no secret.
func keysIn(data map[string][]byte) string { return namesIn(data, "no keys") }

// A missingError says that a config or its Secret does not exist.
type missingError struct{ error }

// Unwrap returns the reason.
func (e *missingError) Unwrap() error { return e.error }

func missing(err error) error { return &missingError{err} }

// waysOut adds to the error of a resource that is being deleted what can still be done where
// its namespace is, too: nothing can be created there, but what is there can be changed.
func waysOut(mg resource.ModernManaged, err error) error {
	if _, ok := errors.AsType[*missingError](err); !meta.WasDeleted(mg) || !ok && !IsRefused(err) {
		return err
	}
	return fmt.Errorf("%w. The namespace is being deleted, so nothing can be created in it: set spec.providerConfigRef to a working config, "+
		"or spec.managementPolicies to [Observe] to leave the resource in AWS", err)
}
