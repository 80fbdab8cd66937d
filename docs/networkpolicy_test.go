package docs

import (
	"context"
	"net/netip"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// A peer is what the provider calls, or what calls it: an address, or a pod of a namespace.
type peer struct {
	address   string
	namespace string
}

// matches reports whether one of the peers of a rule is a peer. A rule without peers is for all.
func matches(t *testing.T, of []networkingv1.NetworkPolicyPeer, p peer) bool {
	t.Helper()
	return len(of) == 0 || slices.ContainsFunc(of, func(m networkingv1.NetworkPolicyPeer) bool {
		switch {
		case m.IPBlock != nil && p.address != "":
			within := func(cidr string) bool {
				return netip.MustParsePrefix(cidr).Contains(netip.MustParseAddr(
					p.address))
			}
			return within(m.IPBlock.CIDR) && !slices.ContainsFunc(m.IPBlock.Except, within)
		case m.NamespaceSelector != nil && p.namespace != "":
			s, err := metav1.LabelSelectorAsSelector(m.NamespaceSelector)
			if err != nil {
				t.Fatal(err)
			}
			return s.Matches(labels.Set{"kubernetes.io/metadata.name": p.namespace})
		}
		return false
	})
}

// allows reports whether a rule is for a port of TCP. A rule without ports is for all.
func allows(ports []networkingv1.NetworkPolicyPort, port int32) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return ptr.Deref(p.Protocol, corev1.ProtocolTCP) == corev1.ProtocolTCP &&
			(p.Port == nil || p.Port.IntVal == port)
	})
}

// TestNetworkPolicy applies the example to a real API server, and checks what it lets through.
func TestNetworkPolicy(t *testing.T) {
	c, policy := strict(t), &networkingv1.NetworkPolicy{}
	for _, u := range objects(t, "../examples/networkpolicy/provider.yaml") {
		if err := ensureNamespace(t, c, u.GetNamespace(), ""); err != nil {
			t.Fatal(err)
		}
		created := u.DeepCopy()
		if err := c.Create(t.Context(), created); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), created) })
		into(t, u, policy)
	}
	selects(t, "the network policy", &policy.Spec.PodSelector, podLabels())
	if want := []networkingv1.PolicyType{
		networkingv1.PolicyTypeIngress,
		networkingv1.PolicyTypeEgress,
	}; !slices.Equal(policy.Spec.PolicyTypes, want) {
		t.Errorf("it is for %v, want %v", policy.Spec.PolicyTypes, want)
	}
	cases := map[string]struct {
		reason string
		from   bool
		peer   peer
		port   int32
		want   bool
	}{
		"AWS":       {reason: "AWS is called.", peer: peer{address: "52.94.0.1"}, port: 443, want: true},
		"PlainHTTP": {reason: "Not without encryption.", peer: peer{address: "52.94.0.1"}, port: 80},
		"APIServer": {reason: "So is the API server.", peer: peer{address: "10.0.0.5"}, port: 6443, want: true},
		"DNS":       {reason: "So is DNS.", peer: peer{namespace: "kube-system"}, port: 53, want: true},
		"OtherDNS":  {reason: "But not a server of a tenant.", peer: peer{namespace: "shop"}, port: 53},
		"Pods":      {reason: "Other pods and services are not.", peer: peer{address: "10.1.2.3"}, port: 443},
		"Nodes":     {reason: "Nor are other private networks.", peer: peer{address: "192.168.1.1"}, port: 443},
		"Metadata": {
			reason: "The node's role is not the provider's.", peer: peer{address: "169.254.169.254"},
			port: 80,
		},
		"MetadataTLS": {reason: "On no port.", peer: peer{address: "169.254.169.254"}, port: 443},
		"PodIdentity": {
			reason: "The agent of Pod Identity is on the node.", peer: peer{address: "169.254.170.23"},
			port: 80, want: true,
		},
		"Metrics": {
			reason: "Metrics are collected.", from: true, peer: peer{namespace: "monitoring"},
			port: 8080, want: true,
		},
		"TenantsMetrics": {reason: "By nobody else.", from: true, peer: peer{namespace: "shop"}, port: 8080},
		"OtherPort": {
			reason: "Nothing else is served to pods.", from: true, peer: peer{namespace: "monitoring"},
			port: 9443,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := false
			for _, r := range policy.Spec.Egress {
				got = got || !tc.from && matches(t, r.To, tc.peer) && allows(r.Ports, tc.port)
			}
			for _, r := range policy.Spec.Ingress {
				got = got || tc.from && matches(t, r.From, tc.peer) && allows(r.Ports, tc.port)
			}
			if got != tc.want {
				t.Errorf("%s\n%v on port %d is allowed: %t, want %t", tc.reason, tc.peer, tc.port, got, tc.want)
			}
		})
	}
}
