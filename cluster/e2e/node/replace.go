package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Replace makes an image run another program from now on; the node copies it. It returns when the program runs and is
// ready, or has ended by itself. It returns false, at once, if the image already runs the same program.
func (n *Node) Replace(ctx context.Context, image, program string) (changed bool, err error) {
	program, err = n.keep(program)
	if err != nil {
		return false, fmt.Errorf("cannot copy the program: %w", err)
	}
	n.mu.Lock()
	was := n.programs[image]
	n.programs[image] = program
	n.mu.Unlock()
	if was == program {
		return false, nil
	}
	err = n.awaitProgram(ctx, image, program)
	if was != "" {
		err = errors.Join(err, os.Remove(was))
	}
	return true, err
}

func (n *Node) awaitProgram(ctx context.Context, image, program string) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if n.isReady(image, program) {
			return nil
		}
		if err := n.crashed(func(p *pod) bool { return p.image == image && p.program == program }, 1); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", filepath.Base(program), ctx.Err())
		case <-tick.C:
		}
	}
}

func (n *Node) isReady(image, program string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.pods {
		if p.image == image && p.program == program && p.ready && !p.hasEnded() {
			return true
		}
	}
	return false
}

// keep copies a program to the node's folder, under a name that depends on its content.
func (n *Node) keep(program string) (string, error) {
	b, err := os.ReadFile(program) //nolint:gosec // Which one to run is the caller's to say.
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	to := n.folder.File(filepath.Base(program) + "-" + hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(to); err == nil { //nolint:gosec // It is in the node's folder.
		return to, nil
	}
	// It is run by its name only, and only once Replace uses it.
	return to, os.WriteFile(to, b, 0o700) //nolint:gosec // A program is executable.
}

// program returns the program that an image runs.
func (n *Node) program(ctx context.Context, image string) (string, error) {
	if p := n.programs[image]; p != "" {
		return p, nil
	}
	return n.options.Program(ctx, image)
}
