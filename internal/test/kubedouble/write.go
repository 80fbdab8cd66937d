package kubedouble

import (
	"fmt"
	"net/http"
	"strconv"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"
)

func (s *Server) create(t *table, namespace string, body []byte) (*stored, error) {
	u := &unstructured.Unstructured{}
	if err := parse(body, &u.Object); err != nil {
		return nil, err
	}
	if t.resource.namespaced {
		u.SetNamespace(namespace)
	}
	s.serial++
	if u.GetName() == "" {
		u.SetName(fmt.Sprintf("%s%05d", u.GetGenerateName(), s.serial))
	}
	name := types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
	if t.objects[name] != nil {
		return nil, kerrors.NewAlreadyExists(t.resource.GroupResource(), u.GetName())
	}
	if err := s.admitNamespace(t, u); err != nil {
		return nil, err
	}
	u.SetUID(types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", s.serial)))
	u.SetCreationTimestamp(metav1.NewTime(s.now()))
	u.SetDeletionTimestamp(nil)
	u.SetGeneration(1)
	u.SetGroupVersionKind(t.resource.gvk())
	if t.resource.status {
		delete(u.Object, "status")
	}
	t.resource.complete(u.Object)
	return s.put(t, watch.Added, u), nil
}

// admitNamespace rejects an object in a namespace that does not exist or is being deleted.
func (s *Server) admitNamespace(t *table, u *unstructured.Unstructured) error {
	if !t.resource.namespaced {
		return nil
	}
	ns := s.namespace(u.GetNamespace())
	if ns == nil {
		return kerrors.NewNotFound(s.namespaces().resource.GroupResource(), u.GetNamespace())
	}
	if ns.GetDeletionTimestamp() != nil {
		err := kerrors.NewForbidden(t.resource.GroupResource(), u.GetName(),
			fmt.Errorf("namespace %s is being terminated", ns.GetName()))
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: "NamespaceTerminating"}}
		return err
	}
	return nil
}

