// Package testenv drives the observer of a kind as the runtime does, one reconcile at a time, against a double of AWS
// and with a clock that the test moves. It is for tests only.
//
// A test wraps an Env of its kind, and adds what only it needs:
//
//	type env struct{ *testenv.Env[*v1beta1.Alias] }
//
//	func newEnv(t testing.TB) env {
//		w := testenv.NewAWS(t, awsdouble.Options{})
//		return env{testenv.Observing(w, func() reconcile.Observer[*v1beta1.Alias] {
//			return newExternal(w.Lambda, w.Cache)
//		})}
//	}
package testenv
