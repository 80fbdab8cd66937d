package lambdaapi

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// A list has no end. Its pages from the page failing on are errors.
type list struct{ read, failing int }

func (l *list) HasMorePages() bool { return true }

func (l *list) NextPage(context.Context, ...func(*lambda.Options)) (*int, error) {
	if l.read++; l.read >= l.failing {
		return nil, errors.New("broken")
	}
	return &l.read, nil
}

func TestEach(t *testing.T) {
	for want, failing := range map[string]int{"broken": 3, "the list of aliases has more than 200 pages": MostPages + 9} {
		var last error
		pages := 0
		for page, err := range Each(t.Context(), "aliases", &list{failing: failing}) {
			if last = err; page != nil {
				pages++
			}
		}
		if last == nil || !strings.Contains(last.Error(), want) || pages != min(failing-1, MostPages) {
			t.Errorf("want %q at the end, got %v after %d pages", want, last, pages)
		}
	}
	for range Each(t.Context(), "aliases", &list{failing: 2}) {
		break // The list can be left early.
	}
}
