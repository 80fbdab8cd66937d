package session

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// longestError is the maximum length of an error of a config, in bytes.
const longestError = 2000

// FuzzINI checks that a file of credentials has keys or a short error, which quotes nothing of it
// but the names of profiles.
func FuzzINI(f *testing.F) {
	for _, s := range []string{
		"[default]\naws_access_key_id = AKIA\naws_secret_access_key = x\n", "\ufeff[profile " +
			"a]\r\nAWS_ACCESS_KEY_ID=A\r\naws_secret_access_key=b=c\r\naws_session_token=t\r\n",
		"[default\n", "aws_access_key_id = AKIA\n", "[default]\nAKIA\n", "[default]\n# comment\n; comment\n\n", "[]\n=\n", "",
		strings.Repeat("[x",
			500) + "]\n", manyProfiles(), "[a]\naws_access_key_id\n= AKIA", "[default]\naws_secret_access_key = x\n",
	} {
		f.Add(s, "")
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, text, profile string) {
		const canary = "hunter2canary"
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if !strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(line, "\ufeff")), "[") {
				lines[i] = strings.TrimRight(line, "\r") + canary
			}
		}
		for _, ini := range []string{text, strings.Join(lines, "\n")} {
			c, err := parseINI([]byte(ini), profile)
			if err != nil {
				if message := err.Error(); strings.Contains(message, canary) ||
					len(message) > longestError+2*len(profile) {
					t.Errorf("%q: %s", ini, message)
				}
				continue
			}
			anew := fmt.Sprintf("[p]\naws_access_key_id=%s\naws_secret_access_key=%s\naws_session_token=%s\n",
				c.AccessKeyID, c.SecretAccessKey, c.SessionToken)
			if again, err := parseINI([]byte(anew), "p"); err != nil || again != c {
				t.Errorf("%q has other keys when written anew: %v", ini, err)
			}
		}
	})
}

func manyProfiles() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "[profile-%d]\n", i)
	}
	return b.String()
}

// FuzzAddresses checks that an IPv4 address that is not allowed is not allowed as an IPv6 address either.
func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "8.8.8.8", "0.0.0.0", "224.0.0.1"} {
		a := netip.MustParseAddr(s).As4()
		f.Add(a[0], a[1], a[2], a[3])
	}
	f.Fuzz(func(t *testing.T, a, b, c, d byte) {
		hosts := (&Resolver{}).endpointHosts()
		v4 := netip.AddrFrom4([4]byte{a, b, c, d})
		refused := hosts.Check(v4.String(), "443") != nil
		for _, s := range []string{
			"::ffff:" + v4.String(), "64:ff9b::" + v4.String(), fmt.Sprintf("2002:%02x%02x:%02x%02x::1", a, b, c,
				d), "[::ffff:" + v4.String() + "]", v4.String() + ".",
			"::ffff:" + v4.String() + "%eth0",
		} {
			if got := hosts.Check(s, "443") != nil; refused && !got {
				t.Errorf("%s is called, and %s is not", s, v4)
			}
		}
	})
}
