package provider

import (
	"context"
	"encoding/json"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

func newUtilizationData() datasource.DataSource { return &utilizationData{} }

// utilizationData has the counts of pools.
type utilizationData struct{ reader }

type utilizationModel struct {
	Names    types.List     `tfsdk:"names"`
	Pools    types.List     `tfsdk:"pools"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

type usageModel struct {
	Pool         types.String `tfsdk:"pool"`
	Cidr         types.String `tfsdk:"cidr"`
	Unit         types.String `tfsdk:"unit"`
	Capacity     types.Number `tfsdk:"capacity"`
	InUse        types.Number `tfsdk:"in_use"`
	HostReserved types.Number `tfsdk:"host_reserved"`
	Reserved     types.Number `tfsdk:"reserved"`
	Cooling      types.Number `tfsdk:"cooling"`
	Available    types.Number `tfsdk:"available"`
}

var usageType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"pool": types.StringType, "cidr": types.StringType, "unit": types.StringType, "capacity": types.NumberType,
	"in_use": types.NumberType, "host_reserved": types.NumberType, "reserved": types.NumberType,
	"cooling": types.NumberType, "available": types.NumberType,
}}

func (d *utilizationData) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_utilization"
}

func (d *utilizationData) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(words string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: words}
	}
	number := func(words string) schema.Attribute {
		return schema.NumberAttribute{Computed: true, MarkdownDescription: words}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "How much of each pool is in use: `capacity` is the sum of the other counts.",
		Attributes: map[string]schema.Attribute{
			"names": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Only these pools. Default: all of the space.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"pools": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The pools in the order of their names.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"pool": text("The name of the pool."), "cidr": text("Its network."),
					"unit":     text("What is counted: `addresses` or `prefixes`."),
					"capacity": number("All of the pool."), "in_use": number("Those that are assigned."),
					"host_reserved": number("Those that hosts keep for themselves."), "reserved": number("Those that reservations withhold."),
					"cooling": number("Those that cannot be assigned yet."), "available": number("Those that can be assigned now."),
				}},
			},
			"timeouts": timeouts.Attributes(ctx),
		},
	}
}

func (d *utilizationData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model utilizationModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	named := names(ctx, model.Names, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// Without names it is all pools, and with an empty list none.
	var used []plat.PoolUsage
	var err error
	if named == nil || len(named) > 0 {
		used, err = d.client.Utilization(ctx, named)
	}
	if err != nil {
		addError(&resp.Diagnostics, "The utilization cannot be read", err, map[string]bool{})
		return
	}
	pools := make([]usageModel, len(used))
	for i, each := range used {
		unit := each.Unit
		if unit == "" {
			unit = "addresses"
		}
		pools[i] = usageModel{
			Pool: types.StringValue(each.Pool), Cidr: types.StringValue(each.Cidr), Unit: types.StringValue(unit),
			Capacity: number(each.Capacity, &resp.Diagnostics), InUse: number(each.InUse, &resp.Diagnostics),
			HostReserved: number(each.HostReserved, &resp.Diagnostics), Reserved: number(each.Reserved, &resp.Diagnostics),
			Cooling: number(each.Cooling, &resp.Diagnostics), Available: number(each.Available, &resp.Diagnostics),
		}
	}
	var wrong diag.Diagnostics
	model.Pools, wrong = types.ListValueFrom(ctx, usageType, pools)
	resp.Diagnostics.Append(wrong...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// countBits are enough for the addresses of all of IPv6.
const countBits = 512

// number returns a count of any size.
func number(count json.Number, diags *diag.Diagnostics) types.Number {
	value, _, err := big.ParseFloat(count.String(), 10, countBits, big.ToNearestEven)
	if err != nil {
		diags.AddError("A count is no number", err.Error())
		return types.NumberNull()
	}
	return types.NumberValue(value)
}
