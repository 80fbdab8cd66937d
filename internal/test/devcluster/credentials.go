package devcluster

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/keyutil"
)

// credentialsLife is the time for which a control plane's certificate is valid.
const credentialsLife = 365 * 24 * time.Hour

// credentials are the credentials of one control plane. The API server's certificate is its own authority, and the
// administrator has a token. Certificate and keys are PEM.
type credentials struct {
	serverCert, serverKey []byte
	serviceAccountKey     []byte
	adminToken            string
}

// newCredentials creates credentials. The certificate is valid from shortly before now.
func newCredentials(now time.Time) (*credentials, error) {
	c := &credentials{adminToken: rand.Text()}
	var errs [3]error
	c.serviceAccountKey, errs[0] = keyutil.MakeEllipticPrivateKeyPEM()
	c.serverKey, errs[1] = keyutil.MakeEllipticPrivateKeyPEM()
	c.serverCert, errs[2] = selfSigned(c.serverKey, now)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("cannot make the API server's credentials: %w", err)
	}
	return c, nil
}

// selfSigned returns the API server's certificate for a key.
func selfSigned(keyPEM []byte, now time.Time) ([]byte, error) {
	parsed, err := keyutil.ParsePrivateKeyPEM(keyPEM)
	if err != nil {
		return nil, err
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the key is a %T", parsed)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: apiServer},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(credentialsLife),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), err
}
