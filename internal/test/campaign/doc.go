// Package campaign tests the whole provider with failures: processes that end at any call,
// responses that are late, lost or malformed, stale caches, outages, hostile tenants.
//
// A Simulation runs the provider as the binary assembles it, with a double of the Kubernetes API and one of AWS, in a
// testing/synctest bubble: nothing leaves the process, clocks are simulated, and every request to either API passes a
// Network that a test controls. `make campaign` runs it; docs/reliability.md has its figures.
package campaign
