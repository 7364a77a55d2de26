package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// prefixesOf is an answer with the prefixes of a handle.
func prefixesOf(cidrs ...string) string {
	listed := make([]string, len(cidrs))
	for i, cidr := range cidrs {
		family := 4
		if strings.Contains(cidr, ":") {
			family = 6
		}
		listed[i] = fmt.Sprintf(`{"cidr": %q, "family": %d, "pool": "p", "handle": "a"}`, cidr, family)
	}
	return `{"prefixes": [` + strings.Join(listed, ",") + `]}`
}

// created creates a prefix, and returns its CIDR in the state.
func created(r *prefixResource, values map[string]any) (string, diag.Diagnostics) {
	all := map[string]any{"handle": "a", "pool": tftypes.UnknownValue, "cidr": tftypes.UnknownValue, "prefix_length": tftypes.UnknownValue}
	for name, value := range values {
		all[name] = value
	}
	resp := resource.CreateResponse{State: stateOf(r, nil)}
	r.Create(context.Background(), resource.CreateRequest{Plan: planOf(r, all)}, &resp)
	var state prefixModel
	resp.Diagnostics.Append(resp.State.Get(context.Background(), &state)...)
	return state.Cidr.ValueString(), resp.Diagnostics
}

func TestPrefixOfAFamilyIsTheAssignedOne(t *testing.T) {
	t.Parallel()
	client, _ := serve(t, map[string][]string{
		"GET prefixes":  {prefixesOf("2001:db8::/64"), prefixesOf("2001:db8::/64", "10.64.16.0/20", "10.64.0.0/20")},
		"POST prefixes": {prefixesOf("10.64.16.0/20")},
	})
	cidr, diags := created(&prefixResource{caller{client}}, map[string]any{"family": 4})
	if diags.HasError() || cidr != "10.64.16.0/20" {
		t.Errorf("the state has %s: %v", cidr, diags)
	}
}

func TestPrefixOfAFamilyIsNoneOfSeveral(t *testing.T) {
	t.Parallel()
	client, s := serve(t, map[string][]string{"GET prefixes": {prefixesOf("10.64.16.0/20", "10.64.0.0/20")}})
	cidr, diags := created(&prefixResource{caller{client}}, map[string]any{"family": 4})
	if diags.ErrorsCount() != 1 || !strings.Contains(diags[0].Detail(), `"a#10.64.16.0/20" or "a#10.64.0.0/20"`) {
		t.Errorf("the state has %s: %v", cidr, diags)
	}
	if sent := s.sentTo("POST prefixes"); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestTwoCreatesOfARunGetNotOnePrefix(t *testing.T) {
	t.Parallel()
	family := func(family int64) prefixModel {
		return prefixModel{Handle: types.StringValue("a"), Family: types.Int64Value(family), Cidr: types.StringUnknown()}
	}
	named := func(cidr string) prefixModel {
		return prefixModel{Handle: types.StringValue("a"), Family: types.Int64Unknown(), Cidr: types.StringValue(cidr)}
	}
	for _, each := range []struct {
		name     string
		one, two prefixModel
		errors   int
	}{
		{"one family", family(4), family(4), 1},
		{"two families", family(4), family(6), 0},
		{"two forms of a prefix", named("2001:DB8::/64"), named("2001:db8::/64"), 1},
		{"two prefixes", named("2001:db8::/64"), named("2001:db8:0:1::/64"), 0},
		{"a prefix beside its family", named("2001:db8::/64"), family(6), 1},
		{"a family beside a prefix of it", family(6), named("2001:db8::/64"), 1},
		{"a family beside a prefix of another one", family(4), named("2001:db8::/64"), 0},
	} {
		client, _ := serve(t, nil)
		r := &prefixResource{caller{client}}
		var diags diag.Diagnostics
		r.beginPrefix(each.one, &diags)
		r.beginPrefix(each.two, &diags)
		if diags.ErrorsCount() != each.errors {
			t.Errorf("%s: %v", each.name, diags)
		}
	}
}

func TestAdoptedPrefixIsNotReleasedInAnotherForm(t *testing.T) {
	t.Parallel()
	client, s := serve(t, map[string][]string{"GET prefixes": {prefixesOf("2001:db8::/64")}})
	r := &prefixResource{caller{client}}
	if _, diags := created(r, map[string]any{"cidr": "2001:DB8::/64", "family": 6, "prefix_length": 64}); diags.HasError() {
		t.Fatal(diags)
	}
	old := stateOf(r, map[string]any{"handle": "a", "cidr": "2001:DB8::/64"})
	resp := resource.DeleteResponse{State: old}
	r.Delete(context.Background(), resource.DeleteRequest{State: old}, &resp)
	if sent := s.sentTo("POST prefixes/release"); len(sent) > 0 || resp.Diagnostics.WarningsCount() != 1 {
		t.Errorf("sent %v: %v", sent, resp.Diagnostics)
	}
}

func TestPrefixThatADestroyReleasedIsAssignedAnew(t *testing.T) {
	t.Parallel()
	client, s := serve(t, map[string][]string{
		// The first create reads before the end of the release.
		"GET prefixes":          {prefixesOf("10.64.0.0/20"), prefixesOf(), prefixesOf("10.64.0.0/20")},
		"POST prefixes":         {prefixesOf("10.64.0.0/20")},
		"POST prefixes/release": {`{"handle": "a", "complete": true, "released": ["10.64.0.0/20"]}`},
	})
	r := &prefixResource{caller{client}}
	old := stateOf(r, map[string]any{"handle": "a", "cidr": "10.64.0.0/20"})
	deleted := resource.DeleteResponse{State: old}
	r.Delete(context.Background(), resource.DeleteRequest{State: old}, &deleted)
	cidr, diags := created(r, map[string]any{"cidr": "10.64.0.0/20", "family": 4, "prefix_length": 20})
	if deleted.Diagnostics.HasError() || len(diags) > 0 || cidr != "10.64.0.0/20" {
		t.Errorf("the state has %s: %v, %v", cidr, diags, deleted.Diagnostics)
	}
	if sent := s.sentTo("POST prefixes"); len(sent) != 1 {
		t.Errorf("sent %v", sent)
	}
}

func TestPoolsReplaceAPrefixUnlessThoseThatAreKnownHaveIt(t *testing.T) {
	t.Parallel()
	const unknown = tftypes.UnknownValue
	r := &prefixResource{}
	state := stateOf(r, map[string]any{"handle": "a", "family": 4, "prefix_length": 20, "cidr": "10.64.0.0/20", "pool": "p"})
	for _, each := range []struct {
		name     string
		pools    any
		replaced string
	}{
		{"no list", nil, "[]"},
		{"an unknown list", unknown, "[pools]"},
		{"an unknown element", listed([]any{unknown}), "[pools]"},
		{"an unknown element beside another pool", listed([]any{"q", unknown}), "[pools]"},
		{"an unknown element beside the pool", listed([]any{unknown, "p"}), "[]"},
		{"an unknown element beside a network of the prefix", listed([]any{unknown, "10.64.0.0/16"}), "[]"},
	} {
		config := map[string]any{"handle": "a", "family": 4, "pools": each.pools}
		if replaced := replacedBy(t, r, state, config); replaced != each.replaced {
			t.Errorf("%s: %s replaces the prefix in place of %s", each.name, replaced, each.replaced)
		}
	}
}
