package managed

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
)

// Stop a manager with an error: it ends when any part of it does. If it takes no
// further part it is ending already. For controllers that are set up while the
// manager runs, which have no one to return an error to.
func Stop(mgr ctrl.Manager, err error) {
	_ = mgr.Add(ctrlmanager.RunnableFunc(func(context.Context) error { return err }))
}
