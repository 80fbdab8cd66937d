package analysis

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/egress"
)

// CheckHost returns an error unless a value of --analysis-host is a host, a host and a port, or a pattern of them.
func CheckHost(pattern string) error {
	host, port := splitHost(pattern)
	_, err := strconv.ParseUint(port, 10, 16)
	if port != "" && err != nil || host == "" || strings.ContainsAny(host, "/@ ") || egress.CheckPattern(host) != nil {
		return errors.New("it must be a host such as prometheus.example.org, a host and a port, or a pattern such as " +
			"*.example.org")
	}
	return nil
}

// splitHost returns the host and the port of a pattern. The port is empty if it has none.
func splitHost(pattern string) (host, port string) {
	if h, p, err := net.SplitHostPort(pattern); err == nil {
		return h, p
	}
	return pattern, ""
}

// A hostError is the error of a host that may not be called.
type hostError struct{ host, reason string }

// Error returns what the user can do.
func (e *hostError) Error() string {
	return fmt.Sprintf("host %s is not allowed: %s", e.host, e.reason)
}

// hosts are the hosts that the provider's operator allows.
type hosts struct {
	allowed []string

	// loopback allows loopback addresses of hosts that are listed exactly, for tests.
	loopback bool
}

// check returns an error unless a host and its port are allowed.
func (h hosts) check(host, port string) error {
	host = egress.Host(host)
	if !h.match(host, port, egress.Matches) {
		return &hostError{host: host, reason: "ask the provider's operator for --analysis-host=" + host}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return h.checkAddress(host, port, a)
	}
	return nil
}

// checkAddress returns an error for addresses of the pod itself and of its node, and for private
// ones unless the host is listed exactly.
func (h hosts) checkAddress(host, port string, a netip.Addr) error {
	host = egress.Host(host)
	exact := h.match(host, port, func(pattern, host string) bool { return egress.Host(pattern) == host })
	switch {
	case egress.Address(a).IsLoopback() && h.loopback && exact:
		return nil
	case egress.IsReserved(a):
		return &hostError{host: host, reason: "its address is loopback, link-local or reserved"}
	case egress.IsPrivate(a) && !exact:
		return &hostError{host: host, reason: "its address is private and may belong to the cluster: ask the " +
			"provider's operator for --analysis-host=" + host +
			", which a pattern does not replace"}
	}
	return nil
}

func (h hosts) match(host, port string, same func(pattern, host string) bool) bool {
	return slices.ContainsFunc(h.allowed, func(entry string) bool {
		pattern, only := splitHost(entry)
		return (only == "" || only == port) && same(pattern, host)
	})
}

// checkURL returns an error unless the host of a URL is allowed.
func (h hosts) checkURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errURL
	}
	return h.check(u.Hostname(), portOf(u))
}

// portOf returns the port of a URL, or else that of its scheme.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}
