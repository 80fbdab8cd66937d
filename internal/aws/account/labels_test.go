package account

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
)

// TestRegionsAreSwept uses regions that are not read afterwards.
func TestRegionsAreSwept(t *testing.T) {
	d := newDesk(t)
	most := 0
	for i := range 1000 {
		d.RecordUse(d.session(fmt.Sprintf("c%d", i%10), fmt.Sprintf("eu-x%d-1", i)))
		d.time = d.time.Add(time.Minute)
		most = max(most, len(d.records))
	}
	if limit := int(idle/time.Minute) + 2; most > limit {
		t.Errorf("%d regions were remembered at a time, want %d at most", most, limit)
	}
	d.time = d.time.Add(idle + time.Minute)
	d.RecordUse(d.session("stays", "eu-west-1"))
	if len(d.records) != 1 {
		t.Errorf("%d regions are remembered, want the one in use", len(d.records))
	}
}

// TestLabels has figures that are not from AWS.
func TestLabels(t *testing.T) {
	d := newDesk(t)
	add := func(uid string, s quota.Scope, n int64) {
		session := d.session(uid, s.Region)
		session.Scope = s
		d.RecordUse(session)
		r := d.records[keyOf(session)]
		r.read, r.figures.Functions = d.time, n
		d.time = d.time.Add(time.Second)
	}
	add("real", quota.Scope{Account: "1", Region: "eu-west-1"}, 1)
	add("emulator", quota.Scope{Account: "1", Region: "eu-west-1", Endpoint: "http://emulator"}, 2)
	add("tenant", quota.Scope{Account: quota.Unverified, Region: "eu-west-1", Config: "tenant"}, 3)
	add("real", quota.Scope{Account: "1", Region: "eu-made-up-1"}, 4)
	add("alone", quota.Scope{Account: "2", Region: "eu-west-1", Endpoint: "http://emulator"}, 5)
	got := map[string]int64{}
	for l, f := range d.byLabels() {
		got[l.account+" "+l.region] = f.Functions
	}
	if diff := cmp.Diff(map[string]int64{"1 eu-west-1": 1, "2 eu-west-1": 5}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
