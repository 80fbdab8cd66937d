package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// authorities is an environment variable with a file of certificates. A process that TestTrustedRoots starts prints
// which of them it trusts. A process reads its roots only once.
const authorities = "TEST_AUTHORITIES"

// TestTrustedRoots runs without certificates on disk, as in the image.
func TestTrustedRoots(t *testing.T) {
	if file := os.Getenv(authorities); file != "" {
		printTrusted(t, file)
		return
	}
	own, amazon := ownAuthority(t), amazonAuthority(t)
	both := writePEM(t, "both.pem", own, amazon)

	cases := map[string]struct {
		reason string
		file   string
		want   string
	}{
		"None": {
			reason: "Without certificates in the file system, the provider trusts those that it was built with.",
			file:   "/nonexistent",
			want:   "trusted: Amazon Root CA 1\n",
		},
		"Own": {
			reason: "Certificates that SSL_CERT_FILE names take their place.",
			file:   writePEM(t, "own.pem", own),
			want:   "trusted: own\n",
		},
		"Both": {
			reason: "A file that holds both has both trusted.",
			file:   both,
			want:   "trusted: own\ntrusted: Amazon Root CA 1\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTrustedRoots$", "-test.v")
			cmd.Env = []string{authorities + "=" + both, "SSL_CERT_FILE=" + tc.file, "SSL_CERT_DIR=/nonexistent"}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := strings.Builder{}
			for line := range strings.Lines(string(out)) {
				if strings.HasPrefix(line, "trusted: ") {
					got.WriteString(line)
				}
			}
			if diff := cmp.Diff(tc.want, got.String()); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// printTrusted prints which of a file's certificates this process trusts.
func printTrusted(t *testing.T, file string) {
	t.Helper()
	rest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Verify(x509.VerifyOptions{}); err == nil {
			fmt.Println("trusted: " + c.Subject.CommonName)
		}
	}
}

// amazonAuthority returns the root certificate of AWS's endpoints.
func amazonAuthority(t *testing.T) []byte {
	t.Helper()
	for root := range bundle.Roots() {
		c, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		if c.Subject.CommonName == "Amazon Root CA 1" {
			return root.Certificate
		}
	}
	t.Fatal("the bundle has no Amazon Root CA 1")
	return nil
}

// ownAuthority returns a company's own root certificate.
func ownAuthority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "own"},
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func writePEM(t *testing.T, name string, certificates ...[]byte) string {
	t.Helper()
	var b []byte
	for _, der := range certificates {
		b = append(b, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
