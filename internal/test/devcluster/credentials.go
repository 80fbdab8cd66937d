package devcluster

import (
	"crypto/rand"
	"fmt"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// credentials are those of one control plane, the keys and certificates as PEM.
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
