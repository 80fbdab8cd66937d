package layerversion

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/archive"
	"github.com/crossplane-contrib/provider-lambda/internal/reconcile"
)

func TestCompare(t *testing.T) {
	there := func(change func(*lambda.GetLayerVersionOutput)) *lambda.GetLayerVersionOutput {
		o := &lambda.GetLayerVersionOutput{
			Version:            3,
			Content:            &types.LayerVersionContentOutput{CodeSha256: ptr.To("H")},
			Description:        ptr.To("d"),
			CompatibleRuntimes: []types.Runtime{"python3.13"},
		}
		if change != nil {
			change(o)
		}
		return o
	}
	p := v1beta1.LayerVersionParameters{CompatibleRuntimes: []string{"python3.13"}}
	same := archive.Bundle{SHA256: "H"}
	checked := settings{
		CompatibleRuntimes: []string{"python3.13"},
		Description:        ptr.To("d"),
		LicenseInfo:        ptr.To(""),
	}.hash()
	cases := map[string]struct {
		reason string
		p      v1beta1.LayerVersionParameters
		b      archive.Bundle
		o      *lambda.GetLayerVersionOutput
		i      intent
		want   string
	}{
		"Same": {reason: "What is not set is left to AWS.", p: p, b: same, o: there(nil)},
		"Content": {
			reason: "Another archive is another version.",
			p:      p,
			b:      archive.Bundle{SHA256: "G"},
			o:      there(nil),
			want:   `content.codeSha256: "H" -> "G"`,
		},
		"Runtimes": {reason: "A list is exact.", b: same, o: there(nil), want: "compatibleRuntimes: removed"},
		"Description": {
			reason: "What is set is compared.",
			p:      v1beta1.LayerVersionParameters{Description: ptr.To("e"), CompatibleRuntimes: p.CompatibleRuntimes},
			b:      same,
			o:      there(nil),
			want:   `description: "d" -> "e"`,
		},
		"TellsItSo": {
			reason: "A version that was published for this spec is equal, however AWS formats its fields.",
			p:      p,
			b:      same,
			i:      intent{UID: "u", Before: 2, Settings: checked},
			o: there(
				func(o *lambda.GetLayerVersionOutput) { o.CompatibleArchitectures = []types.Architecture{"x86_64"} },
			),
		},
		"SignedAfter": {
			reason: "Content that AWS stores under another hash, because it signs it, is equal.",
			p:      p,
			b:      archive.Bundle{Zip: []byte("z"), SHA256: "G"},
			i:      intent{UID: "u", Before: 2, SHA256: "G"},
			o:      there(nil),
		},
		"Replaced": {
			reason: "Others may have replaced an object before AWS read it.",
			p:      p,
			b:      archive.Bundle{From: archive.Source{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}, SHA256: "G"},
			i:      intent{UID: "u", Before: 2, SHA256: "G"},
			o:      there(nil),
			want:   `content.codeSha256: "H" -> "G"`,
		},
		"Referred": {
			reason: "AWS needs the object of the first version, which spec does not name any more.",
			p:      p,
			b:      same,
			i:      intent{UID: "u", Before: 2, Settings: checked},
			o: there(func(o *lambda.GetLayerVersionOutput) {
				o.Content.ResolvedS3Object = &types.ResolvedS3Object{S3Bucket: ptr.To("b"), S3Key: ptr.To("k")}
			}),
			want: `content.s3Key: "s3://b/k" -> ""`,
		},
		"OfOthers": {
			reason: "A version that was there before was not published for this.",
			p:      p,
			b:      archive.Bundle{SHA256: "G"},
			i:      intent{UID: "u", Before: 3, SHA256: "G"},
			o:      there(nil),
			want:   `content.codeSha256: "H" -> "G"`,
		},
		"AskedForElse": {
			reason: "A version that was published for other settings is not equal.",
			b:      same,
			i:      intent{UID: "u", Before: 2, Settings: checked},
			o:      there(nil),
			want:   "compatibleRuntimes: removed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			changes := compare(reconcile.Desired[settings]{Settings: desired(tc.p)}, tc.b, tc.o, nil, tc.i).Changes
			if diff := cmp.Diff(tc.want, changes.String()); diff != "" {
				t.Errorf("%s\ncompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOldVersions(t *testing.T) {
	upTo := func(n int) []int64 {
		all := make([]int64, n)
		for i := range all {
			all[i] = int64(i + 1)
		}
		return all
	}
	cases := map[string]struct {
		reason  string
		last    v1beta1.LayerVersionObservation
		current int64
		want    []int64
	}{
		"First": {reason: "The first version has no older ones.", current: 1},
		"Same": {
			reason:  "The current one is not old.",
			last:    v1beta1.LayerVersionObservation{Version: ptr.To[int64](1)},
			current: 1,
		},
		"Next": {
			reason:  "The one before is.",
			last:    v1beta1.LayerVersionObservation{Version: ptr.To[int64](2), OldVersions: []int64{1}},
			current: 4,
			want:    []int64{1, 2},
		},
		"Many": {
			reason:  "Only the newest are known: whoever may write status could make it longer.",
			last:    v1beta1.LayerVersionObservation{OldVersions: upTo(5000)},
			current: 5001,
			want:    upTo(5000)[4000:],
		},
		"Imported": {
			reason:  "One that others have published is theirs.",
			last:    v1beta1.LayerVersionObservation{Version: ptr.To[int64](2), ImportedVersion: ptr.To[int64](2)},
			current: 3,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := oldVersions(tc.last, tc.current)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\noldVersions(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestVersionOf(t *testing.T) {
	v, err := versionOf("arn:aws-cn:lambda:cn-north-1:123456789012:layer:l:12")
	if diff := cmp.Diff("version 12 of layer l", v.String()); diff != "" || err != nil {
		t.Errorf("%v: -want, +got:\n%s", err, diff)
	}
	for _, bad := range []string{
		"", "l:1", "arn:aws:lambda:eu-central-1:123456789012:layer:l",
		"arn:aws:lambda:eu-central-1:123456789012:layer:l:x", "arn:aws:lambda:eu-central-1:123456789012:function:f:1",
	} {
		if _, err := versionOf(bad); err == nil {
			t.Errorf("%q is no version", bad)
		}
	}
}
