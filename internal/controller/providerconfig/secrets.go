package providerconfig

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/config"
)

const (
	// SecretFinalizer keeps the Secret of a namespaced config that is being
	// deleted together with it, until no resource needs it: where a namespace is
	// deleted as a whole, or all of an application at once.
	SecretFinalizer = "lambda.aws.m.crossplane.io/credentials-in-use"

	// secretGrace is how long the deletion of a Secret waits for that of its
	// config. One that is deleted alone, to be made anew, is let go then.
	secretGrace = 5 * time.Second
)

// secretMetadata is an empty Secret, by which the metadata of Secrets is read and
// watched.
func secretMetadata() *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return m
}

// protectSecrets of a namespace: those that its configs have their credentials in
// have a finalizer, others have none. A config that goes needs none. It returns
// when to look again, 0 if there is no need to.
func (r *Reconciler) protectSecrets(ctx context.Context, c providerConfig, goes bool) (time.Duration, error) {
	if c.GetNamespace() == "" {
		return 0, nil
	}
	needed, err := r.neededSecrets(ctx, c, goes)
	if err != nil {
		return 0, err
	}
	l := &metav1.PartialObjectMetadataList{}
	l.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := r.kube.List(ctx, l, client.InNamespace(c.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return 0, errors.Wrap(err, "cannot list the Secrets of the namespace")
	}
	after := time.Duration(0)
	for i := range l.Items {
		s := &l.Items[i]
		n := needed[s.GetName()]
		wait, err := r.protect(ctx, s, n)
		if err != nil {
			return 0, err
		}
		after = soonest(after, wait)
	}
	return after, nil
}

// A need of a Secret by configs.
type need struct {
	// by a config at all.
	any bool
	// by one that is being deleted, and so may be gone with the Secret.
	going bool
}

// neededSecrets of a namespace, by name.
func (r *Reconciler) neededSecrets(ctx context.Context, c providerConfig, goes bool) (map[string]need, error) {
	l := &v1beta1.ProviderConfigList{}
	if err := r.kube.List(ctx, l, client.InNamespace(c.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil, errors.Wrap(err, "cannot list the configs of the namespace")
	}
	needed := map[string]need{}
	for i := range l.Items {
		other := &l.Items[i]
		name, ok := config.SecretOf(other)
		if !ok || goes && other.GetUID() == c.GetUID() {
			continue
		}
		n := needed[name.Name]
		needed[name.Name] = need{any: true, going: n.going || meta.WasDeleted(other)}
	}
	return needed, nil
}

// protect a Secret that is needed, and let go of one that is not.
func (r *Reconciler) protect(ctx context.Context, s *metav1.PartialObjectMetadata, n need) (time.Duration, error) {
	has, gone := controllerutil.ContainsFinalizer(s, SecretFinalizer), meta.WasDeleted(s)
	wait := time.Duration(0)
	want := n.any && !gone
	if gone && n.any {
		// Its config may be about to be deleted as well.
		wait = max(0, secretGrace-r.now().Sub(s.GetDeletionTimestamp().Time))
		want = has && (n.going || wait > 0)
	}
	if want == has {
		if !has {
			wait = 0
		}
		return wait, nil
	}
	s = s.DeepCopy()
	s.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	before := s.DeepCopy()
	if want {
		controllerutil.AddFinalizer(s, SecretFinalizer)
	} else {
		controllerutil.RemoveFinalizer(s, SecretFinalizer)
	}
	return 0, errors.Wrapf(client.IgnoreNotFound(r.kube.Patch(ctx, s, patchFrom(before))), "cannot keep Secret %s from being deleted before its time", s.GetName())
}
