package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
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

// heldBy is an address that a handle has, in an answer.
func heldBy(address, pool, host string) string {
	return fmt.Sprintf(`{"address": %q, "family": 4, "pool": %q, "host": %q, "generation": "g-%s"}`, address, pool, host, address)
}

func TestWhatSomethingElseAssignsToTheHandleReplacesNoAddressThatStays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const mine, theirs = "10.1.7.7", "10.1.7.5"
	good := heldBy(mine, "lan", "a")
	specific := map[string]any{"address": mine}
	counted := map[string]any{"ipv4": 1}
	imported := map[string]any{}
	for _, each := range []struct {
		name          string
		state, config map[string]any
		held          []string
		pools         []string
		isReplaced    bool
	}{
		{"a specific one beside one of another pool", specific, specific, []string{good, heldBy("10.2.0.9", "dmz", "a")}, []string{"lan"}, false},
		{"a specific one beside one of another host", specific, specific, []string{heldBy(theirs, "lan", "b"), good}, []string{"lan"}, false},
		{"a specific one beside a lower one, after an import", imported, specific, []string{heldBy(theirs, "lan", "a"), good}, nil, false},
		{"another specific one", specific, map[string]any{"address": "10.1.7.9"}, []string{good}, nil, true},
		{"a specific one of a pool that is not listed", specific, specific, []string{good}, []string{"dmz"}, true},
		{"a number beside one of another pool", counted, counted, []string{heldBy("10.0.0.9", "dmz", "a"), good}, []string{"lan"}, false},
		{"a number of a pool that is not listed", counted, counted, []string{good}, []string{"dmz"}, true},
	} {
		client, _ := serve(t, map[string][]string{"GET handles/web": {`{"addresses": [` + strings.Join(each.held, ",") + `]}`}})
		r := &addressResource{caller{client}}
		before := map[string]any{"handle": "web"}
		maps.Copy(before, each.state)
		if len(each.state) > 0 {
			before["host"] = "a"
			before["address"] = mine
		}
		read := resource.ReadResponse{State: stateOf(r, before)}
		r.Read(ctx, resource.ReadRequest{State: read.State}, &read)
		wanted := map[string]any{"handle": "web", "host": "a"}
		maps.Copy(wanted, each.config)
		if each.pools != nil {
			wanted["pools"] = listed(each.pools)
		}
		config := tfsdk.Config(stateOf(r, wanted))
		resp := resource.ModifyPlanResponse{Plan: planOf(r, wanted)}
		r.ModifyPlan(ctx, resource.ModifyPlanRequest{Config: config, State: read.State, Plan: resp.Plan}, &resp)
		var state addressModel
		resp.Diagnostics.Append(read.State.Get(ctx, &state)...)
		if read.Diagnostics.HasError() || resp.Diagnostics.HasError() {
			t.Fatalf("%s: %v, %v", each.name, read.Diagnostics, resp.Diagnostics)
		}
		isReplaced := len(resp.RequiresReplace) > 0 || state.Host.ValueString() != "a"
		if isReplaced != each.isReplaced {
			t.Errorf("%s: the address is replaced: %t, %v, host %s", each.name, isReplaced, resp.RequiresReplace, state.Host)
		}
	}
}

// replacedBy returns the attributes because of which a configuration replaces a resource.
func replacedBy(t *testing.T, r resource.ResourceWithModifyPlan, state tfsdk.State, config map[string]any) string {
	t.Helper()
	resp := resource.ModifyPlanResponse{Plan: planOf(r, config)}
	r.ModifyPlan(context.Background(), resource.ModifyPlanRequest{Config: tfsdk.Config(stateOf(r, config)), State: state, Plan: resp.Plan}, &resp)
	if resp.Diagnostics.HasError() {
		t.Fatal(resp.Diagnostics)
	}
	return resp.RequiresReplace.String()
}

func TestPoolsReplaceAnAddressUnlessThoseThatAreKnownHaveIt(t *testing.T) {
	t.Parallel()
	const unknown = tftypes.UnknownValue
	for _, each := range []struct {
		name     string
		held     []string
		ipv4     any
		pools    any
		replaced string
	}{
		{"no list", []string{"a"}, 1, nil, "[]"},
		{"an unknown list", []string{"a"}, 1, unknown, "[pools]"},
		{"an unknown element", []string{"a"}, 1, listed([]any{unknown}), "[pools]"},
		{"an unknown element beside another pool", []string{"a"}, 1, listed([]any{"b", unknown}), "[pools]"},
		{"an unknown element beside the pool", []string{"a"}, 1, listed([]any{unknown, "a"}), "[]"},
		{"an unknown element beside the pool of what stays", []string{"b", "a"}, 1, listed([]any{unknown, "a"}), "[]"},
		{"an unknown element beside the pool of one of two", []string{"b", "a"}, 2, listed([]any{unknown, "a"}), "[pools]"},
		{"an unknown number, and the pool of one of two", []string{"b", "a"}, unknown, listed([]any{unknown, "a"}), "[pools]"},
		{"an unknown number, and both pools", []string{"b", "a"}, unknown, listed([]any{unknown, "a", "b"}), "[]"},
	} {
		held := make([]string, len(each.held))
		for i, pool := range each.held {
			held[i] = heldBy(fmt.Sprintf("10.1.7.%d", i+1), pool, "x")
		}
		client, _ := serve(t, map[string][]string{"GET handles/web": {`{"addresses": [` + strings.Join(held, ",") + `]}`}})
		r := &addressResource{caller{client}}
		read := resource.ReadResponse{State: stateOf(r, map[string]any{"handle": "web", "host": "x"})}
		r.Read(context.Background(), resource.ReadRequest{State: read.State}, &read)
		config := map[string]any{"handle": "web", "host": "x", "ipv4": each.ipv4, "pools": each.pools}
		if replaced := replacedBy(t, r, read.State, config); replaced != each.replaced {
			t.Errorf("%s: %s replaces the address in place of %s", each.name, replaced, each.replaced)
		}
	}
}

