package samefields_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/crossplane-contrib/provider-lambda/internal/diff/samefields"
)

type (
	mode  string
	list  []string
	block struct {
		ID    *string
		Mode  mode
		New   *int64
		Names []string
	}
	answer struct {
		Name    *string `json:"theName,omitempty"`
		Mode    mode
		Size    int64
		Limit   *int32
		Modes   []mode
		Names   []string
		Block   *block
		Blocks  []block
		Outer   *outer
		Ratio   *float64
		Unread  *string
		ignored *string //nolint:unused // An unexported field is not copied.
	}
	outer struct{ Inner *block }

	small struct {
		Id   string //nolint:revive,staticcheck // The SDK and the API spell initialisms differently.
		Mode *string

		Names []string
	}
	status struct {
		NAME      *string
		Mode      *string
		Size      *int64
		Limit     int32
		Modes     []string
		Names     list
		Block     *small
		Blocks    []small
		InnerMode *string
		Ratio     *string
		Unset     *string
	}
)

var toStatus = samefields.MustNew[answer, status](
	samefields.From("innerMode", "outer.inner.mode"),
	samefields.With(func(f *float64) *string { return ptr.To(strconv.FormatFloat(*f, 'f', 1, 64)) }),
)

func TestCopy(t *testing.T) {
	cases := map[string]struct {
		reason string
		copier samefields.Copier[answer, status]
		from   answer
		to     status
		want   status
	}{
		"Scalars": {
			reason: "Text, enums, numbers and pointers to them are converted into each other.",
			copier: toStatus,
			from:   answer{Name: ptr.To("n"), Mode: "m", Size: 3, Limit: ptr.To[int32](4)},
			want:   status{NAME: ptr.To("n"), Mode: ptr.To("m"), Size: ptr.To[int64](3), Limit: 4},
		},
		"Absent": {
			reason: "An absent field leaves the copy's as it is. A number without a pointer is never absent.",
			copier: toStatus,
			to:     status{NAME: ptr.To("kept"), Mode: ptr.To("kept"), Limit: 5, Modes: []string{"kept"}},
			want: status{
				NAME: ptr.To("kept"), Mode: ptr.To("kept"), Size: ptr.To[int64](0), Limit: 5, Modes: []string{"kept"},
			},
		},
		"Lists": {
			reason: "Lists are converted element by element.",
			copier: toStatus,
			from: answer{
				Modes: []mode{"a", "b"}, Names: []string{"c"}, Blocks: []block{{Mode: "m"}, {ID: ptr.To("i")}},
			},
			want: status{
				Size: ptr.To[int64](0), Modes: []string{"a", "b"}, Names: list{"c"},
				Blocks: []small{{Mode: ptr.To("m")}, {Id: "i"}},
			},
		},
		"Blocks": {
			reason: "A nested struct is converted field by field. It is present in the copy if it is empty.",
			copier: toStatus,
			from:   answer{Block: &block{}},
			want:   status{Size: ptr.To[int64](0), Block: &small{}},
		},
		"From": {
			reason: "From takes a value from within other structs.",
			copier: toStatus,
			from:   answer{Outer: &outer{Inner: &block{Mode: "m"}}},
			want:   status{Size: ptr.To[int64](0), InnerMode: ptr.To("m")},
		},
		"FromAbsent": {
			reason: "From takes nothing if one of the structs is absent.",
			copier: toStatus,
			from:   answer{Outer: &outer{}},
			want:   status{Size: ptr.To[int64](0)},
		},
		"With": {
			reason: "A function converts values of its types.",
			copier: toStatus,
			from:   answer{Ratio: ptr.To(2.0)},
			want:   status{Size: ptr.To[int64](0), Ratio: ptr.To("2.0")},
		},
		"Except": {
			reason: "A field that is left out keeps its value.",
			copier: samefields.MustNew[answer, status](samefields.Except("SIZE", "ratio")),
			from:   answer{Size: 3},
			to:     status{Size: ptr.To[int64](1)},
			want:   status{Size: ptr.To[int64](1)},
		},
		"EmptyIsAbsent": {
			reason: "A pointer to an empty text, or to a struct without more than empty lists, becomes nil where that is asked for.",
			copier: samefields.MustNew[answer, status](
				samefields.Except("size", "ratio"), samefields.EmptyIsAbsent("name", "block")),
			from: answer{Name: ptr.To(""), Block: &block{Names: []string{}}},
			want: status{},
		},
		"Clears": {
			reason: "Where that is asked for, an absent field becomes an empty value.",
			copier: samefields.MustNew[answer, status](
				samefields.Clears("name", "modes", "block", "ratio"), samefields.Except("size"),
				samefields.With(func(*float64) *string { return ptr.To("none") })),
			to: status{NAME: ptr.To("old")},
			want: status{
				NAME: ptr.To(""), Modes: []string{}, Block: &small{}, Ratio: ptr.To("none"),
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.copier.Copy(&tc.to, &tc.from)
			if d := cmp.Diff(tc.want, tc.to); d != "" {
				t.Errorf("%s\n-want +got\n%s", tc.reason, d)
			}
		})
	}
}

func TestCopyIf(t *testing.T) {
	from, to := answer{Name: ptr.To("n"), Mode: "m"}, status{}
	toStatus.CopyIf(&to, &from, func(name string) bool { return name == "theName" })
	if d := cmp.Diff(status{NAME: ptr.To("n")}, to); d != "" {
		t.Errorf("only the selected field is copied: -want +got\n%s", d)
	}
}

func TestUnpaired(t *testing.T) {
	unread, unset := toStatus.Unpaired()
	if d := cmp.Diff([]string{"Block.New", "Blocks[].New", "Unread"}, unread); d != "" {
		t.Errorf("fields of the original without a counterpart: -want +got\n%s", d)
	}
	if d := cmp.Diff([]string{"Unset"}, unset); d != "" {
		t.Errorf("fields of the copy without a counterpart: -want +got\n%s", d)
	}
	if d := cmp.Diff(
		"NAME Mode Size Limit Modes Names Block Blocks InnerMode Ratio", strings.Join(toStatus.Names(), " "),
	); d != "" {
		t.Errorf("fields of the copy with a counterpart: -want +got\n%s", d)
	}
}

func TestPanics(t *testing.T) {
	cases := map[string]struct {
		reason string
		do     func()
		want   string
	}{
		"Types": {
			reason: "Types that cannot be converted are a mistake of the program.",
			do:     func() { samefields.MustNew[answer, status]() },
			want:   "samefields: Ratio is of type string, which cannot be made of float64",
		},
		"Path": {
			reason: "An option for a field that does not exist is a mistake of the program.",
			do:     func() { samefields.MustNew[small, small](samefields.Except("nme")) },
			want:   "samefields: an option names nme, where no field is",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != tc.want {
					t.Errorf("%s\npanic %v, want %v", tc.reason, got, tc.want)
				}
			}()
			tc.do()
		})
	}
}
