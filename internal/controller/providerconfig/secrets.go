package providerconfig

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/session"
)

const (
	// SecretFinalizer keeps the Secret of a namespaced config until no resource needs it: in a
	// namespace that is being deleted, nobody can create it again.
	SecretFinalizer = "lambda.aws.m.crossplane.io/credentials-in-use"

	// secretGrace is the time for which the deletion of a Secret that no resource can use waits for that of its config.
	// A Secret that is deleted alone, to be created anew, is released after that.
	secretGrace = 5 * time.Second
)

// secretMetadata returns an empty Secret, to read and watch the metadata of Secrets.
func secretMetadata() *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	return m
}

// protectSecrets adds the finalizer to the Secrets of a namespace that have the credentials of its
// configs, and removes it from the others. deleting is true if c is about to be deleted, and needs
// none. It returns when to check again, 0 if that is not necessary.
func (r *Reconciler) protectSecrets(
	ctx context.Context, c providerConfig, u usages, deleting bool,
) (time.Duration, error) {
	if c.GetNamespace() == "" {
		return 0, nil
	}
	needed, err := r.neededSecrets(ctx, c, u, deleting)
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
		after = earlier(after, wait)
	}
	return after, nil
}

// A need describes the configs that need a Secret.
type need struct {
	// any is true if a config does.
	any bool
	// going is true if a config does that is being deleted, and may be deleted together with the Secret.
	going bool
	// used is true if a config does that works, and that resources use.
	used bool
}

// secretInUse is the message of the event on a Secret that is being deleted.
const secretInUse = "resources still use the credentials in this Secret through a ProviderConfig of the namespace: " +
	"it is kept until they are deleted or use another config; to rotate the credentials, change the Secret instead " +
	"of deleting it"

// emitSecretInUse emits an event on a Secret that is being deleted and kept, once.
func (r *Reconciler) emitSecretInUse(s *metav1.PartialObjectMetadata, kept bool) {
	if !kept {
		r.notifiedSecrets.Delete(s.GetUID())
		return
	}
	if _, emitted := r.notifiedSecrets.LoadOrStore(s.GetUID(), true); emitted {
		return
	}
	s = s.DeepCopy()
	s.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	r.record.Event(s, event.Warning(v1beta1.EventDeletionBlocked, errors.New(secretInUse)))
}

// neededSecrets returns the needs for the Secrets of a namespace, by name.
func (r *Reconciler) neededSecrets(
	ctx context.Context, c providerConfig, u usages, deleting bool,
) (map[string]need, error) {
	l := &v1beta1.ProviderConfigList{}
	if err := r.kube.List(ctx, l, client.InNamespace(c.GetNamespace()), client.UnsafeDisableDeepCopy); err != nil {
		return nil, errors.Wrap(err, "cannot list the configs of the namespace")
	}
	needed := map[string]need{}
	for i := range l.Items {
		other := &l.Items[i]
		name, ok := session.SecretOf(other)
		if !ok || deleting && other.GetUID() == c.GetUID() {
			continue
		}
		users := other.GetUsers()
		if other.GetUID() == c.GetUID() {
			users = u.count
		}
		n, works := needed[name.Name], other.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
		needed[name.Name] = need{
			any: true, going: n.going || meta.WasDeleted(other),
			used: n.used || works && users > 0,
		}
	}
	return needed, nil
}

// protect adds the finalizer to a Secret that is needed, or removes it. It returns when to check
// again, 0 if that is not necessary.
func (r *Reconciler) protect(ctx context.Context, s *metav1.PartialObjectMetadata, n need) (time.Duration, error) {
	has, gone := controllerutil.ContainsFinalizer(s, SecretFinalizer), meta.WasDeleted(s)
	wait := time.Duration(0)
	want := n.any && !gone
	if gone && n.any {
		// Its config may be about to be deleted too.
		wait = max(0, secretGrace-r.now().Sub(s.GetDeletionTimestamp().Time))
		want = has && (n.going || n.used || wait > 0)
	}
	r.emitSecretInUse(s, gone && want && n.used)
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
	return 0, errors.Wrapf(client.IgnoreNotFound(r.kube.Patch(ctx, s, patchFrom(before))),
		"cannot update the finalizer that protects Secret %s from deletion", s.GetName())
}
