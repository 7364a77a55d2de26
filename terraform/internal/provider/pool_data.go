package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

func newPoolData() datasource.DataSource { return &poolData{} }

// poolData is a pool that something else manages.
type poolData struct{ reader }

type poolDataModel struct {
	poolModel
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

func (d *poolData) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pool"
}

func (d *poolData) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"name":     schema.StringAttribute{Required: true, MarkdownDescription: "The name of the pool."},
		"disabled": schema.BoolAttribute{Computed: true, MarkdownDescription: poolWords["disabled"]},
		"labels":   schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: poolWords["labels"]},
		"routes": schema.ListNestedAttribute{
			Computed: true, MarkdownDescription: poolWords["routes"],
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"dst": schema.StringAttribute{Computed: true, MarkdownDescription: heldWords["dst"]},
				"gw":  schema.StringAttribute{Computed: true, MarkdownDescription: heldWords["gw"]},
			}},
		},
		"timeouts": timeouts.Attributes(ctx),
	}
	for _, name := range []string{
		"cidr", "assign", "parent", "kind", "gateway", "domain", "assignment_mode", "node_selector", "namespace_selector",
		"pod_selector", "borrowing", "description",
	} {
		attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: poolWords[name]}
	}
	for _, name := range []string{"block_size", "prefix_length", "vlan", "mtu", "cooldown_seconds"} {
		attributes[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: poolWords[name]}
	}
	for _, name := range []string{"ranges", "excludes", "dns"} {
		attributes[name] = schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: poolWords[name]}
	}
	for _, name := range []string{"allowed_uses", "node_names", "namespace_names", "networks", "principals", "tags"} {
		attributes[name] = schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: poolWords[name]}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A pool that something else manages. `kind`, `borrowing` and `allowed_uses` are null while they have their default, and `prefix_length` and `cooldown_seconds` if nothing sets them.",
		Attributes:          attributes,
	}
}

func (d *poolData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model poolDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	timeout, diags := model.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name := model.Name.ValueString()
	pool, _, err := d.client.Pool(ctx, name)
	if plat.IsNotFound(err) {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "There is no such pool", fmt.Sprintf("There is no pool %q in this space.", name))
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The pool cannot be read", err, poolAttributes)
		return
	}
	model.take(ctx, pool, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
