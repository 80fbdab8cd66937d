package ownership

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
)

const kind = "function.lambda.aws.m.crossplane.io"

func object(uid string, annotations map[string]string) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: types.UID(uid), Annotations: annotations}
}

func tags(uid, cluster, namespace, name string) map[string]string {
	return map[string]string{
		TagKind:           kind,
		TagName:           name,
		TagNamespace:      namespace,
		TagProviderConfig: "default",
		TagUID:            uid,
		TagCluster:        cluster,
	}
}

func TestJudge(t *testing.T) {
	adopt := map[string]string{v1beta1.AnnotationAdopt: "true"}
	otherKind := tags("u2", "c1", "shop", "cart")
	otherKind[TagKind] = "layerversion.lambda.aws.m.crossplane.io"

	// Each case is checked with the external name set by the user and without.
	cases := map[string]struct {
		reason      string
		tags        map[string]string
		annotations map[string]string
		unnamed     Ownership
		named       Ownership
	}{
		"OurUID": {
			reason: "Our UID is proof, as after a lost answer to a create.",
			tags:   tags("u1", "c1", "shop", "cart"), unnamed: Ours, named: Ours,
		},
		"OurUIDNewClusterID": {
			reason: "A changed cluster id takes nothing away from us.",
			tags:   tags("u1", "c0", "shop", "cart"), unnamed: Ours, named: Ours,
		},
		"NoTags": {
			reason: "An untagged resource is only adopted by name.",
			tags:   nil, unnamed: Foreign, named: Adopted,
		},
		"TeamTags": {
			reason: "Tags that are not about ownership change nothing.",
			tags:   map[string]string{"team": "shop"}, unnamed: Foreign, named: Adopted,
		},
		"UpjetTags": {
			reason: "What another Crossplane provider made can be imported by name.",
			tags: map[string]string{
				TagKind: "function.lambda.aws.upbound.io",
				TagName: "cart",
			},
			unnamed: Foreign,
			named:   Adopted,
		},
		"NoTagsAdopt": {
			reason: "The annotation says as much as the name does.",
			tags:   nil, annotations: adopt, unnamed: Adopted, named: Adopted,
		},
		"Restored": {
			reason: "The same object re-created or restored has another UID.",
			tags:   tags("u0", "c1", "shop", "cart"), unnamed: OursAgain, named: OursAgain,
		},
		"OtherCluster": {
			reason: "A restore into another cluster must not adopt the resource of the first one.",
			tags:   tags("u0", "c2", "shop", "cart"), unnamed: Foreign, named: Foreign,
		},
		"OtherClusterAdopt": {
			reason: "A move between clusters needs the annotation.",
			tags:   tags("u0", "c2", "shop", "cart"), annotations: adopt, unnamed: Adopted, named: Adopted,
		},
		"OtherName": {
			reason: "Two managed resources cannot own one external resource.",
			tags:   tags("u2", "c1", "shop", "basket"), unnamed: Foreign, named: Foreign,
		},
		"OtherNamespace": {
			reason: "A tenant cannot adopt another tenant's resource.",
			tags:   tags("u2", "c1", "bank", "cart"), unnamed: Foreign, named: Foreign,
		},
		"OtherNamespaceAdopt": {
			reason: "A renamed resource adopts by annotation.",
			tags:   tags("u2", "c1", "bank", "cart"), annotations: adopt, unnamed: Adopted, named: Adopted,
		},
		"OtherKind": {
			reason:  "Another kind of the same name is another resource.",
			tags:    otherKind,
			unnamed: Foreign,
			named:   Foreign,
		},
		"AdoptNotTrue": {
			reason: "Only \"true\" takes over.",
			tags: tags(
				"u0",
				"c2",
				"shop",
				"cart",
			),
			annotations: map[string]string{v1beta1.AnnotationAdopt: "yes"},
			unnamed:     Foreign,
			named:       Foreign,
		},
		"EmptyUIDTag": {
			reason: "An empty tag is no UID.",
			tags:   tags("", "c1", "shop", "cart"), unnamed: OursAgain, named: OursAgain,
		},
	}
	for name, tc := range cases {
		for named, want := range map[bool]Ownership{false: tc.unnamed, true: tc.named} {
			t.Run(fmt.Sprintf("%s/named=%t", name, named), func(t *testing.T) {
				got := CheckOwnership(
					tc.tags,
					object("u1", tc.annotations),
					Expected{Kind: kind, ClusterID: "c1", Named: named},
				)
				if got != want {
					t.Errorf("%s: want %s, got %s", tc.reason, want, got)
				}
				if got.Manageable() == (want == Foreign) {
					t.Errorf("%s: %s: Manageable is %t", tc.reason, got, got.Manageable())
				}
			})
		}
	}
}

