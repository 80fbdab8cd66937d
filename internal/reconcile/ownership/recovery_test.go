package ownership

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRecovery(t *testing.T) {
	type args struct {
		recovery Recovery
		deleted  bool
	}
	cases := map[string]struct {
		reason string
		args   args
		want   string
		err    string
	}{
		"None": {
			reason: "The create made nothing.",
		},
		"One": {
			reason: "The candidate with the UID is owned, even if another one is doubtful.",
			args:   args{recovery: Recovery{Ours: []string{"a"}, Doubtful: "b"}},
			want:   "a",
		},
		"Several": {
			reason: "Only the user can decide which one to keep.",
			args: args{
				recovery: Recovery{Kind: "event source mapping", Identifier: "UUID", Ours: []string{"a", "b"}},
			},
			err: "the tags of several event source mappings name this resource (a, b)",
		},
		"SeveralToGo": {
			reason: "All are to go, one after the other.",
			args:   args{recovery: Recovery{Ours: []string{"a", "b"}}, deleted: true},
			want:   "a",
		},
		"Doubtful": {
			reason: "Nothing is created while a candidate may be owned.",
			args:   args{recovery: Recovery{Kind: "event source mapping", Identifier: "UUID", Doubtful: "b"}},
			err:    "cannot tell whether this resource created event source mapping b",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			mg := &metav1.ObjectMeta{}
			if tc.args.deleted {
				mg.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}
			got, err := tc.args.recovery.Name(mg)
			if got != tc.want || (err == nil) != (tc.err == "") ||
				err != nil && !strings.HasPrefix(err.Error(), tc.err) {
				t.Errorf("%s: got %q, %v; want %q, %q", tc.reason, got, err, tc.want, tc.err)
			}
		})
	}
}
