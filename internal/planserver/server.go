// Package planserver serves plans to clients such as "crossplane resource simulate", by gRPC. It keeps no state, needs no
// credentials, and sends nothing to anyone but its clients: a request has all that a plan is made of. Without a
// connection to AWS, the plan assumes that AWS has what the actual resource asks for.
//
// The protocol is a draft: see protocol.go.
package planserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/plan"
	"github.com/crossplane-contrib/provider-lambda/internal/reconciler"
)

// maxRequest is the size of a request: an object of Kubernetes has at most 1.5 MB.
const maxRequest = 16 << 20

// server implements the service.
type server struct {
	scheme *runtime.Scheme
	now    func() time.Time
	file   protoreflect.FileDescriptor
}

// Serve serves plans on a listener until ctx is done. The scheme has the provider's kinds, Secrets and ConfigMaps.
func Serve(ctx context.Context, l net.Listener, scheme *runtime.Scheme, now func() time.Time) error {
	s := &server{scheme: scheme, now: now}
	var err error
	if s.file, err = descriptors(); err != nil {
		return fmt.Errorf("cannot build the protocol: %w", err)
	}
	files := &protoregistry.Files{}
	if err := files.RegisterFile(s.file); err != nil {
		return err
	}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(maxRequest))
	g.RegisterService(&grpc.ServiceDesc{
		ServiceName: service, HandlerType: (*any)(nil), Metadata: s.file.Path(),
		Methods: []grpc.MethodDesc{{MethodName: "Plan", Handler: s.handle}},
	}, s)
	reflectionpb.RegisterServerReflectionServer(g, reflection.NewServerV1(reflection.ServerOptions{Services: g, DescriptorResolver: resolver{files}}))
	stop := context.AfterFunc(ctx, g.Stop)
	defer stop()
	return g.Serve(l)
}

// resolver finds the protocol's descriptors, and those that it imports.
type resolver struct{ files *protoregistry.Files }

// FindFileByPath returns a file.
func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if f, err := r.files.FindFileByPath(path); err == nil {
		return f, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

// FindDescriptorByName returns a descriptor.
func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := r.files.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// handle decodes a request and answers it.
func (s *server) handle(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) { //nolint:revive // gRPC gives the order.
	in := dynamicpb.NewMessage(s.message("PlanRequest"))
	if err := decode(in); err != nil {
		return nil, err
	}
	return s.plan(ctx, in)
}

func (s *server) message(name protoreflect.Name) protoreflect.MessageDescriptor {
	return s.file.Messages().ByName(name)
}

// plan answers a request.
func (s *server) plan(ctx context.Context, in *dynamicpb.Message) (proto.Message, error) {
	desired, err := s.managed(in, "desired_resource")
	if err != nil {
		return nil, err
	}
	if desired == nil {
		return nil, status.Error(codes.InvalidArgument, "the request has no desired_resource")
	}
	actual, err := s.managed(in, "actual_resource")
	if err != nil {
		return nil, err
	}
	gvk := desired.GetObjectKind().GroupVersionKind()
	if actual != nil && actual.GetObjectKind().GroupVersionKind() != gvk {
		return nil, status.Error(codes.InvalidArgument, "desired_resource and actual_resource are of different kinds or versions")
	}
	p := plan.New(plan.Options{Scheme: s.scheme, Now: s.now})
	store := in.Get(in.Descriptor().Fields().ByName("kubernetes_object_store")).List()
	for i := range store.Len() {
		obj, err := s.object(store.Get(i).Message().Interface())
		if err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "cannot read kubernetes_object_store[%d]: %v", i, err)
		}
		p.Add(obj)
	}
	plan.SetDefaults(desired)
	if actual != nil {
		plan.SetDefaults(actual)
	}
	out := p.Plan(ctx, desired, actual)
	if out.Action == plan.Reject || out.Action == plan.Wait {
		return nil, notComputed(gvk, out.Message)
	}
	return s.response(out, desired), nil
}

// notComputed returns the error of a plan that cannot be made, or that the provider would reject. Clients then show the
// difference of the manifests.
func notComputed(gvk schema.GroupVersionKind, why string) error {
	st := status.New(codes.FailedPrecondition, why)
	if d, err := st.WithDetails(&errdetails.PreconditionFailure{Violations: []*errdetails.PreconditionFailure_Violation{
		{Type: "DIFF_COMPUTATION_NOT_SUPPORTED", Subject: gvk.String(), Description: why},
	}}); err == nil {
		st = d
	}
	return st.Err()
}

