package devcluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// credentials has the keys and certificates of one control plane as PEM, and its token.
type credentials struct {
	// serverCert is the API server's certificate, and that of its authority.
	serverCert, serverKey []byte
	serviceAccountKey     []byte
	// adminToken authenticates the administrator.
	adminToken string
}

// newCredentials creates credentials, which are valid for a year.
func newCredentials() (*credentials, error) {
	c := &credentials{adminToken: rand.Text()}
	var err error
	c.serverCert, c.serverKey, err = cert.GenerateSelfSignedCertKey("127.0.0.1", nil,
		[]string{"localhost", "kubernetes.default.svc"})
	if err != nil {
		return nil, fmt.Errorf("cannot make the API server's certificate: %w", err)
	}
	if c.serviceAccountKey, err = keyutil.MakeEllipticPrivateKeyPEM(); err != nil {
		return nil, fmt.Errorf("cannot make the key that signs service account tokens: %w", err)
	}
	return c, nil
}

// contextName names the cluster, the user and the context in the kubeconfig.
const contextName = "provider-lambda-dev"

// WriteKubeconfig writes an administrator's kubeconfig to a file that only this user may read, in an existing folder.
// It replaces an existing file atomically, so that no reader sees part of it.
func (c *Cluster) WriteKubeconfig(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".kubeconfig-*") // Mode 0600.
	if err != nil {
		return fmt.Errorf("cannot write the kubeconfig: %w", err)
	}
	_, err = f.Write(c.Kubeconfig)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("cannot write the kubeconfig: %w", err)
	}
	return nil
}

// restConfig returns the administrator's client configuration for the API server at an address.
func restConfig(address string, creds *credentials) *rest.Config {
	return &rest.Config{
		Host:            "https://" + address,
		TLSClientConfig: rest.TLSClientConfig{CAData: creds.serverCert},
		BearerToken:     creds.adminToken,
		QPS:             -1, // No limit.
	}
}

// Kubeconfig returns the kubeconfig that corresponds to a client configuration, with a default namespace.
func Kubeconfig(c *rest.Config, namespace string) ([]byte, error) {
	k := clientcmdapi.NewConfig()
	k.Clusters[contextName] = &clientcmdapi.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData}
	k.AuthInfos[contextName] = &clientcmdapi.AuthInfo{Token: c.BearerToken}
	k.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName, Namespace: namespace}
	k.CurrentContext = contextName

	text, err := clientcmd.Write(*k)
	if err != nil {
		return nil, fmt.Errorf("cannot make the kubeconfig: %w", err)
	}
	return text, nil
}
