package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestWhatPlatNeverChangesReplacesThePool(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := &poolResource{}
	var described resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &described)
	// Both have a value: one is created, or destroyed, without.
	state, plan := stateOf(r, nil), planOf(r, nil)
	none, unknown := types.SetNull(types.StringType), types.SetUnknown(types.StringType)
	for _, each := range []struct {
		name       string
		state      types.Set
		plan       types.Set
		isReplaced bool
	}{
		{"it loses LoadBalancer", setOf([]string{"LoadBalancer"}), setOf([]string{"Workload"}), true},
		{"it gains LoadBalancer", setOf([]string{"Workload"}), setOf([]string{"Workload", "LoadBalancer"}), true},
		{"it gains LoadBalancer in place of the default", none, setOf([]string{"LoadBalancer"}), true},
		{"it loses LoadBalancer for the default", setOf([]string{"LoadBalancer"}), none, true},
		{"it keeps LoadBalancer", setOf([]string{"LoadBalancer"}), setOf([]string{"LoadBalancer", "Workload"}), false},
		{"it has other uses", setOf([]string{"Workload"}), setOf([]string{"Tunnel"}), false},
		{"it has the default", setOf([]string{"Workload"}), none, false},
		{"unknown uses", setOf([]string{"LoadBalancer"}), unknown, false},
		{"an unknown use", setOf([]string{"LoadBalancer"}), types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()}), false},
	} {
		resp := planmodifier.SetResponse{PlanValue: each.plan}
		for _, modifier := range described.Schema.Attributes["allowed_uses"].(schema.SetAttribute).PlanModifiers {
			modifier.PlanModifySet(ctx, planmodifier.SetRequest{State: state, Plan: plan, StateValue: each.state, PlanValue: each.plan, ConfigValue: each.plan}, &resp)
		}
		if resp.RequiresReplace != each.isReplaced {
			t.Errorf("%s: the pool is replaced: %t", each.name, resp.RequiresReplace)
		}
	}
	for _, each := range []struct {
		state, plan string
		isReplaced  bool
	}{{"Automatic", "Applications", true}, {"Applications", "Manual", true}, {"Automatic", "Manual", false}, {"Applications", "Applications", false}} {
		one, other := types.StringValue(each.state), types.StringValue(each.plan)
		resp := planmodifier.StringResponse{PlanValue: other}
		for _, modifier := range described.Schema.Attributes["assignment_mode"].(schema.StringAttribute).PlanModifiers {
			modifier.PlanModifyString(ctx, planmodifier.StringRequest{State: state, Plan: plan, StateValue: one, PlanValue: other, ConfigValue: other}, &resp)
		}
		if resp.RequiresReplace != each.isReplaced {
			t.Errorf("from %s to %s: the pool is replaced: %t", each.state, each.plan, resp.RequiresReplace)
		}
	}
}
