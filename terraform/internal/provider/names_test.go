package provider

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestStateWithOneThingTwiceIsAnErrorBeforeADestroy(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{
		"GET handles/a":      {`{"handle": "a", "addresses": [{"address": "10.0.0.1", "family": 4, "pool": "lan", "generation": "g1", "host": "x"}]}`},
		"GET handles/b":      {`{"handle": "b", "addresses": [{"address": "10.0.0.2", "family": 4, "pool": "lan", "generation": "g2", "host": "x"}]}`},
		"GET prefixes":       {`{"prefixes": [{"cidr": "10.64.0.0/20", "family": 4, "pool": "p", "handle": "a"}, {"cidr": "10.64.16.0/20", "family": 4, "pool": "p", "handle": "a"}]}`},
		"GET pools/a":        {`{"name": "a", "cidr": "10.0.0.0/24", "assign": "addresses", "blockSize": 26}`},
		"GET pools/b":        {`{"name": "b", "cidr": "10.1.0.0/24", "assign": "addresses", "blockSize": 26}`},
		"GET reservations/a": {`{"name": "a", "cidrs": ["10.0.0.1"]}`},
		"GET reservations/b": {`{"name": "b", "cidrs": ["10.0.0.2"]}`},
	}
	for _, each := range []struct {
		name       string
		of         func(caller) resource.Resource
		one, other map[string]any
	}{
		{"addresses", func(c caller) resource.Resource { return &addressResource{c} }, map[string]any{"handle": "a"}, map[string]any{"handle": "b"}},
		{"a prefix", func(c caller) resource.Resource { return &prefixResource{c} },
			map[string]any{"handle": "a", "cidr": "10.64.0.0/20"}, map[string]any{"handle": "a", "cidr": "10.64.16.0/20"}},
		{"a pool", func(c caller) resource.Resource { return &poolResource{c} }, map[string]any{"name": "a"}, map[string]any{"name": "b"}},
		{"a reservation", func(c caller) resource.Resource { return &reservationResource{c} }, map[string]any{"name": "a"}, map[string]any{"name": "b"}},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			client, _ := serve(t, answers)
			r := each.of(caller{client})
			errors := func(values map[string]any) int {
				state := stateOf(r, values)
				resp := resource.ReadResponse{State: state}
				r.Read(context.Background(), resource.ReadRequest{State: state}, &resp)
				return resp.Diagnostics.ErrorsCount()
			}
			if first, second := errors(each.one), errors(each.other); first+second > 0 {
				t.Errorf("two resources that share nothing have %d and %d errors", first, second)
			}
			if again := errors(each.one); again != 1 {
				t.Errorf("the second object of the state has %d errors", again)
			}
		})
	}
}

