package manager

import (
	"context"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// trustConfigMap is a ConfigMap that every API server keeps in kube-system, and that Crossplane lets its providers
// read.
const trustConfigMap = "extension-apiserver-authentication"

// legalID matches what AWS accepts as the value of a tag.
var legalID = regexp.MustCompile(`^[A-Za-z0-9 _.:/=+\-@]{1,256}$`)

// clusterID returns the given ID, or the UID of the ConfigMap, which is unique to the cluster. It must not change
// when rights are granted later, or the provider would take its own functions for another cluster's: the namespace
// kube-system, which Crossplane does not let its providers read, is read only if the ConfigMap may not be read.
func clusterID(ctx context.Context, live client.Reader, given string) (string, error) {
	if given != "" {
		if !legalID.MatchString(given) {
			return "", fmt.Errorf("--cluster-id %q cannot be the value of an AWS tag: use letters, digits, spaces and _.:/=+-@, at most 256", given)
		}
		return given, nil
	}
	cm := &corev1.ConfigMap{}
	err := live.Get(ctx, client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: trustConfigMap}, cm)
	if err == nil {
		return string(cm.GetUID()), nil
	}
	if !kerrors.IsForbidden(err) && !kerrors.IsNotFound(err) {
		return "", errors.Wrapf(err, "cannot read the ConfigMap %s in kube-system, whose UID marks what this cluster owns", trustConfigMap)
	}
	ns := &corev1.Namespace{}
	if err := live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, ns); err != nil {
		return "", errors.Wrapf(err, "cannot read the ConfigMap %s in kube-system, or that namespace, whose UID marks what this cluster owns: allow reading one of them, or set --cluster-id", trustConfigMap)
	}
	return string(ns.GetUID()), nil
}
