package devcluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// credentialsLife is the time for which a control plane's certificates are valid.
const credentialsLife = 365 * 24 * time.Hour

// credentials are the keys and certificates of one control plane, as PEM.
type credentials struct {
	ca                    []byte
	serverCert, serverKey []byte
	adminCert, adminKey   []byte
	serviceAccountKey     []byte
}

// newCredentials creates an authority and the certificates that it issues. They are valid from shortly before now.
func newCredentials(now time.Time) (*credentials, error) {
	ca, err := newAuthority(now)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate authority: %w", err)
	}

	c := &credentials{ca: certificatePEM(ca.cert.Raw)}
	c.serverCert, c.serverKey, err = ca.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: apiServer},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make the API server's certificate: %w", err)
	}

	c.adminCert, c.adminKey, err = ca.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make the administrator's certificate: %w", err)
	}

	_, c.serviceAccountKey, err = newKey()
	if err != nil {
		return nil, fmt.Errorf("cannot make the key that signs service account tokens: %w", err)
	}
	return c, nil
}

// An authority issues certificates.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(now time.Time) (*authority, error) {
	key, _, err := newKey()
	if err != nil {
		return nil, err
	}
	config := cert.Config{CommonName: "dev control plane", NotBefore: now.Add(-time.Hour)}
	c, err := cert.NewSelfSignedCACert(config, key)
	return &authority{key: key, cert: c}, err
}

// issue completes the template and returns a certificate for it and its key.
func (a *authority) issue(template *x509.Certificate) (certPEM, keyPEM []byte, err error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	template.NotBefore = a.cert.NotBefore
	template.NotAfter = a.cert.NotBefore.Add(credentialsLife)
	template.KeyUsage = x509.KeyUsageDigitalSignature

	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	return certificatePEM(der), keyPEM, nil
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	return key, text, err
}

func certificatePEM(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}
