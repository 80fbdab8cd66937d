package runtimemanagementconfig

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/controller/functionconfig"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
)

// answer is the AWS value.
type answer = lambda.GetRuntimeManagementConfigOutput

// The modes that need special treatment.
const (
	auto   = string(types.UpdateRuntimeOnAuto)
	manual = string(types.UpdateRuntimeOnManual)
)

// settings are the same type for desired and observed state.
type settings = v1beta1.RuntimeManagementConfigSettings

// fromAWS returns the AWS value in comparable form.
func fromAWS(a *answer) settings {
	s := settings{RuntimeVersionArn: a.RuntimeVersionArn}
	if a.UpdateRuntimeOn != "" {
		s.UpdateRuntimeOn = ptr.To(string(a.UpdateRuntimeOn))
	}
	return s
}

// isDefault reports whether AWS has the default, as for every function that nobody has configured.
func isDefault(a *answer) bool { return string(a.UpdateRuntimeOn) == auto }

func putInput(s settings, n functionname.Name) *lambda.PutRuntimeManagementConfigInput {
	s = fitting(s)
	return &lambda.PutRuntimeManagementConfigInput{
		FunctionName: &n.Function, Qualifier: &n.Qualifier,
		UpdateRuntimeOn:   types.UpdateRuntimeOn(ptr.Deref(s.UpdateRuntimeOn, "")),
		RuntimeVersionArn: s.RuntimeVersionArn,
	}
}

// observation returns what status shows of a configuration.
func observation(a *answer, n functionname.Name) v1beta1.RuntimeManagementConfigObservation {
	s := fromAWS(a)
	return v1beta1.RuntimeManagementConfigObservation{
		FunctionName: &n.Function, Qualifier: functionconfig.StatusQualifier(n), FunctionArn: a.FunctionArn,
		UpdateRuntimeOn: s.UpdateRuntimeOn, RuntimeVersionArn: s.RuntimeVersionArn,
	}
}

// fitting omits the runtime unless the mode is Manual: AWS accepts it with no other mode.
func fitting(s settings) settings {
	if ptr.Deref(s.UpdateRuntimeOn, "") != manual {
		s.RuntimeVersionArn = nil
	}
	return s
}
