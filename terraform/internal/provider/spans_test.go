package provider

import "testing"

func TestSameSpans(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		name   string
		a, b   []string
		isSame bool
	}{
		{"nothing", nil, []string{}, true},
		{"a CIDR and its range", []string{"10.0.0.128/30"}, []string{"10.0.0.128-10.0.0.131"}, true},
		{"ranges that touch", []string{"10.0.0.5-10.0.0.9", "10.0.0.1-10.0.0.4"}, []string{"10.0.0.1-10.0.0.9"}, true},
		{"ranges that overlap", []string{"10.0.0.1-10.0.0.6", "10.0.0.4-10.0.0.9", "10.0.0.5"}, []string{"10.0.0.1-10.0.0.9"}, true},
		{"a gap", []string{"10.0.0.1-10.0.0.4", "10.0.0.6"}, []string{"10.0.0.1-10.0.0.6"}, false},
		{"one address more", []string{"10.0.0.1"}, []string{"10.0.0.1-10.0.0.2"}, false},
		{"forms of IPv6", []string{"2001:DB8::0/64"}, []string{"2001:db8::/64"}, true},
		{"the end of IPv4 and the begin of IPv6", []string{"255.255.255.255", "::"}, []string{"255.255.255.255"}, false},
		{"IPv4-mapped", []string{"::ffff:10.0.0.1"}, []string{"10.0.0.1"}, true},
		{"all of IPv6 twice", []string{"::/0", "2001:db8::1"}, []string{"::/0"}, true},
		{"no address", []string{"lan"}, []string{"lan"}, false},
		{"a range that ends before it begins", []string{"10.0.0.2-10.0.0.1"}, []string{"10.0.0.2-10.0.0.1"}, false},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			if isSame := sameSpans(each.a, each.b); isSame != each.isSame {
				t.Errorf("sameSpans(%q, %q) is %t", each.a, each.b, isSame)
			}
		})
	}
}
