package oci

import (
	"context"

	"k8s.io/utils/lru"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
)

const (
	// maxTokens is the number of tokens that are kept. One that is not kept is issued again for each request.
	maxTokens = 1000

	// maxToken is the length up to which a token is kept, with its scope, in bytes. Those of known registries have less
	// than 4 KB.
	maxToken = 16 << 10
)

// A tokenKey identifies what a registry issues a token for.
type tokenKey struct {
	host, repository string
	credential       auth.Credential
}

// A token with the scope that it is for, which the registry may make up.
type token struct {
	scheme      auth.Scheme
	scope, text string
}

// tokens are an auth.Cache of one key, which keeps one token. The library's own keep one for each scope, without bound.
type tokens struct {
	all *lru.Cache
	of  tokenKey
}

func (t tokens) last() (token, error) {
	if v, ok := t.all.Get(t.of); ok {
		return v.(token), nil //nolint:forcetypeassert // Only Set adds one.
	}
	return token{}, errdef.ErrNotFound
}

// GetScheme returns the scheme of the token.
func (t tokens) GetScheme(context.Context, string) (auth.Scheme, error) {
	last, err := t.last()
	return last.scheme, err
}

// GetToken returns the token if it is for a scope.
func (t tokens) GetToken(_ context.Context, _ string, scheme auth.Scheme, scope string) (string, error) {
	last, err := t.last()
	if err == nil && (last.scheme != scheme || last.scope != scope) {
		err = errdef.ErrNotFound
	}
	return last.text, err
}

// Set keeps a token that is fetched.
func (t tokens) Set(ctx context.Context, _ string, scheme auth.Scheme, scope string,
	fetch func(context.Context) (string, error),
) (string, error) {
	text, err := fetch(ctx)
	if err == nil && len(scope)+len(text) <= maxToken {
		t.all.Add(t.of, token{scheme: scheme, scope: scope, text: text})
	}
	return text, err
}
