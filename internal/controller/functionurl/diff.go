package functionurl

import (
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
)

// wanted is what a URL shall be.
type wanted struct {
	settings settings
	left     diff.Left
}

// desired merges forProvider and initProvider. What initProvider alone names belongs
// to others after creation.
func desired(mg *v1beta1.FunctionURL) wanted {
	initial := v1beta1.FunctionURLSettings{}
	if mg.Spec.InitProvider != nil {
		initial = *mg.Spec.InitProvider
	}
	s, left := diff.Merge(mg.Spec.ForProvider.FunctionURLSettings, initial)
	return wanted{settings: fromSpec(s), left: left}
}

// compare what is wanted with what is there. It returns the state that AWS shall come
// to, and how that differs.
func compare(mg *v1beta1.FunctionURL, u types.FunctionUrlConfig) (settings, diff.Changes) {
	w, have := desired(mg), fromAWS(u)
	t := diff.Fill(w.settings, have, w.left)
	return t, diff.Compare(t, have)
}

// asMade says that a URL is just as this resource would have made it.
func asMade(mg *v1beta1.FunctionURL, u types.FunctionUrlConfig) bool {
	have := fromAWS(u)
	return len(diff.Compare(diff.Fill(desired(mg).settings, have, nil), have)) == 0
}
