package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

func newAddressesData() datasource.DataSource { return &addressesData{} }

// addressesData is a search for addresses that are not free.
type addressesData struct{ reader }

type addressesModel struct {
	Pool       types.String   `tfsdk:"pool"`
	Host       types.String   `tfsdk:"host"`
	Handle     types.String   `tfsdk:"handle"`
	Owner      types.String   `tfsdk:"owner"`
	State      types.String   `tfsdk:"state"`
	Cidr       types.String   `tfsdk:"cidr"`
	Attributes types.Map      `tfsdk:"attributes"`
	Addresses  types.List     `tfsdk:"addresses"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

// foundModel is one address that a search finds.
type foundModel struct {
	heldModel
	State      types.String `tfsdk:"state"`
	Handle     types.String `tfsdk:"handle"`
	Host       types.String `tfsdk:"host"`
	Attributes types.Map    `tfsdk:"attributes"`
}

var searchAttributes = map[string]bool{
	"pool": true, "host": true, "handle": true, "owner": true, "state": true, "cidr": true, "attributes": true,
}

func (d *addressesData) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_addresses"
}

func (d *addressesData) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	condition := func(words string, validators ...validator.String) schema.Attribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: words, Validators: validators}
	}
	found := heldDataSchema()
	found["state"] = schema.StringAttribute{Computed: true, MarkdownDescription: "`assigned`, `kept`, `held`, `cooling`, `quarantined` or `hostReserved`."}
	found["handle"] = schema.StringAttribute{Computed: true, MarkdownDescription: "The handle that has it."}
	found["host"] = schema.StringAttribute{Computed: true, MarkdownDescription: "The machine that uses it."}
	found["attributes"] = schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "The attributes of its active owner."}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The addresses that are not free and meet all conditions, in order. Without a condition, those of the whole space.",
		Attributes: map[string]schema.Attribute{
			"pool":   condition("Only addresses of this pool."),
			"host":   condition("Only addresses that this host uses."),
			"handle": condition("Only addresses of this handle."),
			"owner":  condition("Only addresses whose active or alternate owner has this name: `web-0`, or `shop/web-0` with its namespace."),
			"state": condition("Only addresses in this state: `assigned`, `kept`, `held`, `cooling`, `quarantined` or `hostReserved`.",
				stringvalidator.OneOf("assigned", "kept", "held", "cooling", "quarantined", "hostReserved")),
			"cidr": condition("Only addresses in this network."),
			"attributes": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Only addresses that were assigned with these attributes. A later change of the attributes does not count.",
				Validators:          []validator.Map{mapvalidator.NoNullValues()},
			},
			"addresses": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The addresses, IPv4 first.",
				NestedObject: schema.NestedAttributeObject{Attributes: found},
			},
			"timeouts": timeouts.Attributes(ctx),
		},
	}
}

func (d *addressesData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model addressesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	attributes := texts(ctx, model.Attributes, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, err := d.client.Find(ctx, api.ListAddressesInSpaceParams{
		Pool: textOf(model.Pool), Host: textOf(model.Host), Handle: textOf(model.Handle), Owner: textOf(model.Owner),
		State: as[api.ListAddressesInSpaceParamsState](model.State), Cidr: textOf(model.Cidr),
	}, attributes)
	if err != nil {
		addError(&resp.Diagnostics, "The addresses cannot be listed", err, searchAttributes)
		return
	}
	slices.SortFunc(found, plat.InOrder)
	models := make([]foundModel, len(found))
	for i, each := range found {
		models[i] = foundModel{
			heldModel: modelOf(ctx, each, &resp.Diagnostics),
			State:     types.StringValue(string(each.State)), Handle: types.StringPointerValue(each.Handle),
			Host: types.StringPointerValue(each.Host), Attributes: mapOf(ownerOf(each)),
		}
	}
	var wrong diag.Diagnostics
	model.Addresses, wrong = types.ListValueFrom(ctx, foundType(), models)
	resp.Diagnostics.Append(wrong...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func foundType() types.ObjectType {
	all := map[string]attr.Type{
		"state": types.StringType, "handle": types.StringType, "host": types.StringType,
		"attributes": types.MapType{ElemType: types.StringType},
	}
	for name, each := range heldTypes {
		all[name] = each
	}
	return types.ObjectType{AttrTypes: all}
}
