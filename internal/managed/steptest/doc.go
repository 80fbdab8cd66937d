// Package steptest drives the external client of a kind as the runtime does, a
// reconcile at a time, against a double of AWS and by a clock that the test moves. It
// is the one place that tests of kinds have this from, and for tests only.
//
// A test wraps a Rig of its kind, and adds what only it needs:
//
//	type rig struct{ *steptest.Rig[*v1beta1.Alias] }
//
//	func newRig(t testing.TB) rig {
//		w := steptest.NewWorld(t, awsdouble.Options{})
//		return rig{steptest.NewRig(w, func() xpmanaged.TypedExternalClient[*v1beta1.Alias] {
//			return flow.New(&thing{api: w.Lambda, cache: w.Cache}, calls)
//		})}
//	}
package steptest
