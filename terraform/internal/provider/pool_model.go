package provider

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// poolModel has the attributes of a pool that the resource and the data source share.
type poolModel struct {
	Name              types.String `tfsdk:"name"`
	Cidr              types.String `tfsdk:"cidr"`
	Assign            types.String `tfsdk:"assign"`
	Parent            types.String `tfsdk:"parent"`
	BlockSize         types.Int64  `tfsdk:"block_size"`
	Ranges            types.List   `tfsdk:"ranges"`
	Excludes          types.List   `tfsdk:"excludes"`
	Kind              types.String `tfsdk:"kind"`
	PrefixLength      types.Int64  `tfsdk:"prefix_length"`
	Gateway           types.String `tfsdk:"gateway"`
	Routes            types.List   `tfsdk:"routes"`
	DNS               types.List   `tfsdk:"dns"`
	Domain            types.String `tfsdk:"domain"`
	VLAN              types.Int64  `tfsdk:"vlan"`
	MTU               types.Int64  `tfsdk:"mtu"`
	Labels            types.Map    `tfsdk:"labels"`
	Disabled          types.Bool   `tfsdk:"disabled"`
	AssignmentMode    types.String `tfsdk:"assignment_mode"`
	AllowedUses       types.Set    `tfsdk:"allowed_uses"`
	NodeSelector      types.String `tfsdk:"node_selector"`
	NamespaceSelector types.String `tfsdk:"namespace_selector"`
	PodSelector       types.String `tfsdk:"pod_selector"`
	NodeNames         types.Set    `tfsdk:"node_names"`
	NamespaceNames    types.Set    `tfsdk:"namespace_names"`
	Networks          types.Set    `tfsdk:"networks"`
	Principals        types.Set    `tfsdk:"principals"`
	Borrowing         types.String `tfsdk:"borrowing"`
	CooldownSeconds   types.Int64  `tfsdk:"cooldown_seconds"`
	Description       types.String `tfsdk:"description"`
	Tags              types.Set    `tfsdk:"tags"`
}

// poolAttributes are the attributes of a pool on which an error can be.
var poolAttributes = map[string]bool{
	"name": true, "cidr": true, "assign": true, "parent": true, "block_size": true, "ranges": true, "excludes": true,
	"kind": true, "prefix_length": true, "gateway": true, "routes": true, "dns": true, "domain": true, "vlan": true,
	"mtu": true, "labels": true, "disabled": true, "assignment_mode": true, "allowed_uses": true, "node_selector": true,
	"namespace_selector": true, "pod_selector": true, "node_names": true, "namespace_names": true, "networks": true,
	"principals": true, "borrowing": true, "cooldown_seconds": true, "description": true, "tags": true,
}

// request returns what a PUT of the pool sends. The current pool, if there is one, keeps what a configuration cannot say.
func (m *poolModel) request(ctx context.Context, current *api.Pool, diags *diag.Diagnostics) api.PoolRequest {
	request := api.PoolRequest{
		Cidr:            m.Cidr.ValueString(),
		Assign:          as[api.PoolRequestAssign](m.Assign),
		Parent:          textOf(m.Parent),
		BlockSize:       intOf(m.BlockSize),
		Ranges:          given(names(ctx, m.Ranges, diags)),
		Excludes:        given(names(ctx, m.Excludes, diags)),
		Kind:            as[api.PoolRequestKind](m.Kind),
		PrefixLength:    intOf(m.PrefixLength),
		Gateway:         textOf(m.Gateway),
		Dns:             given(names(ctx, m.DNS, diags)),
		Domain:          textOf(m.Domain),
		Vlan:            intOf(m.VLAN),
		Mtu:             intOf(m.MTU),
		Labels:          given(texts(ctx, m.Labels, diags)),
		Disabled:        m.Disabled.ValueBoolPointer(),
		AssignmentMode:  as[api.PoolRequestAssignmentMode](m.AssignmentMode),
		NodeNames:       given(names(ctx, m.NodeNames, diags)),
		NamespaceNames:  given(names(ctx, m.NamespaceNames, diags)),
		Networks:        given(names(ctx, m.Networks, diags)),
		Principals:      given(names(ctx, m.Principals, diags)),
		Borrowing:       as[api.PoolRequestBorrowing](m.Borrowing),
		CooldownSeconds: intOf(m.CooldownSeconds),
		Description:     textOf(m.Description),
		Tags:            given(names(ctx, m.Tags, diags)),
	}
	if uses := names(ctx, m.AllowedUses, diags); uses != nil {
		allowed := make([]api.PoolRequestAllowedUses, len(uses))
		for i, use := range uses {
			allowed[i] = api.PoolRequestAllowedUses(use)
		}
		request.AllowedUses = &allowed
	}
	if !m.Routes.IsNull() {
		var routes []routeModel
		diags.Append(m.Routes.ElementsAs(ctx, &routes, false)...)
		sent := make([]struct {
			Dst string `json:"dst"`
			Gw  string `json:"gw"`
		}, len(routes))
		for i, route := range routes {
			sent[i].Dst, sent[i].Gw = route.Dst.ValueString(), route.Gw.ValueString()
		}
		request.Routes = &sent
	}
	if selector := textOf(m.NodeSelector); selector != nil {
		request.NodeSelector = &api.PoolRequest_NodeSelector{}
		check(diags, request.NodeSelector.FromPoolRequestNodeSelector0(*selector))
	}
	if selector := textOf(m.NamespaceSelector); selector != nil {
		request.NamespaceSelector = &api.PoolRequest_NamespaceSelector{}
		check(diags, request.NamespaceSelector.FromPoolRequestNamespaceSelector0(*selector))
	}
	if selector := textOf(m.PodSelector); selector != nil {
		request.PodSelector = &api.PoolRequest_PodSelector{}
		check(diags, request.PodSelector.FromPoolRequestPodSelector0(*selector))
	}
	if current != nil && current.Routing != nil {
		// The fields of a Calico manifest, which a PUT without them would remove.
		text, err := json.Marshal(current.Routing)
		check(diags, err)
		check(diags, json.Unmarshal(text, &request.Routing))
	}
	return request
}

