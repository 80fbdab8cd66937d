package node

import (
	"context"
	"fmt"
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// writeStatus writes a Deployment's status, as the Deployment controller does.
func (n *Node) writeStatus(ctx context.Context, d *appsv1.Deployment) error {
	var up, ready int32
	for _, p := range n.pods {
		if p.deployment != d.GetName() || p.hasEnded() {
			continue
		}
		up++
		if p.ready = n.answers(ctx, d.Spec.Template.Spec.Containers[0], p.probe); p.ready {
			ready++
		}
	}
	was := d.DeepCopy()
	d.Status.ObservedGeneration = d.GetGeneration()
	d.Status.Replicas, d.Status.UpdatedReplicas = up, up
	d.Status.ReadyReplicas, d.Status.AvailableReplicas = ready, ready
	d.Status.UnavailableReplicas = max(replicas(d)-ready, 0)
	setAvailable(&d.Status, ready >= replicas(d))
	if equality.Semantic.DeepEqual(was.Status, d.Status) {
		return nil
	}
	return n.kube.Status().Patch(ctx, d, client.MergeFrom(was))
}

func setAvailable(s *appsv1.DeploymentStatus, available bool) {
	status, reason := corev1.ConditionFalse, "MinimumReplicasUnavailable"
	if available {
		status, reason = corev1.ConditionTrue, "MinimumReplicasAvailable"
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if c.Type != appsv1.DeploymentAvailable {
			continue
		}
		if c.Status != status {
			c.Status, c.Reason, c.LastTransitionTime = status, reason, metav1.Now()
		}
		return
	}
	s.Conditions = append(s.Conditions, appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: status, Reason: reason, LastTransitionTime: metav1.Now(),
		LastUpdateTime: metav1.Now(),
	})
}

// answers calls a container's readiness probe. A container without one is ready.
func (n *Node) answers(ctx context.Context, c corev1.Container, p *corev1.Probe) bool {
	if p == nil || p.HTTPGet == nil {
		return true
	}
	port := p.HTTPGet.Port.IntVal
	if p.HTTPGet.Port.Type == intstr.String {
		for _, named := range c.Ports {
			if named.Name == p.HTTPGet.Port.StrVal {
				port = named.ContainerPort
			}
		}
	}
	local, ok := n.options.Ports[port]
	if !ok {
		local = int(port)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("http://127.0.0.1:%d%s", local, p.HTTPGet.Path), nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode < http.StatusBadRequest
}
