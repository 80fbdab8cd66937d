package manager

import (
	"context"
	"fmt"
	"regexp"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

// trustConfigMap is a ConfigMap that every API server keeps in kube-system, and that Crossplane
// lets its providers read.
const trustConfigMap = "extension-apiserver-authentication"

// legalID is what AWS takes as the value of a tag.
var legalID = regexp.MustCompile(`^[A-Za-z0-9 _.:/=+\-@]{1,256}$`)

// clusterID is the given one, or the UID of the namespace kube-system, which no two
// clusters share. A provider that Crossplane has installed may not read namespaces
// unless someone grants it: the UID of a ConfigMap in kube-system then does as well.
func clusterID(ctx context.Context, live client.Reader, given string, log logr.Logger) (string, error) {
	if given != "" {
		if !legalID.MatchString(given) {
			return "", fmt.Errorf("--cluster-id %q cannot be the value of an AWS tag: use letters, digits, spaces and _.:/=+-@, at most 256", given)
		}
		return given, nil
	}
	ns := &corev1.Namespace{}
	err := live.Get(ctx, client.ObjectKey{Name: "kube-system"}, ns)
	if err == nil {
		return string(ns.GetUID()), nil
	}
	if !kerrors.IsForbidden(err) {
		return "", errors.Wrap(err, "cannot read the namespace kube-system, whose UID marks what this cluster owns")
	}
	cm := &corev1.ConfigMap{}
	if err := live.Get(ctx, client.ObjectKey{Namespace: "kube-system", Name: trustConfigMap}, cm); err != nil {
		return "", errors.Wrap(err, "cannot read the namespace kube-system, nor the ConfigMap extension-apiserver-authentication in it, by whose UID this cluster marks what it owns: grant one of them, or set --cluster-id")
	}
	log.Info("This cluster is known by the UID of the ConfigMap extension-apiserver-authentication in kube-system, since the provider may not read the namespace; set --cluster-id to choose what it is known by", "cluster-id", cm.GetUID())
	return string(cm.GetUID()), nil
}