// update replaces an object, or its status, by a complete new one.
func (s *Server) update(t *table, old *stored, sub string, object map[string]any) (*stored, error) {
	u := &unstructured.Unstructured{Object: object}
	if v := u.GetResourceVersion(); v != "" && v != strconv.FormatInt(old.version, 10) {
		return nil, kerrors.NewConflict(t.resource.GroupResource(), old.GetName(),
			fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
	}
	if id := u.GetUID(); id != "" && id != old.GetUID() {
		return nil, kerrors.NewConflict(t.resource.GroupResource(), old.GetName(),
			fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: %s", id, old.GetUID()))
	}
	now := merged(t.resource, old, u, sub)
	if sub == "status" && s.StatusWritten != nil {
		s.StatusWritten(now.DeepCopy())
	}
	return s.replace(t, old, now)
}

// merged returns the result of an update: what the client may set, and the rest unchanged.
func merged(r *resource, old *stored, u *unstructured.Unstructured, sub string) *unstructured.Unstructured {
	if sub == "status" {
		out := old.DeepCopy()
		if st, ok := u.Object["status"]; ok {
			out.Object["status"] = st
		} else {
			delete(out.Object, "status")
		}
		r.complete(out.Object)
		return out
	}
	u.SetName(old.GetName())
	u.SetNamespace(old.GetNamespace())
	u.SetUID(old.GetUID())
	u.SetCreationTimestamp(old.GetCreationTimestamp())
	u.SetDeletionTimestamp(old.GetDeletionTimestamp())
	u.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	u.SetGeneration(old.GetGeneration())
	u.SetGroupVersionKind(r.gvk())
	if r.status {
		delete(u.Object, "status")
		if st, ok := old.Object["status"]; ok {
			u.Object["status"] = st
		}
	}
	r.complete(u.Object)
	return u
}

// replace replaces an object by a new version of it, unless nothing changes.
func (s *Server) replace(t *table, old *stored, u *unstructured.Unstructured) (*stored, error) {
	u.SetResourceVersion(old.GetResourceVersion())
	if equality.Semantic.DeepEqual(u.Object, old.Object) {
		return old, nil
	}
	if desired(u, old) {
		u.SetGeneration(old.GetGeneration() + 1)
	}
	if u.GetDeletionTimestamp() != nil && len(u.GetFinalizers()) == 0 {
		return s.remove(t, &stored{Unstructured: u, version: old.version}), nil
	}
	return s.put(t, watch.Modified, u), nil
}

// desired reports whether an update changes the desired state: anything but metadata and status.
func desired(u *unstructured.Unstructured, old *stored) bool {
	strip := func(o map[string]any) map[string]any {
		out := map[string]any{}
		for k, v := range o {
			if k != "metadata" && k != "status" {
				out[k] = v
			}
		}
		return out
	}
	return !equality.Semantic.DeepEqual(strip(u.Object), strip(old.Object))
}

// patched returns an object with a patch applied.
func patched(old *stored, kind string, patch []byte) (map[string]any, error) {
	var b []byte
	var err error
	switch types.PatchType(kind) {
	case types.JSONPatchType:
		var p jsonpatch.Patch
		if p, err = jsonpatch.DecodePatch(patch); err == nil {
			b, err = p.Apply(old.json)
		}
	case types.MergePatchType, types.StrategicMergePatchType:
		b, err = jsonpatch.MergePatch(old.json, patch)
	default:
		return nil,
			&kerrors.StatusError{ErrStatus: metav1.Status{
				Status: metav1.StatusFailure,
				Code:   http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
				Message: "unsupported patch " + kind,
			}}
	}
	if err != nil {
		return nil, kerrors.NewBadRequest(err.Error())
	}
	var object map[string]any
	err = parse(b, &object)
	return object, err
}

// parse parses the body of a request.
func parse(body []byte, object *map[string]any) error {
	if err := json.Unmarshal(body, object); err != nil {
		return kerrors.NewBadRequest(err.Error())
	}
	return nil
}

// erase serves a client's deletion of an object.
func (s *Server) erase(t *table, old *stored, body []byte) (*stored, error) {
	o := metav1.DeleteOptions{}
	if len(body) > 0 && body[0] == '{' {
		if err := json.Unmarshal(body, &o); err != nil {
			return nil, kerrors.NewBadRequest(err.Error())
		}
	}
	if p := o.Preconditions; p != nil {
		if p.UID != nil && *p.UID != old.GetUID() || p.ResourceVersion != nil &&
			*p.ResourceVersion != old.GetResourceVersion() {
			return nil, kerrors.NewConflict(t.resource.GroupResource(), old.GetName(),
				fmt.Errorf("the preconditions of the deletion are not met"))
		}
	}
	return s.delete(t, old), nil
}

// delete deletes an object, or sets its deletion timestamp if it has finalizers.
func (s *Server) delete(t *table, old *stored) *stored {
	if old.GetDeletionTimestamp() != nil {
		return old
	}
	u := old.DeepCopy()
	if t != s.namespaces() && len(u.GetFinalizers()) == 0 {
		return s.remove(t, old)
	}
	at := metav1.NewTime(s.now())
	u.SetDeletionTimestamp(&at)
	u.SetDeletionGracePeriodSeconds(new(int64))
	u.SetGeneration(u.GetGeneration() + 1)
	gone := s.put(t, watch.Modified, u)
	if t == s.namespaces() {
		s.clear(u.GetName())
	}
	return gone
}

// clear deletes the objects of a namespace that is being deleted.
func (s *Server) clear(namespace string) {
	for _, t := range s.tables {
		if !t.resource.namespaced {
			continue
		}
		for _, o := range t.sorted(namespace) {
			s.delete(t, o)
		}
	}
	s.emptied(namespace)
}
