package kubectl

import "testing"

func TestKindName(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   string
		want   string
		err    bool
	}{
		"Alone":    {reason: "A name alone is of the kind.", args: "live", want: "live"},
		"Singular": {reason: "The singular is accepted.", args: "alias/live", want: "live"},
		"Plural":   {reason: "The name is accepted as kubectl accepts it.", args: "aliases/live", want: "live"},
		"Short":    {reason: "The short name of the definition.", args: "lambdaalias/live", want: "live"},
		"Group": {
			reason: "The output of kubectl get -o name is accepted.",
			args:   "alias.lambda.aws.m.crossplane.io/live",
			want:   "live",
		},
		"Version": {
			reason: "The name is accepted as kubectl accepts it.",
			args:   "aliases.v1beta1.lambda.aws.m.crossplane.io/live",
			want:   "live",
		},
		"UpperCase":   {reason: "Types have no case.", args: "Alias/live", want: "live"},
		"OtherKind":   {reason: "Another kind is a mistake.", args: "function/live", err: true},
		"OtherGroup":  {reason: "Another group is another kind.", args: "alias.example.org/live", err: true},
		"NoName":      {reason: "A type alone names nothing.", args: "alias/", err: true},
		"Empty":       {reason: "An empty argument names nothing.", args: "", err: true},
		"TwoSlashes":  {reason: "A name has no slash.", args: "alias/live/x", err: true},
		"OnlySlashes": {reason: "A name has no slash.", args: "//", err: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Aliases.Name(tc.args)
			if got != tc.want || (err != nil) != tc.err {
				t.Errorf("%s: Name(%q) = %q, %v, want %q, error %t", tc.reason, tc.args, got, err, tc.want, tc.err)
			}
		})
	}
}
