package provider

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// span is a run of addresses of one family, both ends included.
type span struct{ from, to netip.Addr }

// parseSpan reads an address, a range a-b or a CIDR.
func parseSpan(text string) (span, error) {
	if from, to, ok := strings.Cut(text, "-"); ok {
		first, err := netip.ParseAddr(strings.TrimSpace(from))
		if err != nil {
			return span{}, err
		}
		last, err := netip.ParseAddr(strings.TrimSpace(to))
		if err != nil {
			return span{}, err
		}
		first, last = first.Unmap(), last.Unmap()
		if first.BitLen() != last.BitLen() || last.Less(first) {
			return span{}, fmt.Errorf("%q is no range: its end is before its start", text)
		}
		return span{first, last}, nil
	}
	if strings.Contains(text, "/") {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return span{}, err
		}
		prefix = prefix.Masked()
		return span{prefix.Addr(), lastOf(prefix)}, nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return span{}, err
	}
	return span{address.Unmap(), address.Unmap()}, nil
}

// lastOf returns the last address of a network.
func lastOf(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ := netip.AddrFromSlice(bytes)
	return last
}

// merged returns the addresses of all entries as runs in order, of which no two touch.
func merged(entries []string) ([]span, error) {
	spans := make([]span, 0, len(entries))
	for _, entry := range entries {
		one, err := parseSpan(entry)
		if err != nil {
			return nil, err
		}
		spans = append(spans, one)
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	runs := spans[:0]
	for _, next := range spans {
		if n := len(runs); n > 0 && runs[n-1].to.BitLen() == next.from.BitLen() {
			last := &runs[n-1]
			if after := last.to.Next(); !after.IsValid() || !after.Less(next.from) {
				if last.to.Less(next.to) {
					last.to = next.to
				}
				continue
			}
		}
		runs = append(runs, next)
	}
	return runs, nil
}

// sameSpans says whether two lists have the same addresses, however they are written.
func sameSpans(a, b []string) bool {
	one, err := merged(a)
	if err != nil {
		return false
	}
	other, err := merged(b)
	return err == nil && slices.Equal(one, other)
}

// sameNetwork says whether two texts are the same address or network.
func sameNetwork(a, b string) bool {
	return a == b || sameSpans([]string{a}, []string{b})
}

// plain returns a network in the form that Plat writes; another text as it is.
func plain(cidr string) string {
	if prefix, err := netip.ParsePrefix(cidr); err == nil {
		return prefix.Masked().String()
	}
	return cidr
}
