package provider

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

const reservationTimeout = 5 * time.Minute

func newReservation() resource.Resource { return &reservationResource{} }

type reservationResource struct{ caller }

var (
	_ resource.ResourceWithConfigure   = &reservationResource{}
	_ resource.ResourceWithImportState = &reservationResource{}
)

type reservationModel struct {
	Name     types.String   `tfsdk:"name"`
	Cidrs    types.List     `tfsdk:"cidrs"`
	Reason   types.String   `tfsdk:"reason"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

var reservationAttributes = map[string]bool{"name": true, "cidrs": true, "reason": true}

func (r *reservationResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_reservation"
}

func (r *reservationResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Addresses that Plat assigns to nobody who does not ask for them. A change ends when every function of Plat acts on it.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the reservation. Another name replaces it.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"cidrs": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Addresses, ranges such as `10.0.0.1-10.0.0.9`, and CIDRs.",
				Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.NoNullValues()},
			},
			"reason": schema.StringAttribute{Optional: true, MarkdownDescription: "Why the addresses are reserved."},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{
				Create: true, Read: true, Update: true, Delete: true,
				CreateDescription: "Default: `5m`.", ReadDescription: "Default: `2m`.",
				UpdateDescription: "Default: `5m`.", DeleteDescription: "Default: `5m`.",
			}),
		},
	}
}

func (r *reservationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan reservationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, reservationTimeout)
	resp.Diagnostics.Append(diags...)
	r.begin("reservation", "name", plan.Name.ValueString(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name := plan.Name.ValueString()
	found, version, err := r.client.Reservation(ctx, name)
	if err == nil {
		var waited bool
		if waited, err = r.client.AwaitReleases(ctx, reservationProof(name)); waited && err == nil {
			found, version, err = r.client.Reservation(ctx, name)
		}
	}
	switch {
	case err == nil:
		r.adopt(ctx, plan, found, version, &resp.Diagnostics)
	case plat.IsNotFound(err):
		r.client.Make(reservationProof(name))
		r.put(ctx, plan, "", &resp.Diagnostics)
	default:
		addError(&resp.Diagnostics, "The reservation cannot be read", err, reservationAttributes)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// adopt takes over a reservation that exists, if it is what is wanted.
func (r *reservationResource) adopt(ctx context.Context, plan reservationModel, found api.Reservation, version string, diags *diag.Diagnostics) {
	name := plan.Name.ValueString()
	if !sameSpans(names(ctx, plan.Cidrs, diags), found.Cidrs) || orEmpty(found.Reason) != plan.Reason.ValueString() {
		diags.AddAttributeError(path.Root("name"), "The reservation exists with other fields",
			fmt.Sprintf("The reservation %q has %v with the reason %q. %s", name, found.Cidrs, orEmpty(found.Reason), wayOut("name", "it as it is", "reservation", strconv.Quote(name))))
		return
	}
	if !r.client.Adopt(reservationProof(name)) {
		diags.AddAttributeError(path.Root("name"), "Another resource of this run deletes the reservation",
			fmt.Sprintf("The reservation %q still exists, and another resource deletes it. Apply again after that has succeeded. %s", name, oldName))
		return
	}
	// The same PUT says when the reservation is in force.
	r.put(ctx, plan, version, diags)
	if diags.HasError() {
		return
	}
	diags.AddAttributeWarning(path.Root("name"), "The reservation was adopted",
		fmt.Sprintf("The reservation %q existed already, as after an interrupted apply.", name))
}

// reservationProof names a reservation among what this run has and deletes.
func reservationProof(name string) string { return "reservation " + name }

// put writes a reservation, and warns of pools with addresses in it.
func (r *reservationResource) put(ctx context.Context, plan reservationModel, version string, diags *diag.Diagnostics) {
	request := api.ReservationRequest{Cidrs: names(ctx, plan.Cidrs, diags), Reason: textOf(plan.Reason)}
	if diags.HasError() {
		return
	}
	warnings, err := r.client.PutReservation(ctx, plan.Name.ValueString(), version, request)
	for _, warning := range warnings {
		diags.AddAttributeWarning(path.Root("cidrs"), "The reservation touches a pool in use", warning.Detail)
	}
	if err != nil {
		const found = "The next apply finds it."
		addWriteError(diags, write{"The reservation", "written", found, found}, err, reservationAttributes)
	}
}

func (r *reservationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state reservationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	found, _, err := r.client.Reservation(ctx, state.Name.ValueString())
	if plat.IsNotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The reservation cannot be read", err, reservationAttributes)
		return
	}
	r.findInState("reservation", "name", found.Name, &resp.Diagnostics, reservationProof(found.Name))
	state.Cidrs = list(ctx, state.Cidrs, &found.Cidrs, sameSpans, &resp.Diagnostics)
	state.Reason = text(state.Reason, found.Reason, nil)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *reservationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state reservationModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, reservationTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Cidrs.Equal(state.Cidrs) && plan.Reason.Equal(state.Reason) {
		// Only the timeouts are others.
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, version, err := r.client.Reservation(ctx, plan.Name.ValueString())
	if err != nil {
		addError(&resp.Diagnostics, "The reservation cannot be read", err, reservationAttributes)
		return
	}
	r.put(ctx, plan, version, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

func (r *reservationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state reservationModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, reservationTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := state.Name.ValueString()
	end, ok := r.client.BeginRelease(reservationProof(name))
	if !ok {
		resp.Diagnostics.AddWarning("The reservation is not deleted", fmt.Sprintf("The reservation %q is also that of another resource of this run.", name))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := r.client.DeleteReservation(ctx, name)
	end()
	if err != nil {
		addWriteError(&resp.Diagnostics, write{what: "The reservation", done: "deleted"}, err, reservationAttributes)
	}
}

func (r *reservationResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	importByName(ctx, "name", req, resp)
}
