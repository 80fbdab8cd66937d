package watch

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
)

// Stop stops a manager with an error, by adding a runnable that fails. If the manager does not
// accept one, it is stopping already. It is for controllers that are set up while the manager
// runs and have no caller to return an error to.
func Stop(mgr ctrl.Manager, err error) {
	_ = mgr.Add(ctrlmanager.RunnableFunc(func(context.Context) error { return err }))
}
