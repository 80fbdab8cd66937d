package main

import (
	"context"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-contrib/provider-lambda/apis/v1beta1"
	"github.com/crossplane-contrib/provider-lambda/internal/planserver"
)

// internalCommands are commands for other programs, which come before all flags of the provider: they need no cluster.
type internalCommands struct {
	Internal struct {
		DiffServer planServer `aliases:"plan-server" cmd:"" help:"Serve plans by gRPC, without a cluster and without AWS."`
	} `cmd:"" hidden:""`
}

// isInternal returns whether the arguments are those of an internal command.
func isInternal(args []string) bool { return len(args) > 0 && args[0] == "internal" }

// planServer is the command that serves plans.
type planServer struct {
	Address string `default:":9099" help:"Address to listen on." placeholder:"ADDRESS"`
}

// Run serves plans until ctx is done.
func (s *planServer) Run(ctx context.Context) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", s.Address, err)
	}
	return planserver.Serve(ctx, l, scheme, time.Now)
}
