package runtimemanagementconfig

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// wanted is what the management of a runtime shall be.
type wanted struct {
	settings settings
	left     diff.Left
}

// desired merges forProvider and initProvider. What initProvider alone names belongs to
// others after creation.
func desired(mg *v1beta1.RuntimeManagementConfig) wanted {
	initial := settings{}
	if mg.Spec.InitProvider != nil {
		initial = *mg.Spec.InitProvider
	}
	s, left := diff.Merge(mg.Spec.ForProvider.RuntimeManagementConfigSettings, initial)
	return wanted{settings: fitting(s), left: left}
}

// compare what is wanted with what is there. It returns the state that AWS shall come
// to, and how that differs.
func compare(mg *v1beta1.RuntimeManagementConfig, a *answer) (settings, diff.Changes) {
	w, have := desired(mg), fromAWS(a)
	t := fitting(diff.Fill(w.settings, have, w.left))
	return t, diff.Compare(t, have)
}

// fitting leaves out the runtime where none is stayed on.
func fitting(s settings) settings {
	if ptr.Deref(s.UpdateRuntimeOn, "") != manual {
		s.RuntimeVersionArn = nil
	}
	return s
}
