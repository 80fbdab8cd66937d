package devcluster

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A reservedPort is a port on 127.0.0.1 that no other process can get while a program that this process starts comes
// up and listens on it. If a free port were chosen and released, another process could take it in between.
type reservedPort struct {
	fd     int
	number int
}

// reservePort reserves a free port. A socket that is bound, but does not listen, gets no connections; the program
// that listens must set SO_REUSEPORT too.
func reservePort() (*reservedPort, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot reserve a port: %w", err)
	}
	p := &reservedPort{fd: fd}
	if p.number, err = bind(fd); err != nil {
		p.release()
		return nil, fmt.Errorf("cannot reserve a port: %w", err)
	}
	return p, nil
}

// bind binds a socket to a free port and returns the port's number.
func bind(fd int) (int, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	addr, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	in4, ok := addr.(*unix.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("a socket of another family: %T", addr)
	}
	return in4.Port, nil
}

func (p *reservedPort) release() {
	_ = unix.Close(p.fd) // The port is free again, whatever close returns.
}
