package planserver

import (
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	_ "google.golang.org/protobuf/types/known/structpb"    // The protocol imports it.
	_ "google.golang.org/protobuf/types/known/timestamppb" // The protocol imports it.
)

// service is the name of the service.
const service = "upjet.diff.v1alpha1.PlanService"

// protocol is the draft of the protocol, as a descriptor in protobuf's text form. It follows the proposal "A plan service
// for upjet providers" of crossplane/upjet (pull request 694), package upjet.diff.v1alpha1, as of September 2026. Names
// and numbers are those of the proposal.
const protocol = `
name: "diff/v1alpha1/diff.proto" package: "upjet.diff.v1alpha1" syntax: "proto3"
dependency: "google/protobuf/struct.proto" dependency: "google/protobuf/timestamp.proto"
service { name: "PlanService" method { name: "Plan" input_type: ".upjet.diff.v1alpha1.PlanRequest" output_type: ".upjet.diff.v1alpha1.PlanResponse" } }
message_type { name: "PlanRequest"
  field { name: "desired_resource" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Struct" }
  field { name: "actual_resource" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Struct" }
  field { name: "kubernetes_object_store" number: 3 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".google.protobuf.Struct" }
}
message_type { name: "PlanResponse"
  field { name: "action" number: 1 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".upjet.diff.v1alpha1.Action" }
  field { name: "changes" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".upjet.diff.v1alpha1.FieldChange" }
  field { name: "error" number: 6 label: LABEL_OPTIONAL type: TYPE_STRING }
  field { name: "computed_at" number: 7 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Timestamp" }
}
message_type { name: "FieldChange"
  field { name: "field" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING }
  field { name: "actual" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".upjet.diff.v1alpha1.FieldValue" }
  field { name: "planned" number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".upjet.diff.v1alpha1.FieldValue" }
  field { name: "requires_replace" number: 4 label: LABEL_OPTIONAL type: TYPE_BOOL }
  field { name: "origin" number: 5 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".upjet.diff.v1alpha1.Origin" }
}
message_type { name: "FieldValue" oneof_decl { name: "kind" }
  field { name: "value" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".google.protobuf.Value" oneof_index: 0 }
  field { name: "absence" number: 2 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".upjet.diff.v1alpha1.Absence" oneof_index: 0 }
}
enum_type { name: "Action"
  value { name: "ACTION_UNSPECIFIED" number: 0 } value { name: "ACTION_NO_OP" number: 1 } value { name: "ACTION_CREATE" number: 2 }
  value { name: "ACTION_UPDATE" number: 3 } value { name: "ACTION_REPLACE" number: 4 }
}
enum_type { name: "Origin"
  value { name: "ORIGIN_UNSPECIFIED" number: 0 } value { name: "ORIGIN_DESIRED_STATE" number: 1 } value { name: "ORIGIN_PROVIDER" number: 2 }
}
enum_type { name: "Absence"
  value { name: "ABSENCE_UNSPECIFIED" number: 0 } value { name: "ABSENCE_UNKNOWN" number: 1 } value { name: "ABSENCE_SENSITIVE" number: 2 }
  value { name: "ABSENCE_UNRESOLVED" number: 3 }
}
`

// descriptors returns the protocol's descriptors.
func descriptors() (protoreflect.FileDescriptor, error) {
	f := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(protocol), f); err != nil {
		return nil, err
	}
	return protodesc.NewFile(f, protoregistry.GlobalFiles)
}
