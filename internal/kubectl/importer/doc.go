// Package importer has the command "kubectl lambda import", which writes manifests of the functions that an account
// has, and proves with the planner that applying them changes nothing but tags.
//
// What the account has is read by discover.go, through a recorder, which keeps to the quotas of AWS and remembers each
// answer. build.go makes resources of it: each kind observes its own, and shape.go writes spec.forProvider from
// status.atProvider. import.go plans the resources, against the remembered answers. write.go writes them.
package importer
