package layerversion

import (
	"testing"

	"github.com/crossplane-contrib/provider-lambda/internal/managed/steptest"
)

// What an emulator answers oddly, or not at all, is told, and publishes no second version.
func TestOddAnswers(t *testing.T) {
	type odd = map[string]steptest.Answer
	cases := map[string]struct {
		reason string
		odd    odd
		writes []string
		told   string
	}{
		"None":         {reason: "AWS as it is.", writes: []string{opPublish}},
		"EmptyPublish": {reason: "What was published is found by what was noted.", odd: odd{opPublish: steptest.Body("{}")}, writes: []string{opPublish}},
		"NullPublish":  {reason: "So it is here.", odd: odd{opPublish: steptest.Body("null")}, writes: []string{opPublish}},
		"OnlyLayerARN": {reason: "The number makes it the version's.", odd: odd{opPublish: steptest.Without("LayerVersionArn")}, writes: []string{opPublish}},
		"NoARN":        {reason: "The name is known.", odd: odd{opGet: steptest.Without("LayerVersionArn", "LayerArn", "Version")}, writes: []string{opPublish}},
		"EmptyGet":     {reason: "What is not shown is what was published.", odd: odd{opGet: steptest.Body("{}")}, writes: []string{opPublish}},
		"NoContent":    {reason: "So is the content.", odd: odd{opGet: steptest.Without("Content")}, writes: []string{opPublish}},
		"NoList":       {reason: "Without a list, there was no version before.", odd: odd{opList: steptest.Refusal(404, "ResourceNotFoundException")}, writes: []string{opPublish}},
		"EmptyList":    {reason: "Nor where it is empty.", odd: odd{opList: steptest.Body("{}")}, writes: []string{opPublish}},
		"Nowhere": {
			reason: "Another publication would make another version.", odd: odd{opPublish: steptest.Body("{}"), opList: steptest.Body(`{"LayerVersions": null}`)},
			writes: []string{opPublish}, told: "has not appeared since",
		},
		"NotShown": {
			reason: "What AWS does not show is waited for.", odd: odd{opGet: steptest.Refusal(404, "ResourceNotFoundException")},
			writes: []string{opPublish}, told: "has not appeared since",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			newEnv(t).Bear(testLayer(), tc.odd, tc.writes, tc.told)
		})
	}
}

// AWS may be late in showing any version, not the first one only.
func TestALaterVersionThatDoesNotShowIsNotPublishedTwice(t *testing.T) {
	e := newEnv(t)
	l := testLayer()
	e.Settle(l)
	l.Spec.ForProvider.Content, l.Generation = inline("two"), 2
	if o, err := e.Do(l); o != steptest.Updated || err != nil {
		t.Fatalf("%s, %v", o, err)
	}
	e.Bear(l, map[string]steptest.Answer{opGet: steptest.Refusal(404, "ResourceNotFoundException")}, nil, "has not appeared since")
}
