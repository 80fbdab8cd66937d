package publishedcode

import (
	"fmt"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

// TestRecord checks that the record keeps the signer of a version's code, and a bounded number of versions.
func TestRecord(t *testing.T) {
	var all []v1beta1.PublishedCode
	for i := range Max + 5 {
		d := &v1beta1.DeployedCode{CodeSHA256: "sum", Revision: fmt.Sprint("r", i), Verified: "alice"}
		all = Record(all, fmt.Sprint(i), "sum", d)
		all = Record(all, fmt.Sprint(i), "sum", &v1beta1.DeployedCode{CodeSHA256: "sum", Revision: "later"})
		all = Record(all, fmt.Sprint(i+1), "that others have deployed", d)
	}
	want := v1beta1.PublishedCode{Version: "24", Revision: "r24", Verified: "alice"}
	if len(all) != Max || all[0] != want {
		t.Errorf("got %d versions, the latest of which is %+v, want %d and %+v", len(all), all[0], Max, want)
	}
}
