// Command dev is the development control plane in one binary: etcd and kube-apiserver, the real programs, and
// kube-controller-manager with some of its controllers. The name with which it is called or its first argument selects
// one.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // The API server validates time zones, and minimal images have no zoneinfo.

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics at /metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // build info at /metrics
	kubeapiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// programs are the programs in this binary. Each receives its arguments, with its own name first.
var programs = map[string]func(args []string){
	"etcd": etcdmain.Main,
	"kube-apiserver": func(args []string) {
		os.Args = args
		os.Exit(cli.Run(kubeapiserver.NewAPIServerCommand()))
	},
	"kube-controller-manager": func(args []string) {
		if err := controllerManager(args); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	},
}

func main() {
	args := os.Args
	if _, ok := programs[name(args)]; !ok && len(args) > 1 {
		args = args[1:]
	}

	run, ok := programs[name(args)]
	if !ok {
		fmt.Fprintln(os.Stderr,
			"call me by the name of, or with the first argument, etcd, kube-apiserver or kube-controller-manager")
		os.Exit(2)
	}
	run(args)
}

// name returns the name with which the program is called, without its folder.
func name(args []string) string {
	return filepath.Base(args[0])
}
