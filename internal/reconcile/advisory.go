package reconcile

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

// maxAdvisory is the length of the message of the condition Advisory.
const maxAdvisory = 1024

// SetAdvisory sets the condition Advisory if there are findings, or were. It is part of a status that is written
// anyway: neither its reason nor its message changes while the findings remain.
func SetAdvisory(mg Managed, sizes advice.Sizes, now time.Time) {
	if meta.WasDeleted(mg) {
		return
	}
	found := advice.Of(mg, sizes, now)
	found = slices.DeleteFunc(found, func(f advice.Finding) bool { return !f.IsShown() })
	switch {
	case len(found) > 0:
		mg.SetConditions(advisory(mg.GetGeneration(), found))
	case mg.GetCondition(v1beta1.TypeAdvisory).Status != corev1.ConditionUnknown:
		mg.SetConditions(NewCondition(v1beta1.TypeAdvisory, corev1.ConditionFalse, v1beta1.ReasonNoFindings,
			mg.GetGeneration(), ""))
	}
}

// advisory returns the condition Advisory that reports findings.
func advisory(generation int64, found []advice.Finding) xpv2.Condition {
	var codes, messages []string
	for _, f := range found {
		codes = append(codes, string(f.Code))
		messages = append(messages, f.Message+": "+f.Action)
	}
	return NewCondition(v1beta1.TypeAdvisory, corev1.ConditionTrue, xpv2.ConditionReason(strings.Join(codes, ",")),
		generation, Cut(strings.Join(messages, "; "), maxAdvisory))
}

// CountFindings returns how many resources have a finding of each code. It only reads them.
func CountFindings(all []resource.Managed, now time.Time) map[advice.Code]int {
	counts, seen := map[advice.Code]int{}, map[advice.Code]bool{}
	for _, mg := range all {
		clear(seen)
		for _, f := range advice.Of(mg, nil, now) {
			if !seen[f.Code] {
				seen[f.Code] = true
				counts[f.Code]++
			}
		}
	}
	return counts
}
