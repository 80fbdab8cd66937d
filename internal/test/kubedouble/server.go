package kubedouble

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
)

// A Server is an API server. Use New to create one. It is safe for concurrent use.
type Server struct {
	now func() time.Time

	// StatusWritten is called with each object after a write of its status. It may be nil.
	StatusWritten func(u *unstructured.Unstructured)

	mu      sync.Mutex
	tables  map[schema.GroupVersionResource]*table
	version int64
	serial  int
}

// New returns a server of the types of Kubernetes that the provider uses, and of those that the
// CustomResourceDefinitions in a folder define. It has the namespaces default and kube-system.
func New(crds string, now func() time.Time) (*Server, error) {
	custom, err := definitions(crds)
	if err != nil {
		return nil, err
	}
	s := &Server{now: now, tables: map[schema.GroupVersionResource]*table{}}
	for _, r := range append(builtin(), custom...) {
		s.tables[r.GroupVersionResource] = &table{
			resource: r, objects: map[types.NamespacedName]*stored{},
			watchers: map[*watcher]bool{},
		}
	}
	for _, ns := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if _, err := s.create(s.namespaces(), "", []byte(`{"metadata":{"name":"`+ns+`"}}`)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Objects returns all objects of all types.
func (s *Server) Objects() []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*unstructured.Unstructured
	for _, t := range s.tables {
		for _, o := range t.sorted("") {
			out = append(out, o.DeepCopy())
		}
	}
	return out
}

// Object returns the object of a type, namespace and name, nil if there is none.
func (s *Server) Object(gvk schema.GroupVersionKind, name types.NamespacedName) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		if o := t.objects[name]; o != nil && t.resource.gvk() == gvk {
			return o.DeepCopy()
		}
	}
	return nil
}

// Restore stores an object as it is, with its UID and its status, as from a backup of etcd.
func (s *Server) Restore(u *unstructured.Unstructured) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		if t.resource.gvk() == u.GroupVersionKind() {
			s.put(t, watch.Added, u)
			return nil
		}
	}
	return kerrors.NewNotFound(schema.GroupResource{}, u.GetKind())
}

// target is the object or the collection of a request.
type target struct {
	*table
	namespace, name, sub string
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if err := s.serve(rw, r); err != nil {
		var st kerrors.APIStatus
		if !errors.As(err, &st) {
			st = kerrors.NewInternalError(err)
		}
		status := st.Status()
		status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		reply(rw, int(status.Code), status)
	}
}

func (s *Server) serve(rw http.ResponseWriter, r *http.Request) error {
	if done := s.discover(rw, r); done {
		return nil
	}
	if strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
		reply(rw, http.StatusCreated, authorizationv1.SelfSubjectAccessReview{
			TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectAccessReview"},
			Status:   authorizationv1.SubjectAccessReviewStatus{Allowed: true},
		})
		return nil
	}
	t, ok := s.target(r.URL.Path)
	if !ok {
		return kerrors.NewNotFound(schema.GroupResource{}, r.URL.Path)
	}
	if t.name == "" && r.Method == http.MethodGet {
		return s.collection(rw, r, t)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	s.mu.Lock()
	o, code, err := s.one(r, t, body)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	send(rw, code, render(o, metadataOnly(r)))
	return nil
}

// one serves a request for one object.
func (s *Server) one(r *http.Request, t target, body []byte) (*stored, int, error) {
	if r.Method == http.MethodPost {
		o, err := s.create(t.table, t.namespace, body)
		return o, http.StatusCreated, err
	}
	old := t.objects[types.NamespacedName{Namespace: t.namespace, Name: t.name}]
	if old == nil {
		return nil, 0, kerrors.NewNotFound(t.resource.GroupResource(), t.name)
	}
	var err error
	switch r.Method {
	case http.MethodGet:
	case http.MethodPut, http.MethodPatch:
		var object map[string]any
		if r.Method == http.MethodPut {
			err = parse(body, &object)
		} else {
			object, err = patched(old, r.Header.Get("Content-Type"), body)
		}
		if err == nil {
			old, err = s.update(t.table, old, t.sub, object)
		}
	case http.MethodDelete:
		old, err = s.erase(t.table, old, body)
	default:
		err = kerrors.NewMethodNotSupported(t.resource.GroupResource(), r.Method)
	}
	return old, http.StatusOK, err
}

