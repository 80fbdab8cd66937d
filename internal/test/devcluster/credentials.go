package devcluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// credentials are the keys of one control plane and the certificate of its API server, as PEM, and the token of its
// administrator.
type credentials struct {
	serverCert, serverKey []byte
	serviceAccountKey     []byte
	adminToken            string
}

func newCredentials() (*credentials, error) {
	c := &credentials{adminToken: rand.Text()}
	var err error
	c.serverCert, c.serverKey, err = cert.GenerateSelfSignedCertKey("127.0.0.1", nil,
		[]string{"localhost", "kubernetes.default.svc"})
	if err != nil {
		return nil, fmt.Errorf("cannot make the API server's certificate: %w", err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err == nil {
		c.serviceAccountKey, err = keyutil.MarshalPrivateKeyToPEM(key)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make the key that signs service account tokens: %w", err)
	}
	return c, nil
}

// tokens returns the API server's file of tokens and their users.
func (c *credentials) tokens() []byte { return []byte(c.adminToken + `,admin,admin,"system:masters"`) }
