package lambdaapi

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// A list has no end. Its pages from the page failing on are errors, and those from the page repeating on name the page
// after that one as the next. Each has some bytes.
type list struct{ read, failing, repeating, bytes int }

func (l *list) HasMorePages() bool { return true }

func (l *list) NextPage(ctx context.Context, _ ...func(*lambda.Options)) (*lambda.ListAliasesOutput, error) {
	Received(ctx, l.bytes)
	if l.read++; l.read >= l.failing {
		return nil, errors.New("broken")
	}
	return &lambda.ListAliasesOutput{NextMarker: aws.String(strconv.Itoa(min(l.read, l.repeating)))}, nil
}

func TestEach(t *testing.T) {
	const never = 2 * MostPages
	cases := map[string]struct {
		list  list
		pages int
		want  string
	}{
		"Error": {list: list{failing: 3, repeating: never}, pages: 2, want: "broken"},
		"TooLong": {
			list:  list{failing: never, repeating: never},
			pages: MostPages,
			want:  "aliases has no end after 200 pages",
		},
		"TooLarge": {
			list:  list{failing: never, repeating: never, bytes: 10 << 20},
			pages: 7,
			want:  "aliases is longer than 64 MiB",
		},
		"Repeated": {list: list{failing: never, repeating: 4}, pages: 4, want: "aliases has no end after 4 pages"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var last error
			pages := 0
			for page, err := range Each(t.Context(), "aliases", &tc.list) {
				if last = err; page != nil {
					pages++
				}
			}
			if last == nil || !strings.Contains(last.Error(), tc.want) || pages != tc.pages {
				t.Errorf("want %q after %d pages, got %v after %d", tc.want, tc.pages, last, pages)
			}
		})
	}
	for range Each(t.Context(), "aliases", &list{failing: 2}) {
		break // The list can be left early.
	}
}
