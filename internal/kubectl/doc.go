// Package kubectl has what the subcommands of the kubectl plugin share: kubectl's flags, clients, names of resources,
// output, completion, errors and exit codes. Each group of subcommands has a package of its own below it, and
// cmd/kubectl-lambda puts them together.
package kubectl
