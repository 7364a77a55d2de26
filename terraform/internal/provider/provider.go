// Package provider has the resources and data sources of Plat for OpenTofu and Terraform.
package provider

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

// New returns the maker of the provider of a release.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &platProvider{version: version} }
}

type platProvider struct{ version string }

type providerModel struct {
	Endpoint types.String `tfsdk:"endpoint"`
	Space    types.String `tfsdk:"space"`
	Token    types.String `tfsdk:"token"`
	APIKey   types.String `tfsdk:"api_key"`
	Region   types.String `tfsdk:"region"`
	Profile  types.String `tfsdk:"profile"`
}

func (p *platProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "plat"
	resp.Version = p.version
}

func (p *platProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Assigns addresses and prefixes from Plat, and manages its pools and reservations.",
		Attributes: map[string]schema.Attribute{
			"endpoint": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The URL of Plat, such as `http://127.0.0.1:8787`, or the output `Endpoint` of a deployment. Default: `PLAT_ENDPOINT`.",
			},
			"space": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The address space of all resources of this provider. Default: `PLAT_SPACE`, else `default`.",
				Validators: []validator.String{
					stringvalidator.LengthBetween(1, 63),
					stringvalidator.RegexMatches(regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`), "must have lower-case letters, digits and hyphens only, and no hyphen at an end"),
				},
			},
			"token": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "The token of an API with tokens, or of a local server. Default: `PLAT_TOKEN`, unless `region` or `profile` is set.",
			},
			"api_key": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "The key of a usage plan, which a private API can require. Default: `PLAT_API_KEY`.",
			},
			"region": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The AWS Region to sign requests for. An endpoint with a name of API Gateway needs none. Default: `PLAT_REGION`, unless `token` is set.",
			},
			"profile": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The profile of the AWS configuration files to sign requests with. Default: the chain of the AWS SDK.",
			},
		},
	}
}

func (p *platProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var config providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	settings := map[string]*types.String{
		"endpoint": &config.Endpoint, "space": &config.Space, "token": &config.Token,
		"api_key": &config.APIKey, "region": &config.Region, "profile": &config.Profile,
	}
	for name, value := range settings {
		if value.IsUnknown() {
			resp.Diagnostics.AddAttributeError(path.Root(name), "The value is not known yet",
				fmt.Sprintf("%s depends on a resource that does not exist yet. Give it a value that is known while planning.", name))
		}
	}
	if resp.Diagnostics.HasError() {
		return
	}
	endpoint := orEnvironment(config.Endpoint, "PLAT_ENDPOINT")
	if endpoint == "" {
		resp.Diagnostics.AddAttributeError(path.Root("endpoint"), "There is no endpoint",
			"Set endpoint, or the environment variable PLAT_ENDPOINT, to the URL of Plat, such as http://127.0.0.1:8787.")
		return
	}
	token, region := accessOf(config)
	client, err := plat.New(ctx, plat.Config{
		Endpoint:  endpoint,
		Space:     orEnvironment(config.Space, "PLAT_SPACE"),
		Token:     token,
		APIKey:    orEnvironment(config.APIKey, "PLAT_API_KEY"),
		Region:    region,
		Profile:   config.Profile.ValueString(),
		UserAgent: "terraform-provider-plat/" + p.version,
	})
	if err != nil {
		resp.Diagnostics.AddError("Plat cannot be called", err.Error())
		return
	}
	resp.ResourceData = client
	resp.DataSourceData = client
}

// accessOf returns the token and the Region of a provider block. A block that says how to get access decides: what the
// shell has for another API gets no say beside it.
func accessOf(config providerModel) (token, region string) {
	token, region = config.Token.ValueString(), config.Region.ValueString()
	hasToken, isSigned := token != "", region != "" || config.Profile.ValueString() != ""
	if !isSigned {
		token = orEnvironment(config.Token, "PLAT_TOKEN")
	}
	if !hasToken {
		region = orEnvironment(config.Region, "PLAT_REGION")
	}
	return token, region
}

func orEnvironment(value types.String, name string) string {
	if value.IsNull() {
		return os.Getenv(name)
	}
	return value.ValueString()
}

func (p *platProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newAddress, newPrefix, newPool, newReservation}
}

func (p *platProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newPoolData, newAddressesData, newUtilizationData}
}

// caller has what every resource and data source needs of the provider.
type caller struct{ client *plat.Client }

func (c *caller) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	c.client, _ = req.ProviderData.(*plat.Client)
}

// reader is the caller of a data source.
type reader struct{ client *plat.Client }

func (r *reader) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	r.client, _ = req.ProviderData.(*plat.Client)
}