// TestJudgeWithoutTags checks external resources without tags, because AWS may show tags
// late.
func TestJudgeWithoutTags(t *testing.T) {
	made := func(edit ...string) map[string]string {
		a := Name(object("u1", nil), "cart")
		a[meta.AnnotationKeyExternalCreatePending] = "2026-01-01T00:00:01Z"
		a[meta.AnnotationKeyExternalCreateSucceeded] = "2026-01-01T00:00:01Z"
		for i := 0; i < len(edit); i += 2 {
			a[edit[i]] = edit[i+1]
		}
		return a
	}
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		tags        map[string]string
		unnamed     Ownership
		named       Ownership
	}{
		"Created": {
			reason:      "What this object created is its own, whether the tags show or not.",
			annotations: made(),
			unnamed:     Foreign,
			named:       Ours,
		},
		"CreatedAdopt": {
			reason:      "The adopt annotation does not change the ownership of what this object created.",
			annotations: made(v1beta1.AnnotationAdopt, "true"),
			unnamed:     Adopted,
			named:       Ours,
		},
		"Adopted": {
			reason:      "What it took over by name was not created by it.",
			annotations: Name(object("u1", nil), "cart"),
			unnamed:     Foreign,
			named:       Adopted,
		},
		"Restored": {
			reason:      "A backup's annotations speak of another object.",
			annotations: made(v1beta1.AnnotationNamedBy, "u0/cart"),
			unnamed:     Foreign,
			named:       Adopted,
		},
		"Renamed": {
			reason:      "The user names something else by now.",
			annotations: made(meta.AnnotationKeyExternalName, "basket"),
			unnamed:     Foreign,
			named:       Adopted,
		},
		"PendingAgain": {
			reason:      "The result of the last create is unknown.",
			annotations: made(meta.AnnotationKeyExternalCreatePending, "2026-01-01T00:00:02Z"),
			unnamed:     Foreign,
			named:       Adopted,
		},
		"FailedSince": {
			reason:      "The last create failed.",
			annotations: made(meta.AnnotationKeyExternalCreateFailed, "2026-01-01T00:00:02Z"),
			unnamed:     Foreign,
			named:       Adopted,
		},
		"ForeignUID": {
			reason:      "Another's tags win.",
			annotations: made(),
			tags:        tags("u2", "c1", "bank", "cart"),
			unnamed:     Foreign,
			named:       Foreign,
		},
		"ForeignCluster": {
			reason:      "Another cluster's tags win.",
			annotations: made(),
			tags:        map[string]string{TagCluster: "c2"},
			unnamed:     Foreign,
			named:       Foreign,
		},
	}
	for name, tc := range cases {
		for named, want := range map[bool]Ownership{false: tc.unnamed, true: tc.named} {
			t.Run(fmt.Sprintf("%s/named=%t", name, named), func(t *testing.T) {
				got := CheckOwnership(
					tc.tags,
					object("u1", tc.annotations),
					Expected{Kind: kind, ClusterID: "c1", Named: named},
				)
				if got != want {
					t.Errorf("%s: want %s, got %s", tc.reason, want, got)
				}
			})
		}
	}
}

func TestOwnTagsAreOurs(t *testing.T) {
	mg := object("u1", nil)
	made := Tags(mg, "c1", "default", kind)
	if got := CheckOwnership(made, mg, Expected{Kind: kind, ClusterID: "c1"}); got != Ours {
		t.Errorf("what we tag is ours: got %s", got)
	}
	if got := CheckOwnership(made, object("u9", nil), Expected{Kind: kind, ClusterID: "c1"}); got != OursAgain {
		t.Errorf("a re-created object finds its thing again: got %s", got)
	}
	for _, k := range Keys() {
		if made[k] == "" {
			t.Errorf("Tags lacks %s", k)
		}
	}
	if len(made) != len(Keys()) {
		t.Errorf("Keys lacks a key of %v", made)
	}
	legal := regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)
	for k, v := range made {
		if !legal.MatchString(k) || !legal.MatchString(v) || strings.HasPrefix(k, "aws:") || len(k) > 128 ||
			len(v) > 256 {
			t.Errorf("AWS refuses the tag %s=%s", k, v)
		}
	}
}