// managed returns a resource of a request, nil if it is not set.
func (s *server) managed(in *dynamicpb.Message, field protoreflect.Name) (reconciler.Managed, error) {
	f := in.Descriptor().Fields().ByName(field)
	if !in.Has(f) {
		return nil, nil
	}
	obj, err := s.object(in.Get(f).Message().Interface())
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "cannot read %s: %v", field, err)
	}
	mg, ok := obj.(reconciler.Managed)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "%s is no managed resource of this provider", obj.GetObjectKind().GroupVersionKind())
	}
	return mg, nil
}

// object returns an object as its own type, if the scheme has it.
func (s *server) object(m proto.Message) (client.Object, error) {
	b, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	st := &structpb.Struct{}
	if err := proto.Unmarshal(b, st); err != nil {
		return nil, err
	}
	if b, err = json.Marshal(st.AsMap()); err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(b); err != nil { // Numbers become integers if they are.
		return nil, err
	}
	return plan.Typed(s.scheme, u)
}

// actions maps actions to those of the protocol.
var actions = map[plan.Action]protoreflect.Name{
	plan.None: "ACTION_NO_OP", plan.Orphan: "ACTION_NO_OP", plan.Create: "ACTION_CREATE", plan.Adopt: "ACTION_UPDATE", plan.Update: "ACTION_UPDATE", plan.Replace: "ACTION_REPLACE",
}

// response returns the response with a plan.
func (s *server) response(p plan.Plan, desired reconciler.Managed) proto.Message {
	out := dynamicpb.NewMessage(s.message("PlanResponse"))
	set := func(m *dynamicpb.Message, field protoreflect.Name, v protoreflect.Value) {
		m.Set(m.Descriptor().Fields().ByName(field), v)
	}
	set(out, "action", s.enum("Action", actions[p.Action]))
	set(out, "computed_at", protoreflect.ValueOfMessage(timestamppb.New(s.now()).ProtoReflect()))
	named := fields(desired)
	changes := out.Mutable(out.Descriptor().Fields().ByName("changes")).List()
	for _, c := range p.Changes {
		m := dynamicpb.NewMessage(s.message("FieldChange"))
		set(m, "field", protoreflect.ValueOfString("spec.forProvider."+c.Path))
		for side, text := range map[protoreflect.Name]string{"actual": c.Before, "planned": c.After} {
			if text != "" {
				set(m, side, protoreflect.ValueOfMessage(s.value(text)))
			}
		}
		set(m, "requires_replace", protoreflect.ValueOfBool(p.Action == plan.Replace))
		origin := protoreflect.Name("ORIGIN_PROVIDER")
		if field, _, _ := strings.Cut(strings.ReplaceAll(c.Path, "[", "."), "."); named[field] {
			origin = "ORIGIN_DESIRED_STATE"
		}
		set(m, "origin", s.enum("Origin", origin))
		changes.Append(protoreflect.ValueOfMessage(m))
	}
	return out
}

// value returns the value of a field. A text that is not JSON is a text.
func (s *server) value(text string) protoreflect.Message {
	m := dynamicpb.NewMessage(s.message("FieldValue"))
	absence, value := m.Descriptor().Fields().ByName("absence"), m.Descriptor().Fields().ByName("value")
	switch {
	case strings.Contains(text, diff.Redacted):
		m.Set(absence, s.enum("Absence", "ABSENCE_SENSITIVE"))
		return m
	case strings.Contains(text, plan.Unknown):
		m.Set(absence, s.enum("Absence", "ABSENCE_UNKNOWN"))
		return m
	}
	v := structpb.NewStringValue(text)
	parsed := &structpb.Value{}
	if parsed.UnmarshalJSON([]byte(text)) == nil {
		v = parsed
	}
	m.Set(value, protoreflect.ValueOfMessage(v.ProtoReflect()))
	return m
}

func (s *server) enum(name, value protoreflect.Name) protoreflect.Value {
	return protoreflect.ValueOfEnum(s.file.Enums().ByName(name).Values().ByName(value).Number())
}

// fields returns the fields of spec.forProvider that a resource sets, with those that are set by a reference.
func fields(mg reconciler.Managed) map[string]bool {
	out := map[string]bool{}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(mg)
	if err != nil {
		return out
	}
	spec, _, _ := unstructured.NestedMap(m, "spec", "forProvider")
	for name := range spec {
		out[name] = true
		for _, suffix := range []string{"Ref", "Refs", "Selector", "From"} {
			if field, ok := strings.CutSuffix(name, suffix); ok {
				out[field] = true
			}
		}
	}
	return out
}
