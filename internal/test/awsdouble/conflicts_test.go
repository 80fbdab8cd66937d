package awsdouble

import (
	"slices"
	"testing"
)

func TestAPermissionMayGetLost(t *testing.T) {
	s := start(t, Options{LosePermissions: true})
	c := client(s)
	create(t, c, zipFunction(t, "f"))
	if err := allow(t, c, "zero"); err != nil {
		t.Fatal(err)
	}
	held := s.Hold("AddPermission")
	first := make(chan error, 1)
	go func() { first <- allow(t, c, "one") }()
	<-held.Arrived()
	if err := allow(t, c, "two"); err != nil {
		t.Fatal(err)
	}
	held.Release()
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	sids := []string{}
	for _, sid := range []string{"zero", "one", "two"} {
		if s.homes["123456789012/eu-west-1"].policies["arn:aws:lambda:eu-west-1:123456789012:function:f"].index(
			sid) >= 0 {
			sids = append(sids, sid)
		}
	}
	if want := []string{"zero", "one"}; !slices.Equal(sids, want) {
		t.Errorf("statements: %v, want %v", sids, want)
	}
}
