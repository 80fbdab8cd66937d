package layerversion

import (
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/lambdaapi"
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

// referenced returns the object in S3 that AWS refers to, or nil if it has a copy.
func referenced(o *lambda.GetLayerVersionOutput) *types.ResolvedS3Object {
	if o.Content == nil {
		return nil
	}
	return lambdaapi.Referenced(o.Content.ResolvedS3Object)
}

func codeSHA256(o *lambda.GetLayerVersionOutput) string {
	if o.Content == nil {
		return ""
	}
	return ptr.Deref(o.Content.CodeSha256, "")
}

// oldVersions returns the newest of the versions that the resource published before the given one, oldest first.
func oldVersions(last v1beta1.LayerVersionObservation, current int64) []int64 {
	old := slices.Clone(last.OldVersions)
	if last.Version != nil {
		old = append(old, *last.Version)
	}
	slices.Sort(old)
	old = slices.DeleteFunc(slices.Compact(old), func(n int64) bool {
		return n == current || last.ImportedVersion != nil && n == *last.ImportedVersion
	})
	return old[max(len(old)-v1beta1.MaxOldVersions, 0):]
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
