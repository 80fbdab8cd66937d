package explore

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-contrib/provider-lambda/internal/test/samples"
)

var (
	key = types.NamespacedName{Namespace: "shop", Name: "cart"}
	gr  = schema.GroupResource{Group: samples.GVK.Group, Resource: "samples"}

	errAPIServer = kerrors.NewInternalError(errors.New("etcdserver: leader changed"))
	errAPILost   = errors.Wrap(errReset, "Patch")
)

// A version is an object in the API server at a resourceVersion. The object itself carries
// none, so that equal objects of several versions are equal values. It is nil if there is
// none.
type version struct {
	object *resource
	rv     int8
}

// copy returns a copy of the object.
func (v version) copy() *resource {
	mg := v.object.DeepCopyObject().(*resource) //nolint:forcetypeassert // A copy has the type of its original.
	mg.SetResourceVersion(strconv.Itoa(int(v.rv)))
	return mg
}

// store is the storage of the API server.
type store struct {
	version

	// last is the highest resourceVersion that was given.
	last int8
}

// put stores an object as the next version. It removes one that is being deleted and has
// no finalizer.
func (s *store) put(mg *resource) {
	s.last++
	s.version = version{object: mg, rv: s.last}
	if mg.GetDeletionTimestamp() != nil && len(mg.GetFinalizers()) == 0 {
		s.version = version{}
	}
}

// kubeClient is the Kubernetes API of one process. Its reads are served from the cache of
// the process.
type kubeClient struct {
	client.Client // Nil: the reconciler calls nothing else.

	env    *env
	leader int
	scheme *runtime.Scheme
}

func (c *kubeClient) Scheme() *runtime.Scheme { return c.scheme }

// Get reads from the cache, which neither fails nor takes time.
func (c *kubeClient) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	return deliver(c.env.cache[c.leader], obj)
}

func deliver(v version, to client.Object) error {
	if v.object == nil {
		return kerrors.NewNotFound(gr, key.Name)
	}
	mg := v.copy()
	switch to := to.(type) {
	case *resource:
		*to = *mg
	case *metav1.PartialObjectMetadata:
		to.ObjectMeta = mg.ObjectMeta
	}
	return nil
}

// Patch patches metadata by a merge patch.
func (c *kubeClient) Patch(_ context.Context, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
	body, err := patch.Data(obj)
	if err != nil {
		return err
	}
	c.env.searchSecrets("a patch", string(body))
	var p struct{ Metadata metadataPatch }
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	return c.env.call(c.leader, call{op: "patch " + p.Metadata.String(), of: callKubeWrite}, func(bool) error {
		mg, err := p.Metadata.apply(c.env.store.version)
		if err != nil {
			return err
		}
		if mg != nil {
			c.env.store.put(mg)
		}
		if c.env.store.object == nil {
			obj.(*metav1.PartialObjectMetadata).ObjectMeta = mg.ObjectMeta //nolint:forcetypeassert // Nothing else is patched.
			obj.SetResourceVersion(strconv.Itoa(int(c.env.store.last)))
			return nil
		}
		return deliver(c.env.store.version, obj)
	})
}

// metadataPatch is the part of a merge patch that the reconciler sends.
type metadataPatch struct {
	UID             types.UID
	ResourceVersion string
	Annotations     map[string]*string
	Finalizers      *[]string
}

func (p metadataPatch) String() string {
	var parts []string
	if p.Finalizers != nil {
		parts = append(parts, "finalizers")
	}
	for k := range p.Annotations {
		parts = append(parts, k[strings.LastIndexByte(k, '/')+1:])
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// apply returns the patched object, nil if nothing changes.
func (p metadataPatch) apply(to version) (*resource, error) {
	switch {
	case to.object == nil:
		return nil, kerrors.NewNotFound(gr, key.Name)
	case p.UID != "" && p.UID != to.object.UID, p.ResourceVersion != "" &&
		p.ResourceVersion != strconv.Itoa(int(to.rv)):
		return nil, kerrors.NewConflict(gr, key.Name, errors.New("the object has been modified"))
	}
	mg, changed := to.copy(), false
	mg.SetResourceVersion("")
	for k, v := range p.Annotations {
		old, ok := mg.Annotations[k]
		switch {
		case v == nil && ok:
			delete(mg.Annotations, k)
			changed = true
		case v != nil && (!ok || old != *v):
			metav1.SetMetaDataAnnotation(&mg.ObjectMeta, k, *v)
			changed = true
		}
	}
	if p.Finalizers != nil && !slices.Equal(*p.Finalizers, mg.Finalizers) {
		mg.Finalizers, changed = *p.Finalizers, true
	}
	if !changed {
		return nil, nil //nolint:nilnil // As documented.
	}
	return mg, nil
}

// Status returns the client of the status.
func (c *kubeClient) Status() client.SubResourceWriter { return &statusClient{kube: c} }

type statusClient struct {
	client.SubResourceWriter // Nil, as above.

	kube *kubeClient
}

// Update updates only the status.
func (c *statusClient) Update(_ context.Context, obj client.Object, _ ...client.SubResourceUpdateOption) error {
	e, sent := c.kube.env, obj.(*resource) //nolint:forcetypeassert // Nothing else is written.
	e.searchSecretsOf(sent)
	return e.call(c.kube.leader, call{op: "update status", of: callKubeWrite}, func(bool) error {
		switch to := e.store.version; {
		case to.object == nil, sent.UID != to.object.UID && sent.UID != "":
			return kerrors.NewNotFound(gr, key.Name)
		case sent.ResourceVersion != strconv.Itoa(int(to.rv)):
			return kerrors.NewConflict(gr, key.Name, errors.New("the object has been modified"))
		}
		mg := e.store.copy()
		mg.SetResourceVersion("")
		mg.Status = sent.DeepCopyObject().( //nolint:forcetypeassert // A copy has the type of its original.
		*resource).Status
		e.store.put(mg)
		return deliver(e.store.version, obj)
	})
}

// liveReader reads from the API server.
type liveReader struct {
	client.Reader // Nil, as above.

	kube *kubeClient
}

// Get reads the current object.
func (r *liveReader) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	e := r.kube.env
	return e.call(r.kube.leader, call{op: "get live", of: callKubeRead},
		func(bool) error { return deliver(e.store.version, obj) })
}
