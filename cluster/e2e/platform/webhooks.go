package platform

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/cluster/e2e/node"
	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
)

// webhooks are Crossplane's webhooks: the address that serves them, and the folder with the certificate for it.
type webhooks struct {
	address, port, folder string
	certificate           []byte
}

// prepareWebhooks chooses an address for Crossplane's webhooks, and writes a certificate for it. The certificate that
// Crossplane makes is for its Service, which nothing here serves.
func (p *Platform) prepareWebhooks() (w webhooks, err error) {
	if w.address, err = process.FreeAddress(); err != nil {
		return w, err
	}
	if _, w.port, err = net.SplitHostPort(w.address); err != nil {
		return w, err
	}
	s := httptest.NewTLSServer(http.NotFoundHandler()) // It has a certificate for loopback addresses.
	defer s.Close()
	pair := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		return w, fmt.Errorf("cannot write the key of Crossplane's webhooks: %w", err)
	}
	w.folder = p.folder.File("webhooks")
	w.certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})
	return w, node.WriteFiles(w.folder, map[string][]byte{
		"tls.crt": w.certificate,
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	})
}

// registerWebhooks has the API server ask Crossplane before it deletes what a Usage protects, as the initialisation of
// Crossplane does with its Service.
func (p *Platform) registerWebhooks(ctx context.Context, w webhooks) error {
	return create(ctx, p.Kube, &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "crossplane-no-usages"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "nousages.protection.crossplane.io",
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionv1.SideEffectClassNone),
			FailurePolicy:           ptr.To(admissionv1.Fail),
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
				"crossplane.io/in-use": "true",
			}},
			ClientConfig: admissionv1.WebhookClientConfig{
				URL:      ptr.To("https://" + w.address + "/validate-no-usages"),
				CABundle: w.certificate,
			},
			Rules: []admissionv1.RuleWithOperations{{
				Operations: []admissionv1.OperationType{admissionv1.Delete},
				Rule: admissionv1.Rule{
					APIGroups: []string{"*"}, APIVersions: []string{"*"},
					Resources: []string{"*"},
				},
			}},
		}},
	})
}