func TestUserSetName(t *testing.T) {
	written := Name(object("u1", nil), "cart")
	renamed := Name(object("u1", nil), "cart")
	renamed[meta.AnnotationKeyExternalName] = "basket"
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        bool
	}{
		"None": {reason: "No name, nothing set.", want: false},
		"Imported": {
			reason:      "A name that we did not write.",
			annotations: map[string]string{meta.AnnotationKeyExternalName: "cart"},
			want:        true,
		},
		"Written": {reason: "We wrote it, after a create.", annotations: written, want: false},
		"Restored": {
			reason:      "The annotations of a backup come along, but name another UID.",
			annotations: Name(object("u0", nil), "cart"), want: true,
		},
		"RestoredFromElsewhere": {
			reason: "A backup of another version has no mark; its create annotations prove nothing.",
			annotations: map[string]string{
				meta.AnnotationKeyExternalName:            "cart",
				meta.AnnotationKeyExternalCreateSucceeded: "2026-01-01T00:00:00Z",
			},
			want: true,
		},
		"Renamed": {reason: "The user has replaced the recorded name.", annotations: renamed, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := object("u1", tc.annotations)
			if got := UserSetName(mg); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
			if WroteName(mg) == UserSetName(mg) && meta.GetExternalName(mg) != "" {
				t.Errorf("%s: a name is either set by the user or written by us", tc.reason)
			}
		})
	}
}

func TestJudgeUntagged(t *testing.T) {
	pending := map[string]string{meta.AnnotationKeyExternalCreatePending: "2026-01-01T00:00:00Z"}
	nameRemoved := Name(object("u1", nil), "live")
	delete(nameRemoved, meta.AnnotationKeyExternalName)
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		same, other Ownership
	}{
		"NothingKnown": {reason: "Someone else made it.", same: Foreign, other: Foreign},
		"Written": {
			reason:      "The resource was created, and its name recorded.",
			annotations: Name(object("u1", nil), "live"),
			same:        Ours,
			other:       Ours,
		},
		"NameRemoved": {
			reason:      "An annotation that the user removed does not orphan it.",
			annotations: nameRemoved,
			same:        Ours,
			other:       Ours,
		},
		"Imported": {
			reason:      "The user has imported it by its name.",
			annotations: map[string]string{meta.AnnotationKeyExternalName: "live"},
			same:        Adopted,
			other:       Adopted,
		},
		"Restored": {
			reason:      "A backup's annotations speak of another UID.",
			annotations: Name(object("u0", nil), "live"),
			same:        Adopted,
			other:       Adopted,
		},
		"Adopt": {
			reason:      "The annotation allows the adoption.",
			annotations: map[string]string{v1beta1.AnnotationAdopt: "true"},
			same:        Adopted,
			other:       Adopted,
		},
		"Answered": {
			reason: "A create whose answer came made what it named then, not what is found elsewhere now.",
			annotations: map[string]string{
				meta.AnnotationKeyExternalCreatePending:   "2026-01-01T00:00:00Z",
				meta.AnnotationKeyExternalCreateSucceeded: "2026-01-01T00:00:00Z",
			},
			same:  Foreign,
			other: Foreign,
		},
		"LostAgain": {
			reason: "The last create counts.",
			annotations: map[string]string{
				meta.AnnotationKeyExternalCreatePending:   "2026-01-02T00:00:00Z",
				meta.AnnotationKeyExternalCreateSucceeded: "2026-01-01T00:00:00Z",
			},
			same:  Ours,
			other: Foreign,
		},
		"LostAnswer": {
			reason:      "Only a resource that did not exist before and equals the request is the result of an unanswered create.",
			annotations: pending,
			same:        Ours,
			other:       Foreign,
		},
	}
	for name, tc := range cases {
		for asMade, want := range map[bool]Ownership{true: tc.same, false: tc.other} {
			t.Run(fmt.Sprintf("%s/asMade=%t", name, asMade), func(t *testing.T) {
				if got := CheckUntaggedOwnership(object("u1", tc.annotations), "live", asMade); got != want {
					t.Errorf("%s: want %s, got %s", tc.reason, want, got)
				}
			})
		}
	}
	if err := NewForeignUntaggedError(
		"alias live of function cart",
		"live",
	); !IsForeign(err) ||
		!strings.Contains(err.Error(), `crossplane.io/external-name to "live"`) {
		t.Errorf("want how to import it, got %q", err)
	}
}

