package devcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

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
		Host: "https://" + address,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   creds.ca,
			CertData: creds.adminCert,
			KeyData:  creds.adminKey,
		},
		QPS: -1, // No limit.
	}
}

// Kubeconfig returns the kubeconfig that corresponds to a client configuration, with a default namespace.
func Kubeconfig(c *rest.Config, namespace string) ([]byte, error) {
	k := clientcmdapi.NewConfig()
	k.Clusters[contextName] = &clientcmdapi.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData}
	k.AuthInfos[contextName] = &clientcmdapi.AuthInfo{
		ClientCertificateData: c.CertData, ClientKeyData: c.KeyData, Token: c.BearerToken,
	}
	k.Contexts[contextName] = &clientcmdapi.Context{Cluster: contextName, AuthInfo: contextName, Namespace: namespace}
	k.CurrentContext = contextName

	text, err := clientcmd.Write(*k)
	if err != nil {
		return nil, fmt.Errorf("cannot make the kubeconfig: %w", err)
	}
	return text, nil
}
