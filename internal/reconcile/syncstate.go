package reconcile

// A SyncState is the result of comparing the external resource with spec.
type SyncState int

const (
	// Undecided means that the observation allows no conclusion: AWS was not called, or is still working.
	Undecided SyncState = iota

	// UpToDate means that AWS has what spec asks for, and serves it.
	UpToDate

	// Unserved means that AWS has what spec asks for, and does not serve it, such as a mapping that is disabled.
	Unserved

	// SourceChanged means that what spec points to has changed at its source, such as an
	// object in S3. The difference is a new version rather than drift.
	SourceChanged

	// Differs means that AWS has something else than spec asks for.
	Differs

	// Missing means that the external resource does not exist.
	Missing
)

// String returns the value of the metric label change, for the two results that can be drift.
func (c SyncState) String() string {
	if c == Missing {
		return "missing"
	}
	return "changed"
}
