package layerversion

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/diff"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

// compare returns how spec differs from the version in AWS. A version that was published for these settings counts as
// equal, in whichever form AWS returns them, because a version never changes. So does content whose bytes the
// call had. An object in S3 may have been replaced before AWS read it.
func compare(
	d reconcile.Desired[settings], b archive.Bundle, o *lambda.GetLayerVersionOutput, last *v1beta1.DeployedCode,
	i intent,
) reconcile.Comparison[settings] {
	have := fromAWS(o)
	target := diff.Fill(d.Settings, have, d.Left)
	target.Content, have.Content = b.Compare(codeSHA256(o), last)
	target.Object, have.Object = objects(b, o)
	if i.ledTo(o.Version) && i.Settings == target.hash() {
		shown := have
		have = target
		have.Content = shown.Content
		if i.StorageMode != ptr.Deref(target.StorageMode, "") {
			have.StorageMode = shown.StorageMode
		}
		if i.Object != target.Object || target.Object == "" {
			have.Object = shown.Object
		}
	}
	if b.Zip != nil && i.ledTo(o.Version) && i.SHA256 == b.SHA256 {
		have.Content = target.Content
	}
	return reconcile.Compare(target, have)
}

// objects returns the object in S3 that spec names, and the one that AWS refers to. It needs that one as long as the
// version exists, while a copy is the same from wherever it was made: then both are empty. Content that is not in S3 is
// always copied.
func objects(b archive.Bundle, o *lambda.GetLayerVersionOutput) (want, have string) {
	r := referenced(o)
	if r == nil {
		return "", ""
	}
	if b.From.S3Key != nil {
		want = b.Location()
	}
	return want, b.LocationOf(r.S3Bucket, r.S3Key, r.S3ObjectVersion)
}

// oldVersionsPolicy returns the policy for versions that were replaced.
func oldVersionsPolicy(p v1beta1.LayerVersionParameters) string {
	return ptr.Deref(p.OldVersions, v1beta1.OldVersionsKeep)
}

// deletion returns the change that represents the deletion of an old version. Its path names the version, so that the
// deletion of one does not count as a repetition of that of another.
func deletion(n int64) diff.Changes {
	return diff.Changes{{Path: fmt.Sprintf("oldVersions[%d]", n), Old: "published"}}
}
