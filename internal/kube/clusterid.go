package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// TrustConfigMap is a ConfigMap that every API server keeps in kube-system, and that Crossplane lets its providers
// read.
const TrustConfigMap = "extension-apiserver-authentication"

// ClusterID returns the UID of TrustConfigMap, which is unique to the cluster. It must not change when rights are
// granted later, or the provider would take its own functions for another cluster's: the namespace kube-system, which
// Crossplane does not let its providers read, is read only if the ConfigMap may not be read.
func ClusterID(ctx context.Context, live client.Reader) (string, error) {
	cm := &corev1.ConfigMap{}
	err := live.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: TrustConfigMap}, cm)
	if err == nil {
		return string(cm.GetUID()), nil
	}
	if !kerrors.IsForbidden(err) && !kerrors.IsNotFound(err) {
		return "", errors.Wrapf(err,
			"cannot read the ConfigMap %s in kube-system, whose UID marks what this cluster owns", TrustConfigMap)
	}
	ns := &corev1.Namespace{}
	if err := live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, ns); err != nil {
		return "", errors.Wrapf(err, "cannot read the ConfigMap %s in kube-system, or that namespace, whose UID "+
			"marks what this cluster owns: allow reading one of them, or set --cluster-id", TrustConfigMap)
	}
	return string(ns.GetUID()), nil
}
