package process

import (
	"net"
	"syscall"
	"testing"
)

// TestFreeAddress checks that a server can listen on the address, and that the kernel assigns its port to no other
// socket before and after that.
func TestFreeAddress(t *testing.T) {
	address, err := FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	reserved, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	assigned := func() {
		t.Helper()
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Close(fd) }()
		const portRange = 51 // IP_LOCAL_PORT_RANGE of Linux 6.3: the last port and the first.
		if err := syscall.SetsockoptInt(
			fd,
			syscall.IPPROTO_IP,
			portRange,
			reserved.Port<<16|reserved.Port,
		); err != nil {
			t.Skipf("this Linux has no range of ports for a socket: %v", err)
		}
		if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err == nil {
			t.Errorf("the kernel assigns %s, which is reserved", address)
		}
	}

	assigned()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("nobody can listen on a reserved port: %v", err)
	}
	assigned()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	assigned()
}
