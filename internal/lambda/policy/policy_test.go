package policy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	const wanted = `{"Version":"2012-10-17","Statement":[
		{"Sid":"a","Effect":"Allow","Principal":{"AWS":["111122223333","arn:aws:iam::111122223333:role/r"]},"Action":["lambda:InvokeFunction","lambda:GetFunction"],
		 "Resource":"arn:aws:lambda:eu-west-1:123456789012:function:f","Condition":{"StringEquals":{"aws:SourceAccount":123456789012}}},
		{"Effect":"Deny","Principal":"*","Action":"lambda:*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":false},"NumericLessThan":{"aws:MultiFactorAuthAge":300}}}]}`
	cases := map[string]struct {
		reason   string
		wanted   string
		observed string
		want     []string
	}{
		"Same": {reason: "Nothing differs.", observed: wanted},
		"Rewritten": {
			reason: "AWS adds ids, writes accounts as ARNs, numbers as texts, lists of one as such, and puts all in " +
				"another order.",
			observed: `{"Id":"default","Statement":[
				{"Sid":"x","Condition":{"NumericLessThan":{"aws:multifactorauthage":["300"]},"Bool":{"aws:SecureTransport":"false"}},"Action":["lambda:*"],"Principal":{"AWS":"*"},"Resource":["*"],"Effect":"Deny"},
				{"Resource":["arn:aws:lambda:eu-west-1:123456789012:function:f"],"Action":["lambda:getfunction","lambda:InvokeFunction","lambda:InvokeFunction"],
				 "Condition":{"StringEquals":{"AWS:SourceAccount":["123456789012"]}},
				 "Principal":{"AWS":["arn:aws:iam::111122223333:role/r","arn:aws:iam::111122223333:root"]},"Effect":"Allow","Sid":"a"}],"Version":"2012-10-17"}`,
		},
		"OneStatement": {
			reason:   "A policy's only statement need be no list.",
			wanted:   `{"Statement":{"Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"lambda:InvokeFunction","Resource":"*"}}`,
			observed: `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":["s3.amazonaws.com"]},"Action":"lambda:InvokeFunction","Resource":"*"}]}`,
		},
		"Version": {
			reason:   "The version says how variables are read.",
			wanted:   `{"Version":"2012-10-17","Id":"mine","Statement":{"Effect":"Allow","Action":"a","Resource":"*"}}`,
			observed: `{"Version":"2008-10-17","Id":"default","Statement":{"Effect":"Allow","Action":"a","Resource":"*"}}`,
			want:     []string{"Version", "Id"},
		},
		"Account": {
			reason:   "Another account is another principal.",
			observed: strings.Replace(wanted, "111122223333", "444455556666", 1),
			want:     []string{"Statement[a]"},
		},
		"Effect": {
			reason:   "To deny is not to allow.",
			observed: strings.Replace(wanted, "Allow", "Deny", 1),
			want:     []string{"Statement[a]"},
		},
		"Added": {
			reason: "A statement that is not wanted is a difference.",
			observed: strings.Replace(
				wanted,
				`"Statement":[`,
				`"Statement":[{"Sid":"s","Effect":"Allow","Principal":"*","Action":"lambda:*","Resource":"*"},`,
				1,
			),
			want: []string{"Statement[s]"},
		},
		"Removed": {
			reason:   "A missing statement is a difference.",
			observed: `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"lambda:*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":"false"},"NumericLessThan":{"aws:MultiFactorAuthAge":"300"}}}]}`,
			want:     []string{"Statement[a]"},
		},
		"ConditionValue": {
			reason:   "A condition's values are compared as they are.",
			observed: strings.Replace(wanted, ":300", ":3600", 1),
			want:     []string{"Statement[1]", "Statement[2]"},
		},
		"Operator": {
			reason:   "Another operator is a difference.",
			observed: strings.Replace(wanted, "StringEquals", "StringLike", 1),
			want:     []string{"Statement[a]"},
		},
		"Unknown": {
			reason:   "An element that is not known here is no reason to fail.",
			observed: strings.Replace(wanted, `"Effect":"Allow"`, `"Effect":"Allow","New":true`, 1),
		},
		"Twice": {
			reason:   "Two of the same are not one.",
			wanted:   `{"Statement":[{"Effect":"Allow","Action":"a","Resource":"*"},{"Effect":"Allow","Action":"a","Resource":"*"}]}`,
			observed: `{"Statement":[{"Effect":"Allow","Action":"a","Resource":"*"}]}`,
			want:     []string{"Statement[1]"},
		},
		"NotElements": {
			reason:   "What is excluded is compared as what is included.",
			wanted:   `{"Statement":{"Effect":"Deny","NotPrincipal":{"AWS":"111122223333"},"NotAction":"lambda:GetFunction","NotResource":"b"}}`,
			observed: `{"Statement":{"Effect":"Deny","NotPrincipal":{"AWS":"arn:aws-cn:iam::111122223333:root"},"NotAction":["lambda:getFunction"],"NotResource":["c"]}}`,
			want:     []string{"Statement[0]", "Statement[1]"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.wanted == "" {
				tc.wanted = wanted
			}
			var got []string
			for _, d := range Compare(read(t, tc.wanted), read(t, tc.observed)) {
				got = append(got, strings.TrimPrefix(d.Path, "policy."))
				if d.New == d.Old {
					t.Errorf("%s differs and is %s in both", d.Path, d.New)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCompare(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func read(t *testing.T, text string) Document {
	t.Helper()
	d, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return d
}

// TestWorkIsLinear checks that the work grows with the length of a policy, not with its square: an endpoint that is not
// AWS's may return one that is fifty times as long as AWS's longest.
func TestWorkIsLinear(t *testing.T) {
	list := func(n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	statements := func(n int, action string) string {
		return `{"Statement":[` + list(
			n,
			func(int) string { return `{"Effect":"Deny","Action":"` + action + `"}` },
		) + `]}`
	}
	cases := map[string]struct {
		reason string
		do     func(n int)
	}{
		"Statements": {
			reason: "None of many statements without an ID equals one of as many others.",
			do: func(n int) {
				if found := Compare(read(t, statements(n, "a")), read(t, statements(n, "b"))); len(found) != 2*n {
					t.Errorf("%d statements that differ: %d differences", n, len(found))
				}
			},
		},
		"Condition": {
			reason: "One key of a condition is spelled in many ways, with a value each.",
			do: func(n int) {
				keys := list(n, func(i int) string {
					key := []byte("aws:abcdefghijklmnop")
					for bit := range 16 {
						if i>>bit&1 > 0 {
							key[4+bit] -= 'a' - 'A'
						}
					}
					return fmt.Sprintf(`"%s":"%d"`, key, i)
				})
				d := read(t, `{"Statement":{"Effect":"Deny","Condition":{"StringEquals":{`+keys+`}}}}`)
				if got := d.Statements[0].Condition["StringEquals"]; len(got) != 1 ||
					len(got["aws:abcdefghijklmnop"]) != n {
					t.Errorf("%d spellings: %d keys", n, len(got))
				}
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			work := func(n int) float64 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				tc.do(n)
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc)
			}
			if few, many := work(100), work(1000); many > 20*few {
				t.Errorf("%s\nten times the policy takes %.0f times the memory", tc.reason, many/few)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   string
	}{
		"Empty": {reason: "Nothing is no policy.", text: "", want: "the JSON is incomplete"},
		"Cut":   {reason: "Half a policy is none.", text: `{"Statement":`, want: "the JSON is incomplete"},
		"NoJSON": {
			reason: "The text has to be JSON.", text: `{'Statement': []}`,
			want: `invalid character '\'' looking for beginning of object key string`,
		},
		"List": {reason: "A policy is a block.", text: `[]`, want: "expected a JSON object, not array"},
		"Trailing": {
			reason: "One policy at a time.",
			text:   `{"Statement":{"Effect":"Allow"}}}`,
			want:   "there is more text after the end",
		},
		"NoStatement": {
			reason: "A policy needs a Statement.",
			text:   `{"Version":"2012-10-17"}`,
			want:   "Statement is missing",
		},
		"EmptyStatement": {
			reason: "A policy needs a statement in its list.", text: `{"Statement":[]}`,
			want: "Statement is missing",
		},
		"TextStatement": {
			reason: "A statement is a block.", text: `{"Statement":["a"]}`,
			want: "in statement 1, expected a JSON object, not string",
		},
		"Typo": {
			reason: "What no policy has is a typing error.",
			text:   `{"Statement":[{"Effect":"Allow","Actions":"a"}]}`,
			want:   `in statement 1, unknown field "Actions"`,
		},
		"TopTypo": {
			reason: "What no policy has is a typing error.", text: `{"Statements":[]}`,
			want: `unknown field "Statements"`,
		},
		"Effect": {
			reason: "IAM knows two effects.",
			text:   `{"Statement":[{"Effect":"allow"}]}`,
			want:   `in statement 1, Effect is "allow", not Allow or Deny`,
		},
		"SidNumber": {
			reason: "An id is a text.",
			text:   `{"Statement":[{"Sid":1,"Effect":"Allow"}]}`,
			want:   "in statement 1, Sid can't be a number",
		},
		"ActionBlock": {
			reason: "Actions are texts.",
			text:   `{"Statement":[{"Effect":"Allow","Action":{"a":"b"}}]}`,
			want:   "in statement 1, a value is not a string, number or boolean",
		},
		"PrincipalText": {
			reason: "IAM takes no bare principal but *.",
			text:   `{"Statement":[{"Effect":"Allow","Principal":"s3.amazonaws.com"}]}`,
			want:   `in statement 1, a principal that is not a JSON object must be "*"`,
		},
		"ConditionList": {
			reason: "Conditions are blocks.",
			text:   `{"Statement":[{"Effect":"Allow","Condition":["a"]}]}`,
			want:   "in statement 1, Condition can't be a array",
		},
		"Fine": {
			reason: "A valid policy is accepted.",
			text:   `{"Statement":[{"Effect":"Allow","Principal":"*","Action":"lambda:InvokeFunction","Resource":"*"}]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if _, err := Check(tc.text); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCheck(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestParseOfNothing checks that an empty policy of AWS has no statements, however it is written,
// and that an empty desired policy is an error.
func TestParseOfNothing(t *testing.T) {
	for _, text := range []string{
		"", " ", "null", `""`, "{}", `{"Version":"2012-10-17"}`, `{"Statement":null}`, `{"Statement":[]}`, `{"Statement":""}`, `{"Statement":[null]}`,
	} {
		if d, err := Parse(text); err != nil || len(d.Statements) > 0 {
			t.Errorf("Parse(%s): got %+v, %v", text, d, err)
		}
		if _, err := Check(text); err == nil {
			t.Errorf("Check(%s): want an error", text)
		}
	}
}

func TestFind(t *testing.T) {
	d := read(t, `{"Statement":[{"Effect":"Allow"},{"Sid":"a","Effect": "Deny"}]}`)
	if s, ok := d.Find("a"); !ok || s.Effect != "Deny" || s.Written != `{"Sid":"a","Effect":"Deny"}` {
		t.Errorf("a is %+v, %t", s, ok)
	}
	for _, sid := range []string{"", "b", "A"} {
		if s, ok := d.Find(sid); ok {
			t.Errorf("%q is %+v", sid, s)
		}
	}
}

// random returns a random policy, as it is and as AWS might return it.
func random(r *rand.Rand) (wanted, observed string) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	accountOrARN := func(id string) string {
		if r.IntN(2) == 0 {
			return id
		}
		return "arn:aws:iam::" + id + ":root"
	}
	list := func(values ...string) any {
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		if len(values) == 1 && r.IntN(2) == 0 {
			return values[0]
		}
		return values
	}
	statements := []func() map[string]any{}
	for i := range 1 + r.IntN(4) {
		sid, n, actions := pick("", "a", "b")+strings.Repeat("x", i), pick("111122223333",
			"444455556666"), []string{"lambda:InvokeFunction", "lambda:GetFunction"}[:1+r.IntN(2)]
		if sid == strings.Repeat("x", i) {
			sid = ""
		}
		conditional, effect := r.IntN(2) == 0, pick("Allow", "Deny")
		statements = append(statements, func() map[string]any {
			s := map[string]any{"Effect": effect, "Resource": list("*"), "Action": list(append([]string{},
				actions...)...), "Principal": map[string]any{"AWS": list(accountOrARN(n), "arn:aws:iam::1:role/r")}}
			if sid != "" {
				s["Sid"] = sid
			}
			if conditional {
				s["Condition"] = map[string]any{"Bool": map[string]any{pick("aws:SecureTransport",
					"AWS:securetransport"): []any{"true", true}[r.IntN(2)]}}
			}
			return s
		})
	}
	write := func() string {
		all := []map[string]any{}
		for _, i := range r.Perm(len(statements)) {
			all = append(all, statements[i]())
		}
		b, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": all})
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	return write(), write()
}

// TestRandomPolicies checks that policies are equal however they are written, and that a change of
// the meaning is found.
func TestRandomPolicies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // Tests are to be the same each time.
	for range 500 {
		wanted, observed := random(r)
		w, o := read(t, wanted), read(t, observed)
		if found := Compare(w, o); len(found) > 0 {
			t.Fatalf("%s\nand\n%s\ndiffer: %+v", wanted, observed, found)
		}
		at := r.IntN(len(o.Statements))
		o.Statements[at].Resource = append(o.Statements[at].Resource, "other")
		if found := Compare(w, o); len(found) == 0 {
			t.Fatalf("%s\nhas another resource than\n%s", observed, wanted)
		}
		o.Statements = append(o.Statements[:at:at], o.Statements[at+1:]...)
		if found := Compare(w, o); len(found) != 1 {
			t.Fatalf("%s\nwithout statement %d differs from\n%s: %+v", observed, at, wanted, found)
		}
	}
}

// FuzzParse checks that a policy equals itself, also after it was written anew.
func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // Seeds are to be the same each time.
	for range 20 {
		wanted, _ := random(r)
		f.Add(wanted)
	}
	f.Add(`{"Statement":{"Effect":"Allow","NotPrincipal":{"AWS":[]},"Condition":{"A":{"b":[1e3,1.50]}}}}`)
	f.Add(`{"Statement":[null,{"Effect":"Deny","Principal":["*"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		if found := Compare(d, d); len(found) > 0 {
			t.Fatalf("%s differs from itself: %+v", text, found)
		}
		anew := make([]string, 0, len(d.Statements))
		for _, s := range d.Statements {
			anew = append(anew, s.Text())
			GrantOf(s, ":f").Like(Grant{})
		}
		again, err := Parse(`{"Statement":[` + strings.Join(anew, ",") + `]}`)
		if err != nil {
			t.Fatalf("%s can't be read anew: %v", text, err)
		}
		d.Version, d.ID = "", ""
		if found := Compare(d, again); len(found) > 0 {
			t.Fatalf("%s differs when written anew: %+v", text, found)
		}
	})
}

// TestBarePrincipal checks that the policy of an emulator which returns principals as AddPermission was sent them is
// read.
func TestBarePrincipal(t *testing.T) {
	d, err := Parse(`{"Statement":[{"Effect":"Allow","Principal":"alexa-appkit.amazon.com"}]}`)
	want := principals{kindService: {"alexa-appkit.amazon.com"}}
	if err != nil || len(d.Statements) != 1 || !cmp.Equal(principals(d.Statements[0].Principal), want) {
		t.Errorf("got %+v, %v, want %v", d, err, want)
	}
}

// TestPrincipals checks that principals which mean the same are equal.
func TestPrincipals(t *testing.T) {
	want := principals{kindAWS: {"123456789012"}}
	for _, text := range []string{
		`{"AWS": "arn:aws:iam::123456789012:root"}`, `{"AWS": ["123456789012"]}`, `"123456789012"`, `"arn:aws:iam::123456789012:root"`,
	} {
		got := principals{}
		if err := json.Unmarshal([]byte(text), &got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}
