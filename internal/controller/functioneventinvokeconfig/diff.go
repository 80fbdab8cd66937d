package functioneventinvokeconfig

import (
	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// wanted is what a configuration shall be.
type wanted struct {
	settings settings
	left     diff.Left
}

// desired merges forProvider and initProvider. What initProvider alone names belongs to
// others after creation.
func desired(mg *v1beta1.FunctionEventInvokeConfig, read lookup) (wanted, error) {
	s, err := fromSpec(mg.Spec.ForProvider.FunctionEventInvokeConfigSettings, read)
	if err != nil || mg.Spec.InitProvider == nil {
		return wanted{settings: s}, err
	}
	initial, err := fromSpec(*mg.Spec.InitProvider, read)
	if err != nil {
		return wanted{}, err
	}
	merged, left := diff.Merge(s, initial)
	return wanted{settings: merged, left: left}, nil
}

// compare with what is there. It returns the state that AWS shall come to, and how that
// differs.
func (w wanted) compare(have settings) (settings, diff.Changes) {
	t := w.settings
	t.MaximumEventAgeInSeconds = unlessLeft(w.left, "maximumEventAgeInSeconds", t.MaximumEventAgeInSeconds, have.MaximumEventAgeInSeconds)
	t.MaximumRetryAttempts = unlessLeft(w.left, "maximumRetryAttempts", t.MaximumRetryAttempts, have.MaximumRetryAttempts)
	d, there := &t.DestinationConfig, have.DestinationConfig
	d.OnFailure.Destination = unlessLeft(w.left, "destinationConfig.onFailure.destination", d.OnFailure.Destination, there.OnFailure.Destination)
	d.OnSuccess.Destination = unlessLeft(w.left, "destinationConfig.onSuccess.destination", d.OnSuccess.Destination, there.OnSuccess.Destination)
	return t, diff.Compare(t, have)
}

// unlessLeft is the desired value of a setting, or the one that is there where the
// setting is left to others.
func unlessLeft[T any](left diff.Left, path string, want, have *T) *T {
	if left.Covers(path) {
		return have
	}
	return want
}

// made says that what is there is just what would have been made.
func (w wanted) made(have settings) bool { return len(diff.Compare(w.settings, have)) == 0 }
