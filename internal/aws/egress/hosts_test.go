package egress

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// TestHosts has hosts that users name, and the addresses that these resolve to.
func TestHosts(t *testing.T) {
	const (
		own     = "its address is loopback, link-local or reserved"
		cluster = "its address is private and may belong to the cluster"
	)
	type args struct {
		allowed  []string
		loopback bool
		url      string
		address  string
	}
	cases := map[string]struct {
		reason string
		args   args
		want   string
	}{
		"None": {
			"By default no host is called.",
			args{
				nil, false, "https://a.example.org",
				"93.184.216.34",
			},
			"host a.example.org is not allowed: ask the provider's operator for --analysis-host=a.example.org",
		},
		"Listed": {
			"A host that is listed is, at any port.",
			args{[]string{"a.example.org"}, false, "https://A.example.org.:8443/x", "93.184.216.34"},
			"",
		},
		"Unlisted": {"Another one is not.", args{
			[]string{"a.example.org"},
			false, "https://b.example.org",
			"93.184.216.34",
		}, "--analysis-host=b.example.org"},
		"Port": {"A port may be listed, too.", args{
			[]string{"a.example.org:9090"},
			false,
			"http://a.example.org:9090", "93.184.216.34",
		}, ""},
		"OtherPort": {"Then others are not allowed.", args{
			[]string{"a.example.org:9090"},
			false,
			"http://a.example.org:9091", "93.184.216.34",
		}, "is not allowed"},
		"DefaultPort": {
			"The port of a URL without one is that of its scheme.",
			args{[]string{"a.example.org:443"}, false, "https://a.example.org", "93.184.216.34"},
			"",
		},
		"DefaultPortHTTP": {"So it is with http.", args{
			[]string{"a.example.org:443"},
			false, "http://a.example.org",
			"93.184.216.34",
		}, "is not allowed"},
		"Pattern": {"A pattern.", args{
			[]string{"*.example.org"},
			false, "https://a.b.example.org",
			"93.184.216.34",
		}, ""},
		"PatternPort": {"A pattern with a port.", args{
			[]string{"*.example.org:443"},
			false,
			"https://a.example.org", "93.184.216.34",
		}, ""},
		"Suffix": {
			"A pattern does not match a name that ends like it.",
			args{[]string{"*.example.org"}, false, "https://badexample.org", "93.184.216.34"},
			"is not allowed",
		},
		"User": {"What is before the @ is not the host.", args{
			[]string{"a.example.org"},
			false,
			"https://a.example.org@evil.example.com/", "93.184.216.34",
		}, "host evil.example.com is not allowed"},
		"Private": {
			"A service of the cluster that is listed.",
			args{
				[]string{"prometheus.monitoring.svc:9090"},
				false, "http://prometheus.monitoring.svc:9090",
				"10.96.0.7",
			},
			"",
		},
		"PrivatePattern": {
			"A pattern does not allow the cluster.",
			args{[]string{"*"}, false, "http://kubernetes.default.svc", "10.96.0.1"},
			cluster,
		},
		"PrivateOtherPort": {"Nor does another port of it.", args{
			[]string{"*", "a.svc:9090"},
			false, "http://a.svc:80",
			"10.96.0.1",
		}, cluster},
		"UniqueLocal": {"Nor by IPv6.", args{[]string{"*"}, false, "http://a.svc", "fd12::1"}, cluster},
		"Metadata": {
			"The metadata service is not called, whatever is listed.",
			args{[]string{"169.254.169.254"}, true, "http://169.254.169.254/latest", "169.254.169.254"},
			own,
		},
		"MetadataV6": {"Nor by IPv6.", args{
			[]string{"fd00:ec2::254"},
			true, "http://[fd00:ec2::254]/latest",
			"fd00:ec2::254",
		}, own},
		"MetadataNamed": {"Nor by a name.", args{
			[]string{"a.example.org"},
			true, "http://a.example.org",
			"169.254.169.254",
		}, own},
		"Mapped": {"Nor in another spelling.", args{
			[]string{"a.example.org"},
			false, "http://a.example.org",
			"::ffff:169.254.169.254",
		}, own},
		"NAT64": {"Nor through a translator.", args{
			[]string{"*"},
			true, "http://a.example.org",
			"64:ff9b::a9fe:a9fe",
		}, own},
		"Translated": {"Nor through a translator without state.", args{
			[]string{"*"},
			true, "http://a.example.org",
			"::ffff:0:169.254.169.254",
		}, own},
		"AzureHost": {"Azure's host of the node has a public address.", args{
			[]string{"168.63.129.16"},
			true, "http://168.63.129.16:32526/vmSettings",
			"168.63.129.16",
		}, own},
		"LocalNAT64": {
			"Where a translator of the network's own has the address, nobody knows.",
			args{[]string{"*"}, true, "http://a.example.org", "64:ff9b:1:a9fe:a9:fe00:808:808"},
			cluster,
		},
		"Loopback": {"The pod itself is not called.", args{
			[]string{"localhost"},
			false, "http://localhost:1",
			"127.0.0.1",
		}, own},
		"LoopbackTest": {
			"Tests call it.",
			args{[]string{"localhost"}, true, "http://localhost:1", "127.0.0.1"},
			"",
		},
		"LoopbackV6": {"Tests call it by IPv6.", args{[]string{"[::1]:1"}, true, "http://[::1]:1", "::1"}, ""},
		"LoopbackPattern": {
			"But tests have to list it.",
			args{[]string{"*"}, true, "http://localhost:1", "127.0.0.1"},
			own,
		},
		"Scheme": {"Other schemes are not called.", args{
			[]string{"*"},
			true, "file:///etc/passwd",
			"93.184.216.34",
		}, ErrURL.Error()},
		"NoHost": {
			"Nor is a URL without a host.",
			args{[]string{"*"}, true, "http:///x", "93.184.216.34"},
			ErrURL.Error(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := Hosts{Flag: "--analysis-host", Allowed: tc.args.allowed, Loopback: tc.args.loopback}
			u, err := url.Parse(tc.args.url)
			if err != nil {
				t.Fatal(err)
			}
			if err = h.CheckURL(u); err == nil {
				err = h.CheckAddress(u.Hostname(), Port(u), netip.MustParseAddr(tc.args.address))
			}
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\ngot %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestCheckHost(t *testing.T) {
	for _, pattern := range []string{
		"a.example.org", "a.example.org:9090", "*.example.org", "*.example.org:443",
		"10.0.0.7", "[::1]:9090", "fd12::1", "*",
	} {
		if err := CheckHost(pattern); err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	for _, pattern := range []string{
		"", ":9090", "https://a.example.org", "a.example.org/metrics",
		"user@a.example.org", "a.example.org:http", "a.example.org:99999", "[a", "a b",
	} {
		if CheckHost(pattern) == nil {
			t.Errorf("%q is accepted", pattern)
		}
	}
}
