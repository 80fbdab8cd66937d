package process

import (
	"fmt"
	"runtime"
	"syscall"
)

// FreeAddress returns a free address on 127.0.0.1 for a program to listen on. Its port is reserved until this process
// ends: if it were only chosen, another server or a connection could take it before the program listens. The program
// must set SO_REUSEADDR, as Go does. Only Linux lets a program listen on a port that is reserved, so that on other
// systems it is only chosen.
func FreeAddress() (string, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return "", fmt.Errorf("cannot reserve a port: %w", err)
	}
	port, err := bind(fd)
	if err != nil || runtime.GOOS != "linux" {
		_ = syscall.Close(fd) // The port is free again, whatever close returns.
	}
	if err != nil {
		return "", fmt.Errorf("cannot reserve a port: %w", err)
	}
	return fmt.Sprintf("127.0.0.1:%d", port), nil
}

// bind binds a socket to a free port and returns the port's number. The kernel assigns that port to nobody else. A
// socket that does not listen gets no connections.
func bind(fd int) (int, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	addr, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	in4, ok := addr.(*syscall.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("a socket of another family: %T", addr)
	}
	return in4.Port, nil
}
