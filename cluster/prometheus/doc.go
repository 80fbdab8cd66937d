// Package prometheus tests the alerts and the dashboard of the folder observability with
// Prometheus's own parser, against what the provider is known to serve.
package prometheus