// as returns a text as another type; nil if it is null or unknown.
func as[Text ~string](value types.String) *Text {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	text := Text(value.ValueString())
	return &text
}

// check adds an error of the provider itself.
func check(diags *diag.Diagnostics, err error) {
	if err != nil {
		diags.AddError("The provider cannot encode the request", err.Error())
	}
}

// take writes a pool into the model. What the model says otherwise, in the same meaning, stays: ranges that Plat merges, an
// address in another form, an empty list, and a default that the configuration leaves to Plat.
func (m *poolModel) take(ctx context.Context, pool api.Pool, diags *diag.Diagnostics) {
	m.Name = types.StringValue(pool.Name)
	m.Cidr = text(m.Cidr, &pool.Cidr, sameNetwork)
	m.Assign = types.StringValue(string(pool.Assign))
	m.Parent = text(m.Parent, pool.Parent, nil)
	m.BlockSize = types.Int64Value(int64(pool.BlockSize))
	m.Ranges = list(ctx, m.Ranges, pool.Ranges, sameSpans, diags)
	m.Excludes = list(ctx, m.Excludes, pool.Excludes, sameSpans, diags)
	m.Kind = text(m.Kind, unless(string(api.PoolKindPods), m.Kind.IsNull(), pool.Kind), nil)
	m.PrefixLength = int64Of(pool.PrefixLength)
	m.Gateway = text(m.Gateway, pool.Gateway, sameNetwork)
	m.DNS = list(ctx, m.DNS, pool.Dns, sameInOrder, diags)
	m.Domain = text(m.Domain, pool.Domain, nil)
	m.VLAN = int64Of(pool.Vlan)
	m.MTU = int64Of(pool.Mtu)
	if known := texts(ctx, m.Labels, diags); pool.Labels == nil || !sameEntries(known, *pool.Labels) {
		m.Labels = entries(m.Labels, pool.Labels)
	}
	m.Disabled = types.BoolValue(pool.Disabled)
	m.AssignmentMode = types.StringValue(string(pool.AssignmentMode))
	m.NodeSelector = text(m.NodeSelector, pool.NodeSelector, nil)
	m.NamespaceSelector = text(m.NamespaceSelector, pool.NamespaceSelector, nil)
	m.PodSelector = text(m.PodSelector, pool.PodSelector, nil)
	m.NodeNames = set(ctx, m.NodeNames, pool.NodeNames, diags)
	m.NamespaceNames = set(ctx, m.NamespaceNames, pool.NamespaceNames, diags)
	m.Networks = set(ctx, m.Networks, pool.Networks, diags)
	m.Principals = set(ctx, m.Principals, pool.Principals, diags)
	m.Borrowing = text(m.Borrowing, unless(string(api.PoolBorrowingAllowed), m.Borrowing.IsNull(), pool.Borrowing), nil)
	m.Description = text(m.Description, pool.Description, nil)
	m.Tags = set(ctx, m.Tags, pool.Tags, diags)
	m.takeUses(ctx, pool, diags)
	m.takeCooldown(pool)
	m.takeRoutes(ctx, pool, diags)
}

