package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

func TestIsFrom(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		pools         []string
		pool, address string
		isFrom        bool
	}{
		{nil, "lan", "10.0.0.7", true},
		{[]string{"lan"}, "lan", "10.0.0.7", true},
		{[]string{"wan", "lan"}, "lan", "10.0.0.7", true},
		{[]string{"wan"}, "lan", "10.0.0.7", false},
		{[]string{"l*"}, "lan", "10.0.0.7", true},
		{[]string{"la[a-m]"}, "lan", "10.0.0.7", false},
		{[]string{"la[^a-m]"}, "lan", "10.0.0.7", true},
		{[]string{"la["}, "lan", "10.0.0.7", false},
		{[]string{"10.0.0.0/24"}, "lan", "10.0.0.7", true},
		{[]string{"10.0.1.0/24"}, "lan", "10.0.0.7", false},
		{[]string{"2001:db8::/32"}, "six", "2001:db8::7", true},
	} {
		if from := isFrom(each.pools, each.pool, each.address); from != each.isFrom {
			t.Errorf("isFrom(%q, %q, %q) is %t", each.pools, each.pool, each.address, from)
		}
	}
}

func TestRequestsAreLimitedToTheWantedNumber(t *testing.T) {
	t.Parallel()
	type sent struct{ ipv4, ipv6, limit int }
	number := func(value *int) int {
		if value == nil {
			return 0
		}
		return *value
	}
	for _, each := range []struct {
		name       string
		ipv4, ipv6 int
		has        map[int]int
		requests   []sent
	}{
		{"one family", 2, 0, nil, []sent{{2, 0, 2}}},
		{"both families alike", 2, 2, nil, []sent{{2, 2, 2}}},
		{"both families in different numbers", 2, 1, nil, []sent{{2, 0, 2}, {0, 1, 1}}},
		{"more of one family", 3, 1, map[int]int{4: 1, 6: 1}, []sent{{2, 0, 3}}},
		{"the most of both families in one request", 128, 128, nil, []sent{{128, 128, 128}}},
		{"more of both families than one request takes", 129, 129, nil, []sent{{129, 0, 129}, {0, 129, 129}}},
		{"the most of both families", 256, 256, map[int]int{4: 100, 6: 100}, []sent{{156, 0, 256}, {0, 156, 256}}},
		{"fewer", 1, 0, map[int]int{4: 2}, nil},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			requests := wanted{handle: "web", host: "a", counts: map[int]int{4: each.ipv4, 6: each.ipv6}}.requests(each.has)
			if len(requests) != len(each.requests) {
				t.Fatalf("%d requests in place of %d", len(requests), len(each.requests))
			}
			for i, request := range requests {
				actual := sent{number(request.Ipv4), number(request.Ipv6), number(request.LimitPerHandle)}
				if actual != each.requests[i] {
					t.Errorf("request %d is %v in place of %v", i, actual, each.requests[i])
				}
			}
		})
	}
}

func TestAnAddressThatIsNotKnownYetExcludesNoCounts(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := &addressResource{}
	for _, each := range []struct {
		name    string
		address any
		errors  int
	}{
		{"unknown", tftypes.UnknownValue, 0},
		{"null", nil, 0},
		{"known", "10.0.0.7", 1},
	} {
		values := stateOf(r, map[string]any{"handle": "web", "host": "a", "ipv4": 2, "address": each.address})
		config := tfsdk.Config{Schema: values.Schema, Raw: values.Raw}
		var resp resource.ValidateConfigResponse
		r.ValidateConfig(ctx, resource.ValidateConfigRequest{Config: config}, &resp)
		if resp.Diagnostics.ErrorsCount() != each.errors {
			t.Errorf("%s: %v", each.name, resp.Diagnostics)
		}
	}
	ipv4, ipv6 := countsOf(addressModel{Address: types.StringUnknown(), IPv4: types.Int64Value(2)})
	if ipv4.ValueInt64() != 2 || !ipv6.IsUnknown() {
		t.Errorf("the counts are %v and %v", ipv4, ipv6)
	}
}

func TestFieldsOfARejectionAreErrorsOnTheirAttributes(t *testing.T) {
	t.Parallel()
	fields := []api.FieldAtFault{
		{Field: "blockSize", Problem: "must be smaller", Value: 60},
		{Field: "routes[0].gw", Problem: "is no address"},
		{Field: "attributes.a.b", Problem: "must be a string"},
		{Field: "If-Match", Problem: "is no ETag"},
	}
	rejection := &plat.Rejection{Problem: api.Problem{Detail: "wrong", RequestId: "r", Fields: &fields}}
	var diags diag.Diagnostics
	addError(&diags, "No", rejection, map[string]bool{"block_size": true, "routes": true, "attributes": true})
	for i, at := range []string{"block_size", "routes", "attributes", ""} {
		actual := ""
		if located, ok := diags[i].(diag.DiagnosticWithPath); ok {
			actual = located.Path().String()
		}
		if actual != at {
			t.Errorf("the error %q is at %q in place of %q", diags[i].Detail(), actual, at)
		}
	}
	for i, said := range []string{"blockSize must be smaller; received 60 (request r).", "routes[0].gw is no address (request r)."} {
		if diags[i].Detail() != said {
			t.Errorf("the error is %q in place of %q", diags[i].Detail(), said)
		}
	}
}
