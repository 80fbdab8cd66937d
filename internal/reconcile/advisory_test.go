package reconcile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/advice"
)

func TestAdvisoryMessageIsBounded(t *testing.T) {
	f := advice.Finding{Code: advice.RuntimeDeprecated, Message: strings.Repeat("é", 700), Action: "act"}
	if c := advisory(1, []advice.Finding{f, f}); len(c.Message) > maxAdvisory || c.ObservedGeneration != 1 {
		t.Errorf("got %d bytes, generation %d", len(c.Message), c.ObservedGeneration)
	}
}

func TestCountFindings(t *testing.T) {
	list := &v1beta1.FunctionList{Items: make([]v1beta1.Function, 3)}
	for i, runtime := range []string{"python3.9", "python3.8", "python3.13"} {
		list.Items[i].Name = fmt.Sprintf("f-%d", i)
		list.Items[i].Status.AtProvider.Runtime = ptr.To(runtime)
	}
	want := map[advice.Code]int{advice.RuntimeDeprecated: 2}
	if diff := cmp.Diff(
		want,
		CountFindings(list.GetItems(), time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)),
	); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