// takeUses leaves the uses null that Plat allows by default.
func (m *poolModel) takeUses(ctx context.Context, pool api.Pool, diags *diag.Diagnostics) {
	var uses *[]string
	if pool.AllowedUses != nil {
		allowed := make([]string, len(*pool.AllowedUses))
		for i, use := range *pool.AllowedUses {
			allowed[i] = string(use)
		}
		uses = &allowed
		byDefault := []string{string(api.PoolAllowedUsesWorkload), string(api.PoolAllowedUsesTunnel)}
		if pool.Ranges != nil {
			byDefault = byDefault[:1]
		}
		if m.AllowedUses.IsNull() && sameElements(allowed, byDefault) {
			return
		}
	}
	m.AllowedUses = set(ctx, m.AllowedUses, uses, diags)
}

// prefixCooldownSeconds is the cooldown of a pool of prefixes that names none.
const prefixCooldownSeconds = 300

func (m *poolModel) takeCooldown(pool api.Pool) {
	if m.CooldownSeconds.IsNull() && pool.Assign == api.PoolAssignPrefixes &&
		pool.CooldownSeconds != nil && *pool.CooldownSeconds == prefixCooldownSeconds {
		return
	}
	m.CooldownSeconds = int64Of(pool.CooldownSeconds)
}

func (m *poolModel) takeRoutes(ctx context.Context, pool api.Pool, diags *diag.Diagnostics) {
	if pool.Routes == nil {
		if len(m.Routes.Elements()) > 0 {
			m.Routes = types.ListNull(routeType)
		}
		return
	}
	var known []routeModel
	if !m.Routes.IsNull() {
		diags.Append(m.Routes.ElementsAs(ctx, &known, false)...)
	}
	routes := make([]attr.Value, len(*pool.Routes))
	isSame := len(known) == len(routes) && !m.Routes.IsNull()
	for i, route := range *pool.Routes {
		isSame = isSame && sameNetwork(known[i].Dst.ValueString(), route.Dst) && sameNetwork(known[i].Gw.ValueString(), route.Gw)
		routes[i] = types.ObjectValueMust(routeTypes, map[string]attr.Value{
			"dst": types.StringValue(route.Dst), "gw": types.StringValue(route.Gw),
		})
	}
	if !isSame {
		m.Routes = types.ListValueMust(routeType, routes)
	}
}

// unless returns nil for a value that Plat gives by default to a field that the configuration leaves out.
func unless[Text ~string](byDefault string, isLeftOut bool, value *Text) *string {
	if value == nil || (isLeftOut && string(*value) == byDefault) {
		return nil
	}
	text := string(*value)
	return &text
}

// text returns the known text if the other one means the same, else the other one.
func text(known types.String, other *string, isSame func(a, b string) bool) types.String {
	if other != nil && isSame != nil && !known.IsNull() && isSame(known.ValueString(), *other) {
		return known
	}
	if other == nil && !known.IsNull() && !known.IsUnknown() && known.ValueString() == "" {
		return known
	}
	return types.StringPointerValue(other)
}

// list returns the known list if the other one means the same, else the other one.
func list(ctx context.Context, known types.List, other *[]string, isSame func(a, b []string) bool, diags *diag.Diagnostics) types.List {
	if other == nil {
		if !known.IsNull() && len(known.Elements()) == 0 {
			return known
		}
		return types.ListNull(types.StringType)
	}
	if !known.IsNull() && isSame(names(ctx, known, diags), *other) {
		return known
	}
	return listOf(*other)
}

// set does the same for a set.
func set(ctx context.Context, known types.Set, other *[]string, diags *diag.Diagnostics) types.Set {
	if other == nil {
		if !known.IsNull() && len(known.Elements()) == 0 {
			return known
		}
		return types.SetNull(types.StringType)
	}
	if !known.IsNull() && sameElements(names(ctx, known, diags), *other) {
		return known
	}
	return setOf(*other)
}

// entries does the same for a map whose entries differ.
func entries(known types.Map, other *map[string]string) types.Map {
	if other == nil {
		if !known.IsNull() && len(known.Elements()) == 0 {
			return known
		}
		return types.MapNull(types.StringType)
	}
	return mapOf(*other)
}

// sameInOrder says whether two lists have the same addresses in the same order.
func sameInOrder(a, b []string) bool { return slices.EqualFunc(a, b, sameNetwork) }
