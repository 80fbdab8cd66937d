// Package prometheus tests the alerts and the dashboard in the folder observability with Prometheus's own parser,
// against the metrics that the provider serves.
package prometheus