func TestTheHostOfAStateIsAnotherOneOnceAnAddressOfItStandsInForALostOne(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, y, w := heldBy("10.1.7.7", "lan", "a"), heldBy("10.1.7.8", "lan", "a"), heldBy("10.1.7.9", "lan", "a")
	other, another := heldBy("10.1.7.5", "lan", "b"), heldBy("10.1.7.6", "lan", "b")
	six := strings.ReplaceAll(heldBy("fd00::7", "six", "a"), `"family": 4`, `"family": 6`)
	otherSix := strings.ReplaceAll(heldBy("fd00::5", "six", "b"), `"family": 4`, `"family": 6`)
	for _, each := range []struct {
		name string
		// reads are what the handle has at each read.
		reads [][]string
		host  string
	}{
		{"one stands in for a lost one", [][]string{{x, y}, {other, x}}, "b"},
		{"two stand in for a lost one", [][]string{{x, y}, {other, another, x}}, "b"},
		{"one of another family stands in for a lost one", [][]string{{x, six}, {other, x, otherSix}}, "b"},
		{"one stands in for one of two lost ones", [][]string{{x, y, w}, {other, x}}, "b"},
		{"one is the only one left", [][]string{{x}, {other}}, "b"},
		{"one is beside all", [][]string{{x, y}, {other, x, y}}, "a"},
		{"one is beside all, and was read before", [][]string{{x, y}, {other, x, y}, {other, x, y}}, "a"},
		{"one is beside all, as one of the same host stands in", [][]string{{x, y}, {other, x, w}}, "a"},
		{"none is there, and one is lost", [][]string{{x, y}, {x}}, "a"},
	} {
		state := stateOf(&addressResource{}, map[string]any{"handle": "web", "host": "a", "address": "10.1.7.7"})
		for _, held := range each.reads {
			client, _ := serve(t, map[string][]string{"GET handles/web": {`{"addresses": [` + strings.Join(held, ",") + `]}`}})
			r := &addressResource{caller{client}}
			resp := resource.ReadResponse{State: state}
			r.Read(ctx, resource.ReadRequest{State: state}, &resp)
			if resp.Diagnostics.HasError() {
				t.Fatalf("%s: %v", each.name, resp.Diagnostics)
			}
			state = resp.State
		}
		var read addressModel
		if diags := state.Get(ctx, &read); diags.HasError() || read.Host.ValueString() != each.host {
			t.Errorf("%s: the host is %s in place of %s, %v", each.name, read.Host, each.host, diags)
		}
	}
}

// listed returns a list of texts, of which some can be tftypes.UnknownValue.
func listed[Text any](texts []Text) tftypes.Value {
	values := make([]tftypes.Value, len(texts))
	for i, text := range texts {
		values[i] = tftypes.NewValue(tftypes.String, text)
	}
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, values)
}

func TestSurplusAddressesAreThoseOfOtherHostsAndPoolsFirst(t *testing.T) {
	t.Parallel()
	a, b := "a", "b"
	held := []api.HeldAddress{
		{Address: "10.0.0.9", Family: 4, Pool: "dmz", Host: &a},
		{Address: "10.1.0.1", Family: 4, Pool: "lan", Host: &b},
		{Address: "10.1.0.2", Family: 4, Pool: "lan", Host: &a},
		{Address: "10.1.0.3", Family: 4, Pool: "lan", Host: &a},
	}
	for count, stays := range map[int][]string{1: {"10.1.0.2"}, 2: {"10.1.0.2", "10.1.0.3"}, 3: {"10.1.0.2", "10.1.0.3", "10.0.0.9"}} {
		kept, surplus := wanted{host: a, pools: []string{"lan"}, counts: map[int]int{4: count}}.split(held)
		var addresses []string
		for _, each := range kept {
			addresses = append(addresses, each.Address)
		}
		if !slices.Equal(addresses, stays) || len(surplus) != len(held)-count {
			t.Errorf("of %d stay %v, and %v go", count, addresses, surplus)
		}
	}
}