func TestWhatACreateMadeIsNotDeletedByADestroyThatBeginsLater(t *testing.T) {
	t.Parallel()
	const none = `{"status": 404, "code": "not_found", "detail": "There is none.", "requestId": "r", "retryable": false}`
	const pool = `{"name": "a", "cidr": "10.0.0.0/24", "assign": "addresses", "assignmentMode": "Automatic", "blockSize": 26}`
	client, s := serve(t, map[string][]string{
		"GET pools/a":        {none, pool},
		"PUT pools/a":        {pool},
		"GET reservations/a": {none},
		"PUT reservations/a": {`{"name": "a", "cidrs": ["10.0.0.1"]}`},
	})
	ctx := context.Background()
	cidrs := tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{tftypes.NewValue(tftypes.String, "10.0.0.1")})
	for _, each := range []struct {
		r      resource.Resource
		values map[string]any
	}{
		{&poolResource{caller{client}}, map[string]any{"name": "a", "cidr": "10.0.0.0/24", "block_size": tftypes.UnknownValue}},
		{&reservationResource{caller{client}}, map[string]any{"name": "a", "cidrs": cidrs}},
	} {
		made := resource.CreateResponse{State: stateOf(each.r, nil)}
		each.r.Create(ctx, resource.CreateRequest{Plan: planOf(each.r, each.values)}, &made)
		old := stateOf(each.r, each.values)
		deleted := resource.DeleteResponse{State: old}
		each.r.Delete(ctx, resource.DeleteRequest{State: old}, &deleted)
		if len(made.Diagnostics) > 0 || deleted.Diagnostics.HasError() || deleted.Diagnostics.WarningsCount() != 1 {
			t.Errorf("created with %v, destroyed with %v", made.Diagnostics, deleted.Diagnostics)
		}
	}
	if sent := append(s.sentTo("DELETE pools/a"), s.sentTo("DELETE reservations/a")...); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestCreateThatFindsWhatAResourceOfAnotherNameHasNamesTheMovedBlock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	// Each exists with other fields under a, and as it is planned under b.
	answers := map[string][]string{
		"GET handles/a":      {`{"handle": "a", "addresses": [` + heldBy("10.0.0.1", "lan", "x") + `]}`},
		"GET handles/b":      {`{"handle": "b", "addresses": [` + heldBy("10.0.0.2", "lan", "y") + `]}`},
		"GET prefixes":       {prefixesOf("10.64.0.0/20")},
		"GET pools/a":        {`{"name": "a", "cidr": "10.0.0.0/24", "assign": "addresses", "assignmentMode": "Automatic", "blockSize": 26, "vlan": 7}`},
		"GET pools/b":        {`{"name": "b", "cidr": "10.0.0.0/24", "assign": "addresses", "assignmentMode": "Automatic", "blockSize": 26}`},
		"GET reservations/a": {`{"name": "a", "cidrs": ["10.0.0.9"]}`},
		"GET reservations/b": {`{"name": "b", "cidrs": ["10.0.0.1"]}`},
	}
	address := func(handle string) map[string]any {
		return map[string]any{"handle": handle, "host": "y", "ipv4": 1, "ipv6": 0, "address": tftypes.UnknownValue, "addresses": tftypes.UnknownValue}
	}
	prefix := func(length int64) map[string]any {
		return map[string]any{"handle": "a", "family": 4, "prefix_length": length, "cidr": tftypes.UnknownValue, "pool": tftypes.UnknownValue}
	}
	pool := func(name string) map[string]any {
		return map[string]any{
			"name": name, "cidr": "10.0.0.0/24", "assign": "addresses", "assignment_mode": "Automatic", "disabled": false,
			"block_size": tftypes.UnknownValue,
		}
	}
	reservation := func(name string) map[string]any {
		return map[string]any{"name": name, "cidrs": listed([]string{"10.0.0.1"})}
	}
	for _, each := range []struct {
		of           func(caller) resource.Resource
		other, same  map[string]any
		proof, moved string
	}{
		{func(c caller) resource.Resource { return &addressResource{c} }, address("a"), address("b"), "g-10.0.0.2", `import plat_address.NAME "a"`},
		{func(c caller) resource.Resource { return &prefixResource{c} }, prefix(24), prefix(20), prefixProof("a", "10.64.0.0/20"), `import plat_prefix.NAME "a#10.64.0.0/20"`},
		{func(c caller) resource.Resource { return &poolResource{c} }, pool("a"), pool("b"), poolProof("b"), `import plat_pool.NAME "a"`},
		{func(c caller) resource.Resource { return &reservationResource{c} }, reservation("a"), reservation("b"), reservationProof("b"), `import plat_reservation.NAME "a"`},
	} {
		for _, released := range []bool{false, true} {
			client, _ := serve(t, maps.Clone(answers))
			r := each.of(caller{client})
			values, said := each.other, []string{"is this one under its old name, add a moved block", each.moved}
			if released {
				values, said = each.same, []string{"is this one under its old name, add a moved block", "pply again after that has succeeded"}
				end, _ := client.BeginRelease(each.proof)
				end()
			}
			resp := resource.CreateResponse{State: stateOf(r, nil)}
			r.Create(ctx, resource.CreateRequest{Plan: planOf(r, values)}, &resp)
			for _, part := range said {
				if resp.Diagnostics.ErrorsCount() != 1 || !strings.Contains(resp.Diagnostics[0].Detail(), part) {
					t.Errorf("%s, released: %t: the error lacks %q: %v", each.proof, released, part, resp.Diagnostics)
				}
			}
		}
	}
}