// collection lists or watches the objects of a type.
func (s *Server) collection(rw http.ResponseWriter, r *http.Request, t target) error {
	sel, err := selectionOf(r, t.namespace)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1" {
		return s.watch(rw, r, t.table, sel)
	}
	partial := metadataOnly(r)
	s.mu.Lock()
	items := []json.RawMessage{}
	for _, o := range t.sorted(t.namespace) {
		if sel.has(o) {
			items = append(items, render(o, partial))
		}
	}
	version := s.version
	s.mu.Unlock()
	gvk := t.resource.gvk()
	if partial {
		gvk = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	}
	reply(rw, http.StatusOK, map[string]any{
		"apiVersion": gvk.GroupVersion().String(),
		"kind":       gvk.Kind + "List",
		"metadata":   map[string]any{"resourceVersion": strconv.FormatInt(version, 10)},
		"items":      items,
	})
	return nil
}

// target returns the target of a path. It returns false if the path has none.
func (s *Server) target(path string) (target, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	gv := schema.GroupVersion{}
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		gv.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		gv.Group, gv.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return target{}, false
	}
	t := target{}
	if parts[0] == "namespaces" && len(parts) >= 3 && parts[2] != "status" && parts[2] != "finalize" {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.table = s.tables[gv.WithResource(parts[0])]
	if len(parts) > 1 {
		t.name = parts[1]
	}
	if len(parts) > 2 {
		t.sub = parts[2]
	}
	return t, t.table != nil
}

func reply(rw http.ResponseWriter, code int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // All that is sent can be marshalled.
	}
	send(rw, code, b)
}

func send(rw http.ResponseWriter, code int, b []byte) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(code)
	_, _ = rw.Write(b) //nolint:gosec // It is not read by a browser.
}

// Config returns the configuration of clients, which reach the server without a network.
func (s *Server) Config() *rest.Config {
	return &rest.Config{
		Host:          "http://kubernetes",
		Transport:     s,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	}
}

// RoundTrip sends a request to the server.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	if q := r.URL.Query(); q.Get("watch") != "" {
		return s.open(r), nil
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec.Result(), nil
}

func (s *Server) open(r *http.Request) *http.Response {
	pr, pw := io.Pipe()
	w := &streamed{header: http.Header{}, started: make(chan struct{}), body: pw}
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.ServeHTTP(w, r)
		_ = pw.Close()
	}()
	<-w.started
	if w.code == http.StatusOK {
		go func() { // The watch ends with its client's context.
			select {
			case <-r.Context().Done():
				_ = pw.Close()
			case <-served:
			}
		}()
	}
	return &http.Response{
		StatusCode: w.code, Status: http.StatusText(w.code), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: w.header, Body: body{pr}, Request: r,
	}
}

// body is the body of a watch. After its reader has closed it, it returns io.EOF, which client-go does not treat as an
// error: for another error, its watch would block while reporting it.
type body struct{ *io.PipeReader }

// Read reads what was sent.
func (b body) Read(p []byte) (int, error) {
	n, err := b.PipeReader.Read(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = io.EOF
	}
	return n, err
}

// streamed is a response that is read while it is written.
type streamed struct {
	header  http.Header
	code    int
	started chan struct{}
	body    *io.PipeWriter
}

// Header returns the header of the response.
func (s *streamed) Header() http.Header { return s.header }

// WriteHeader begins the response.
func (s *streamed) WriteHeader(code int) {
	s.code = code
	close(s.started)
}

// Write writes a part of the response.
func (s *streamed) Write(b []byte) (int, error) { return s.body.Write(bytes.Clone(b)) }
