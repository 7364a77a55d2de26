package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// heldModel is one address that a handle has, with the network of its pool.
type heldModel struct {
	Address    types.String `tfsdk:"address"`
	Family     types.Int64  `tfsdk:"family"`
	Pool       types.String `tfsdk:"pool"`
	Generation types.String `tfsdk:"generation"`
	Cidr       types.String `tfsdk:"cidr"`
	Gateway    types.String `tfsdk:"gateway"`
	DNS        types.List   `tfsdk:"dns"`
	Domain     types.String `tfsdk:"domain"`
	VLAN       types.Int64  `tfsdk:"vlan"`
	MTU        types.Int64  `tfsdk:"mtu"`
	Routes     types.List   `tfsdk:"routes"`
	Labels     types.Map    `tfsdk:"labels"`
}

// routeModel is a route of the network of a pool.
type routeModel struct {
	Dst types.String `tfsdk:"dst"`
	Gw  types.String `tfsdk:"gw"`
}

var (
	routeTypes = map[string]attr.Type{"dst": types.StringType, "gw": types.StringType}
	routeType  = types.ObjectType{AttrTypes: routeTypes}
	heldTypes  = map[string]attr.Type{
		"address": types.StringType, "family": types.Int64Type, "pool": types.StringType, "generation": types.StringType,
		"cidr": types.StringType, "gateway": types.StringType, "dns": types.ListType{ElemType: types.StringType},
		"domain": types.StringType, "vlan": types.Int64Type, "mtu": types.Int64Type,
		"routes": types.ListType{ElemType: routeType}, "labels": types.MapType{ElemType: types.StringType},
	}
	heldType = types.ObjectType{AttrTypes: heldTypes}
)

// heldWords describes the attributes of an address.
var heldWords = map[string]string{
	"address":    "The address.",
	"family":     "4 or 6.",
	"pool":       "The name of its pool.",
	"generation": "The proof of this assignment, with which a release frees no other one.",
	"cidr":       "The address with the prefix length of its network.",
	"gateway":    "The router of the default route.",
	"dns":        "The DNS servers.",
	"domain":     "The DNS domain.",
	"vlan":       "The VLAN of the network.",
	"mtu":        "The size of the largest packet, in bytes.",
	"routes":     "The routes beside the default one.",
	"labels":     "The labels of the pool.",
	"dst":        "The destination, a CIDR.",
	"gw":         "The next hop.",
}

func heldSchema() map[string]schema.Attribute {
	text := func(name string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: heldWords[name]}
	}
	number := func(name string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: heldWords[name]}
	}
	return map[string]schema.Attribute{
		"address": text("address"), "family": number("family"), "pool": text("pool"), "generation": text("generation"),
		"cidr": text("cidr"), "gateway": text("gateway"), "domain": text("domain"), "vlan": number("vlan"), "mtu": number("mtu"),
		"dns":    schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: heldWords["dns"]},
		"labels": schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: heldWords["labels"]},
		"routes": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: heldWords["routes"],
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{"dst": text("dst"), "gw": text("gw")}},
		},
	}
}

func heldDataSchema() map[string]data.Attribute {
	text := func(name string) data.Attribute {
		return data.StringAttribute{Computed: true, MarkdownDescription: heldWords[name]}
	}
	number := func(name string) data.Attribute {
		return data.Int64Attribute{Computed: true, MarkdownDescription: heldWords[name]}
	}
	return map[string]data.Attribute{
		"address": text("address"), "family": number("family"), "pool": text("pool"), "generation": text("generation"),
		"cidr": text("cidr"), "gateway": text("gateway"), "domain": text("domain"), "vlan": number("vlan"), "mtu": number("mtu"),
		"dns":    data.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: heldWords["dns"]},
		"labels": data.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: heldWords["labels"]},
		"routes": data.ListNestedAttribute{
			Computed: true, MarkdownDescription: heldWords["routes"],
			NestedObject: data.NestedAttributeObject{Attributes: map[string]data.Attribute{"dst": text("dst"), "gw": text("gw")}},
		},
	}
}

func modelsOf(ctx context.Context, held []api.HeldAddress, diags *diag.Diagnostics) []heldModel {
	models := make([]heldModel, len(held))
	for i, each := range held {
		models[i] = modelOf(ctx, each, diags)
	}
	return models
}

func modelOf(ctx context.Context, held api.HeldAddress, diags *diag.Diagnostics) heldModel {
	routes := make([]routeModel, len(orNil(held.Routes)))
	for i, route := range orNil(held.Routes) {
		routes[i] = routeModel{types.StringValue(route.Dst), types.StringValue(route.Gw)}
	}
	listed := types.ListNull(routeType)
	if held.Routes != nil {
		var wrong diag.Diagnostics
		listed, wrong = types.ListValueFrom(ctx, routeType, routes)
		diags.Append(wrong...)
	}
	labels := types.MapNull(types.StringType)
	if held.Labels != nil {
		labels = mapOf(*held.Labels)
	}
	return heldModel{
		Address:    types.StringValue(held.Address),
		Family:     types.Int64Value(int64(held.Family)),
		Pool:       types.StringValue(held.Pool),
		Generation: types.StringPointerValue(held.Generation),
		Cidr:       types.StringPointerValue(held.Cidr),
		Gateway:    types.StringPointerValue(held.Gateway),
		DNS:        listOf(orNil(held.Dns)),
		Domain:     types.StringPointerValue(held.Domain),
		VLAN:       int64Of(held.Vlan),
		MTU:        int64Of(held.Mtu),
		Routes:     listed,
		Labels:     labels,
	}
}

// heldIn returns the addresses of a state.
func heldIn(ctx context.Context, addresses types.List, diags *diag.Diagnostics) []heldModel {
	if addresses.IsNull() || addresses.IsUnknown() {
		return nil
	}
	var held []heldModel
	diags.Append(addresses.ElementsAs(ctx, &held, false)...)
	return held
}
