// Package identity lets a process act as a ServiceAccount, with only the rights of that ServiceAccount.
package identity

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/test/devcluster"
)

// lifetime of tokens. Programs here run for less time, so that no token is renewed.
const lifetime = 30 * 24 * time.Hour

// Token requests a token of a ServiceAccount from the API server. Without audiences it is for the API server itself.
func Token(ctx context.Context, admin *rest.Config, namespace, name string, audiences ...string) (string, error) {
	k, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return "", fmt.Errorf("cannot make a client: %w", err)
	}
	r := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		Audiences:         audiences,
		ExpirationSeconds: ptr.To(int64(lifetime.Seconds())),
	}}
	r, err = k.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, r, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("cannot get a token of ServiceAccount %s/%s: %w", namespace, name, err)
	}
	return r.Status.Token, nil
}

// Config returns a client configuration of a ServiceAccount.
func Config(ctx context.Context, admin *rest.Config, namespace, name string) (*rest.Config, error) {
	token, err := Token(ctx, admin, namespace, name)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: admin.Host, BearerToken: token,
		TLSClientConfig: rest.TLSClientConfig{CAData: admin.CAData},
	}, nil
}

// Kubeconfig returns the same as Config, as the content of a kubeconfig.
func Kubeconfig(ctx context.Context, admin *rest.Config, namespace, name string) ([]byte, error) {
	c, err := Config(ctx, admin, namespace, name)
	if err != nil {
		return nil, err
	}
	return devcluster.Kubeconfig(c, namespace)
}
