// Package conformance proves the provider on a real account of AWS, or on an emulator: it runs scenarios with the
// provider in this process, records what AWS answers, and compares the recordings with the double of AWS.
//
// scenario.go has the form of the scenarios in scenarios/, and steps.go carries them out. All calls pass a Gate
// (gate.go), which counts them, writes what is made into a State (state.go) before it is made, and refuses to change
// what another one made. Clean (clean.go) removes what a run has left. recording.go and redact.go write recordings,
// compare.go and differences.go compare them with the double.
package conformance
