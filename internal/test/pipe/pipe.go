// Package pipe connects clients and servers within the process, by connections whose deadlines are exact: bufconn of
// grpc applies a deadline that was just removed if its timer has fired, so that net/http ends connections at random.
package pipe

import (
	"context"
	"net"
	"sync"
)

// A Listener accepts the connections of its Dial.
type Listener struct {
	dialed chan net.Conn
	closed chan struct{}
	close  sync.Once
}

// Listen returns a listener. Its address names no host.
func Listen() *Listener {
	return &Listener{dialed: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the listener, whatever the network and the address. It returns an error if the listener is closed or
// ctx is done before the connection is accepted.
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.dialed <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept returns the next connection, or net.ErrClosed if the listener is closed.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener, but no connection. It returns nil.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// Addr returns an address that names no host.
func (l *Listener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
