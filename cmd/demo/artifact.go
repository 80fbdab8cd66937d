package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/test/cosign"
	"github.com/crossplane-contrib/provider-lambda/internal/test/manifests"
	"github.com/crossplane-contrib/provider-lambda/internal/test/registry"
)

const (
	// signedOf is the name of the Function whose code is in a registry, of its Alias, and of its repository.
	signedOf = "orders"

	// signedTag is the tag that CI moves to each new artifact.
	signedTag = "main"

	// signersOf is the ConfigMap with the public key of those who may sign.
	signersOf = "orders-signers"
)

// signed deploys artifacts of a registry on loopback. It shows that a signed one becomes a version that the alias
// invokes, and that one that nobody signed is refused.
func (e *env) signed(ctx context.Context) error {
	sectionf("Signed artifacts: the code of %s is an artifact in an OCI registry, which cosign has to have signed",
		signedOf)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("cannot make a key: %w", err)
	}
	e.registry = registry.Start()
	e.ends = append(e.ends, e.registry.Close)
	if _, err := e.build(ctx, 1, key); err != nil {
		return err
	}
	if err := e.createSigned(ctx, key); err != nil {
		return err
	}
	if err := e.served(ctx, 1); err != nil {
		return err
	}
	sectionf("CI pushes build 2, signs it, and moves the tag %s to it", signedTag)
	if _, err := e.build(ctx, 2, key); err != nil {
		return err
	}
	if err := e.served(ctx, 2); err != nil {
		return err
	}
	sectionf("Somebody else pushes build 3 to the tag %s", signedTag)
	digest, err := e.build(ctx, 3, nil)
	if err != nil {
		return err
	}
	if err := e.refused(ctx); err != nil {
		return err
	}
	sectionf("CI signs build 3")
	if err := e.sign(ctx, digest, key); err != nil {
		return err
	}
	return e.served(ctx, 3)
}

// build pushes a build, and signs it unless key is nil. It returns its digest.
func (e *env) build(ctx context.Context, n int, key *ecdsa.PrivateKey) (string, error) {
	code := fmt.Appendf(nil, "def handler(event, context):\n    return {\"build\": %d}\n", n)
	zip, err := archive.Zip(map[string][]byte{"index.py": code})
	if err != nil {
		return "", err
	}
	digest, err := e.registry.Push(ctx, signedOf, signedTag, registry.Manifest{
		Annotations: map[string]string{"org.opencontainers.image.revision": revisionOf(n)},
		Layers:      []registry.Layer{{MediaType: "application/zip", Content: zip}},
	})
	if err != nil || key == nil {
		return digest, err
	}
	return digest, e.sign(ctx, digest, key)
}

// revisionOf returns the commit of a build.
func revisionOf(n int) string { return fmt.Sprintf("main@sha1:%040x", n) }

func (e *env) sign(ctx context.Context, digest string, key *ecdsa.PrivateKey) error {
	s, err := cosign.Sign(key, digest)
	if err != nil {
		return err
	}
	return cosign.Attach(ctx, e.registry, signedOf, digest, s)
}

// createSigned creates a Function of the artifact, and an Alias that follows its versions.
func (e *env) createSigned(ctx context.Context, key *ecdsa.PrivateKey) error {
	public, err := cosign.PublicKey(key)
	if err != nil {
		return err
	}
	signers := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: signersOf, Namespace: namespace},
		Data:       map[string]string{"cosign.pub": string(public)},
	}
	if err := e.kube.Create(ctx, signers); err != nil {
		return fmt.Errorf("cannot create ConfigMap %s: %w", signersOf, err)
	}
	reference := e.registry.Host + "/" + signedOf + ":" + signedTag
	text := fmt.Sprintf(signedManifest, namespace, region, reference, signersOf, signedOf)
	fmt.Println("    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n")
	objects, err := manifests.Parse([]byte(text))
	if err != nil {
		return err
	}
	for _, u := range objects {
		if err := e.kube.Create(ctx, u); err != nil {
			return fmt.Errorf("cannot create %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return nil
}

const signedManifest = `
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Function
metadata:
  namespace: %[1]s
  name: %[5]s
spec:
  forProvider:
    region: %[2]s
    role: arn:aws:iam::123456789012:role/lambda-execution
    runtime: python3.13
    handler: index.handler
    publish: true
    code:
      oci:
        reference: %[3]s
        trackTag: true
        verify:
          cosign:
            keyRef:
              configMapKeyRef:
                name: %[4]s
                key: cosign.pub
---
apiVersion: lambda.aws.m.crossplane.io/v1beta1
kind: Alias
metadata:
  namespace: %[1]s
  name: %[5]s
spec:
  forProvider:
    region: %[2]s
    functionNameRef:
      name: %[5]s
`

// served waits until the alias invokes a build, and shows which commit it is and who has signed it.
func (e *env) served(ctx context.Context, n int) error {
	var d v1beta1.DeployedCode
	version := ""
	took, err := e.watch(ctx, readyWithin, fmt.Sprintf("the alias invokes build %d", n), func(all resources) bool {
		f, a := find[*v1beta1.Function](all, signedOf), find[*v1beta1.Alias](all, signedOf)
		if f == nil || a == nil || !ready(f) || !ready(a) || f.Status.AtProvider.DeployedCode == nil {
			return false
		}
		d, version = *f.Status.AtProvider.DeployedCode, ptr.Deref(a.Status.AtProvider.FunctionVersion, "")
		return d.Revision == revisionOf(n) && version == ptr.Deref(f.Status.AtProvider.LatestPublishedVersion, "")
	})
	if err != nil {
		return err
	}
	fmt.Printf("\nVersion %s receives all invocations after %s: commit %s, signed by %s.\n", version,
		took, d.Revision, d.Verified)
	return nil
}

// refused waits until the Function says that its artifact is not signed, and shows that AWS does not have it.
func (e *env) refused(ctx context.Context) error {
	updates, message := e.double.Count("UpdateFunctionCode"), ""
	took, err := e.watch(ctx, fixedWithin, "the artifact is rejected", func(all resources) bool {
		f := find[*v1beta1.Function](all, signedOf)
		if f == nil {
			return false
		}
		c := f.GetCondition("Synced")
		message = c.Message
		return c.Status == corev1.ConditionFalse && strings.Contains(message, "is not deployed")
	})
	if err != nil {
		return err
	}
	if n := e.double.Count("UpdateFunctionCode") - updates; n > 0 {
		return fmt.Errorf("AWS was sent code that nobody has signed, %d times", n)
	}
	fmt.Printf("\nRejected after %s, and AWS was not sent it:\n    %s\n", took, message)
	return nil
}
