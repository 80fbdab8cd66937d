package devcluster

import (
	"crypto/rand"
	"fmt"
	"net"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// credentials are the keys of one control plane, as PEM, and the token of its administrator.
type credentials struct {
	// serverCert includes the authority that has issued it, which issues nothing else.
	serverCert, serverKey []byte
	serviceAccountKey     []byte
	token                 string
}

// newCredentials creates credentials that are valid for a year.
func newCredentials() (c credentials, err error) {
	c.serverCert, c.serverKey, err = cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)},
		[]string{"kubernetes.default.svc"})
	if err != nil {
		return c, fmt.Errorf("cannot make the API server's certificate: %w", err)
	}
	if c.serviceAccountKey, err = keyutil.MakeEllipticPrivateKeyPEM(); err != nil {
		return c, fmt.Errorf("cannot make the key that signs service account tokens: %w", err)
	}
	c.token = rand.Text()
	return c, nil
}

// tokens returns the file that tells the API server who has which token.
func (c credentials) tokens() []byte {
	return []byte(c.token + `,admin,admin,"system:masters"` + "\n")
}
