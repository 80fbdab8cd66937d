package publishedcode

import (
	"fmt"
	"testing"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/lambda/functionname"
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

// TestRecordOfWhatIsPublishedAgain checks that the record of $LATEST.PUBLISHED is that of its present code.
func TestRecordOfWhatIsPublishedAgain(t *testing.T) {
	deployed := func(n int) *v1beta1.DeployedCode {
		return &v1beta1.DeployedCode{CodeSHA256: fmt.Sprint("sum", n), Revision: fmt.Sprint("r", n)}
	}
	all := Record(nil, functionname.LatestPublished, "sum1", deployed(1))
	all = Record(all, functionname.LatestPublished, "sum2", deployed(2))
	want := v1beta1.PublishedCode{Version: functionname.LatestPublished, Revision: "r2"}
	if len(all) != 1 || all[0] != want {
		t.Errorf("got %+v, want %+v alone", all, want)
	}
	if all = Record(all, functionname.LatestPublished, "that others have deployed", deployed(2)); len(all) != 0 {
		t.Errorf("the revision of code that others have deployed is not known, got %+v", all)
	}
}