func TestCheckMoved(t *testing.T) {
	renamed := Name(object("u1", nil), "live")
	renamed[meta.AnnotationKeyExternalName] = "canary"
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		refused     bool
	}{
		"None": {reason: "Nothing was written."},
		"Written": {
			reason:      "The external name is the one that the provider wrote.",
			annotations: Name(object("u1", nil), "live"),
		},
		"Restored": {reason: "Another object wrote it.", annotations: Name(object("u0", nil), "live")},
		"Renamed":  {reason: "What we made would be left behind.", annotations: renamed, refused: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := CheckMoved(object("u1", tc.annotations))
			if (err != nil) != tc.refused {
				t.Errorf("%s: got %v", tc.reason, err)
			}
			if err != nil && (!strings.Contains(err.Error(), `"live"`) || !strings.Contains(err.Error(), `"canary"`)) {
				t.Errorf("%s: want both names in %q", tc.reason, err)
			}
		})
	}
}

func TestForeignError(t *testing.T) {
	c := Expected{Kind: kind, ClusterID: "c1"}
	cases := map[string]struct {
		reason string
		tags   map[string]string
		want   []string
	}{
		"Untagged": {
			reason: "The message says how to import the resource.",
			want:   []string{"function cart exists", "not created by this resource", "crossplane.io/external-name"},
		},
		"Upjet": {
			reason: "The message names the other controller.",
			tags:   map[string]string{TagKind: "function.lambda.aws.upbound.io", TagName: "old-cart"},
			want:   []string{"old-cart", "function.lambda.aws.upbound.io", "crossplane.io/external-name"},
		},
		"OtherCluster": {
			reason: "The message names the cluster, and how to adopt the resource.",
			tags:   tags("u0", "c2", "shop", "cart"),
			want:   []string{kind + " shop/cart of cluster c2", v1beta1.AnnotationAdopt, `"true"`},
		},
		"OtherResource": {
			reason: "The message names the owner in this cluster.",
			tags:   tags("u2", "c1", "bank", "cart"),
			want: []string{
				kind + " bank/cart of this cluster; to take it over after that one was deleted, set",
				v1beta1.AnnotationAdopt,
			},
		},
		"OnlyUID": {
			reason: "The message contains the UID, if nothing else is known.",
			tags:   map[string]string{TagUID: "u7"},
			want:   []string{"another resource of cluster unknown", v1beta1.AnnotationAdopt},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := fmt.Errorf("cannot observe: %w", NewForeignError("function cart", tc.tags, c))
			if !IsForeign(err) {
				t.Errorf("%s: IsForeign is false", tc.reason)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: want %q in %q", tc.reason, want, err)
				}
			}
		})
	}
	if IsForeign(fmt.Errorf("other")) {
		t.Error("IsForeign of another error is true")
	}
}

// TestParentOfUnansweredCreate checks that what a create without an answer may have made is not left behind when spec
// names another parent.
func TestParentOfUnansweredCreate(t *testing.T) {
	const pending, failed = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		deleted     bool
		want        string
		moved       bool
	}{
		"Untried": {reason: "Nothing was created.", want: "basket"},
		"Unanswered": {
			reason:      "It may exist.",
			annotations: map[string]string{meta.AnnotationKeyExternalCreatePending: pending},
			want:        "cart",
			moved:       true,
		},
		"Refused": {
			reason: "AWS has refused to create it.",
			annotations: map[string]string{
				meta.AnnotationKeyExternalCreatePending: pending,
				meta.AnnotationKeyExternalCreateFailed:  failed,
			},
			want: "basket",
		},
		"Imported": {
			reason: "The annotations may be copies.",
			annotations: map[string]string{
				meta.AnnotationKeyExternalCreatePending: pending,
				meta.AnnotationKeyExternalName:          "live",
			},
			want: "basket",
		},
		"Deleted": {
			reason:      "It is deleted where it may exist.",
			annotations: map[string]string{meta.AnnotationKeyExternalCreatePending: pending},
			deleted:     true,
			want:        "cart",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := object("u1", map[string]string{v1beta1.AnnotationParent: "cart"})
			meta.AddAnnotations(mg, tc.annotations)
			if tc.deleted {
				mg.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
			}
			got, err := ParentOf(mg, "", "basket")
			if got != tc.want || (err != nil) != tc.moved {
				t.Errorf("%s\ngot %q, %v, want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}
