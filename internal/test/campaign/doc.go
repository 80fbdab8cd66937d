// Package campaign tries the whole provider against what may go wrong: processes that end
// at any call, answers that are late, lost or odd, stale caches, outages, hostile tenants.
//
// A Simulation has the provider as the binary puts it together, with a double of the
// Kubernetes API and one of AWS, in a testing/synctest bubble: nothing of it leaves the
// process, clocks are simulated, and every request of either API passes a Network that a
// test controls. `make campaign` runs it; docs/reliability.md has its figures.
package campaign
