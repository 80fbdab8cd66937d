package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrURL is the error of a URL that is not http or https, or has no host.
var ErrURL = errors.New("it is not an http or https URL")

// CheckHost returns an error unless an entry of Hosts is a host, a host and a port, or a pattern of them.
func CheckHost(pattern string) error {
	host, port := SplitHost(pattern)
	_, err := strconv.ParseUint(port, 10, 16)
	_, malformed := path.Match(host, "")
	if port != "" && err != nil || host == "" || strings.ContainsAny(host, "/@ ") || malformed != nil {
		return errors.New("it must be a host such as prometheus.example.org, a host and a port, or a pattern such as " +
			"*.example.org")
	}
	return nil
}

// SplitHost returns the host and the port of a pattern. The port is empty if it has none.
func SplitHost(pattern string) (host, port string) {
	if h, p, err := net.SplitHostPort(pattern); err == nil {
		return h, p
	}
	return pattern, ""
}

// A HostError is the error of a host that may not be called.
type HostError struct{ host, reason string }

// Error returns what the user can do.
func (e *HostError) Error() string {
	return fmt.Sprintf("host %s is not allowed: %s", e.host, e.reason)
}

// Hosts are the hosts that the provider's operator allows by a flag. The zero value allows none.
type Hosts struct {
	// Flag is the name of the flag, for errors.
	Flag string

	// Allowed are hosts, hosts with a port, and patterns of them.
	Allowed []string

	// Public also allows hosts that are not listed, at their public addresses.
	Public bool

	// Loopback allows loopback addresses of hosts that are listed exactly, for tests.
	Loopback bool
}

// Check returns an error unless a host and its port are allowed.
func (h Hosts) Check(host, port string) error {
	host = Host(host)
	if !h.Public && !h.match(host, port, Matches) {
		return &HostError{host: host, reason: "ask the provider's operator for " + h.Flag + "=" + host}
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return h.CheckAddress(host, port, a)
	}
	return nil
}

// CheckAddress returns an error for addresses of the pod itself and of its node, and for private
// ones unless the host is listed exactly.
func (h Hosts) CheckAddress(host, port string, a netip.Addr) error {
	host = Host(host)
	exact := h.match(host, port, func(pattern, host string) bool { return Host(pattern) == host })
	switch {
	case Address(a).IsLoopback() && h.Loopback && exact:
		return nil
	case IsReserved(a):
		return &HostError{host: host, reason: "its address is loopback, link-local or reserved"}
	case IsPrivate(a) && !exact:
		return &HostError{host: host, reason: "its address is private and may belong to the cluster: ask the " +
			"provider's operator for " + h.Flag + "=" + host + ", which a pattern does not replace"}
	}
	return nil
}

func (h Hosts) match(host, port string, same func(pattern, host string) bool) bool {
	return slices.ContainsFunc(h.Allowed, func(entry string) bool {
		pattern, only := SplitHost(entry)
		return (only == "" || only == port) && same(pattern, host)
	})
}

// CheckURL returns an error unless the host of a URL is allowed.
func (h Hosts) CheckURL(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ErrURL
	}
	return h.Check(u.Hostname(), Port(u))
}

// Port returns the port of a URL, or else that of its scheme.
func Port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// keepAlive is the interval of TCP's probes.
const keepAlive = 30 * time.Second

// Dialer returns a function that connects to allowed hosts within a time. It checks the address at the moment of
// connecting, so that the name cannot resolve to another one after the check.
func (h Hosts) Dialer(timeout time.Duration) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if err := h.Check(host, port); err != nil {
			return nil, err
		}
		d := net.Dialer{
			Timeout: timeout, KeepAlive: keepAlive,
			Control: func(_, resolved string, _ syscall.RawConn) error {
				a, err := netip.ParseAddrPort(resolved)
				if err != nil {
					return err
				}
				return h.CheckAddress(host, port, a.Addr())
			},
		}
		return d.DialContext(ctx, network, address)
	}
}

// maxHeader is the most that the header of a response may have, in bytes.
const maxHeader = 64 << 10

// Transport returns a transport to allowed hosts, which connects within a time and waits for another for the TLS
// handshake and the header of a response. It uses no proxy, because the checks would see the address of the proxy
// instead of the one that is called.
func (h Hosts) Transport(dial, answer time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            h.Dialer(dial),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    answer,
		ResponseHeaderTimeout:  answer,
		MaxResponseHeaderBytes: maxHeader,
	}
}
