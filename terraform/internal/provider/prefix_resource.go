package provider

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/mapplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// prefixTimeout is also the time for a prefix to cool, which is five minutes by default.
const prefixTimeout = 10 * time.Minute

// importSeparator is between handle and CIDR in the id of an import. No handle has it.
const importSeparator = "#"

func newPrefix() resource.Resource { return &prefixResource{} }

// prefixResource is one prefix of a handle.
type prefixResource struct{ caller }

var (
	_ resource.ResourceWithConfigure      = &prefixResource{}
	_ resource.ResourceWithImportState    = &prefixResource{}
	_ resource.ResourceWithModifyPlan     = &prefixResource{}
	_ resource.ResourceWithValidateConfig = &prefixResource{}
)

type prefixModel struct {
	Handle       types.String   `tfsdk:"handle"`
	Family       types.Int64    `tfsdk:"family"`
	PrefixLength types.Int64    `tfsdk:"prefix_length"`
	Cidr         types.String   `tfsdk:"cidr"`
	Pools        types.List     `tfsdk:"pools"`
	Attributes   types.Map      `tfsdk:"attributes"`
	Description  types.String   `tfsdk:"description"`
	Tags         types.Set      `tfsdk:"tags"`
	Pool         types.String   `tfsdk:"pool"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
}

var prefixAttributes = map[string]bool{
	"handle": true, "family": true, "prefix_length": true, "cidr": true, "pools": true, "attributes": true,
	"description": true, "tags": true,
}

func (r *prefixResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_prefix"
}

func (r *prefixResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A prefix of a handle: a free one of a family and a length, or a specific one. Every change but one of `pools` replaces it.",
		Attributes: map[string]schema.Attribute{
			"handle": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The name under which Plat finds the prefix. A handle can have a prefix of each family, each of a resource of its own.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"family": schema.Int64Attribute{
				Optional: true, Computed: true,
				MarkdownDescription: "4 or 6. Required without `cidr`.",
				Validators:          []validator.Int64{int64validator.OneOf(4, 6)},
			},
			"prefix_length": schema.Int64Attribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The length of the prefix. Default: that of the pool which serves.",
				Validators:          []validator.Int64{int64validator.Between(1, 128)},
			},
			"cidr": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "A specific prefix, in place of `family` and `prefix_length`. Without it, the assigned one.",
			},
			"pools": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "The pools to use, in this order: names, CIDRs, and patterns with `*`, `?` and classes. Default: all `Automatic` pools of prefixes. A list that lacks the pool in use replaces the prefix. While planning, an element that is not known yet does not count.",
				Validators:          []validator.List{listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), listvalidator.NoNullValues()},
			},
			"attributes": schema.MapAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Texts that are stored with the prefix.",
				PlanModifiers: []planmodifier.Map{mapplanmodifier.RequiresReplaceIf(isOtherMap, otherWords, otherWords)},
				Validators:    []validator.Map{mapvalidator.NoNullValues()},
			},
			"description": schema.StringAttribute{
				Optional: true, MarkdownDescription: "A description, for people.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(isOtherText, otherWords, otherWords)},
			},
			"tags": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Words by which people group and find prefixes.",
				PlanModifiers: []planmodifier.Set{setplanmodifier.RequiresReplaceIf(isOtherSet, otherWords, otherWords)},
				Validators:    []validator.Set{setvalidator.NoNullValues()},
			},
			"pool": schema.StringAttribute{Computed: true, MarkdownDescription: "The pool of the prefix."},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{
				Create: true, Read: true, Update: true, Delete: true,
				CreateDescription: "The time to wait for a prefix, also for one that cools. Default: `10m`.",
				ReadDescription:   "Default: `2m`.",
				UpdateDescription: "Default: `2m`.",
				DeleteDescription: "Default: `10m`.",
			}),
		},
	}
}

func (r *prefixResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config prefixModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	for name := range config.Attributes.Elements() {
		if described[name] {
			resp.Diagnostics.AddAttributeError(path.Root("attributes"), "The attribute has a field of its own",
				fmt.Sprintf("Set %s of the resource in place of attributes[%q].", name, name))
		}
	}
	if config.Cidr.IsUnknown() {
		// It can still be null, as the variable of a module can.
		return
	}
	if config.Cidr.IsNull() {
		if config.Family.IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root("family"), "The prefix has no family", "Set family to 4 or 6, or name a specific prefix as cidr.")
		}
		return
	}
	for name, value := range map[string]types.Int64{"family": config.Family, "prefix_length": config.PrefixLength} {
		if !value.IsNull() && !value.IsUnknown() {
			resp.Diagnostics.AddAttributeError(path.Root(name), "A specific prefix excludes family and length",
				fmt.Sprintf("Remove %s, or cidr: a specific prefix says it itself.", name))
		}
	}
	if prefix, err := netip.ParsePrefix(config.Cidr.ValueString()); err != nil || prefix != prefix.Masked() {
		resp.Diagnostics.AddAttributeError(path.Root("cidr"), "This is no prefix",
			fmt.Sprintf("cidr is %q; it must be a network without bits below its prefix, such as 10.64.16.0/20.", config.Cidr.ValueString()))
	}
}

// ModifyPlan derives family and length of a specific prefix, and decides whether the prefix is replaced.
func (r *prefixResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var config, plan prefixModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if prefix, err := netip.ParsePrefix(config.Cidr.ValueString()); err == nil {
		plan.Family, plan.PrefixLength = familyOf(prefix), types.Int64Value(int64(prefix.Bits()))
	}
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		return
	}
	var state prefixModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	pools := knownNames(ctx, config.Pools, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !config.Cidr.IsNull() && !sameNetwork(config.Cidr.ValueString(), state.Cidr.ValueString()) {
		resp.RequiresReplace.Append(path.Root("cidr"))
	}
	if config.Cidr.IsNull() && !config.Family.Equal(state.Family) {
		resp.RequiresReplace.Append(path.Root("family"))
	}
	if config.Cidr.IsNull() && !config.PrefixLength.IsNull() && !config.PrefixLength.Equal(state.PrefixLength) {
		resp.RequiresReplace.Append(path.Root("prefix_length"))
	}
	if !isFrom(pools, state.Pool.ValueString(), strings.Split(state.Cidr.ValueString(), "/")[0]) {
		resp.RequiresReplace.Append(path.Root("pools"))
	}
	isReplaced := len(resp.RequiresReplace) > 0 || !plan.Handle.Equal(state.Handle) ||
		isOther(plan.Attributes, state.Attributes, len(plan.Attributes.Elements())+len(state.Attributes.Elements())) ||
		isOther(plan.Description, state.Description, len(plan.Description.ValueString())+len(state.Description.ValueString())) ||
		isOther(plan.Tags, state.Tags, len(plan.Tags.Elements())+len(state.Tags.Elements()))
	plan.Pool = types.StringUnknown()
	if !isReplaced {
		plan.Pool, plan.Family, plan.PrefixLength = state.Pool, state.Family, state.PrefixLength
	} else if config.Cidr.IsNull() && config.PrefixLength.IsNull() {
		plan.PrefixLength = types.Int64Unknown()
	}
	if config.Cidr.IsNull() {
		plan.Cidr = state.Cidr
		if isReplaced {
			plan.Cidr = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

const otherWords = "Another value replaces the prefix; an empty one in place of none does not."

func isOtherMap(_ context.Context, req planmodifier.MapRequest, resp *mapplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = isOther(req.PlanValue, req.StateValue, len(req.PlanValue.Elements())+len(req.StateValue.Elements()))
}

func isOtherSet(_ context.Context, req planmodifier.SetRequest, resp *setplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = isOther(req.PlanValue, req.StateValue, len(req.PlanValue.Elements())+len(req.StateValue.Elements()))
}

func isOtherText(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = isOther(req.PlanValue, req.StateValue, len(req.PlanValue.ValueString())+len(req.StateValue.ValueString()))
}

// isOther says whether a plan has another value than a state. An empty one is none, so that two of no length are the same.
func isOther(plan, state attr.Value, lengths int) bool {
	return plan.IsUnknown() || (lengths > 0 && !plan.Equal(state))
}

func familyOf(prefix netip.Prefix) types.Int64 {
	if prefix.Addr().Is4() {
		return types.Int64Value(4)
	}
	return types.Int64Value(6)
}

func (r *prefixResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan prefixModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, prefixTimeout)
	resp.Diagnostics.Append(diags...)
	r.beginPrefix(plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	held := r.settled(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if held != nil {
		r.adopt(ctx, plan, *held, &resp.Diagnostics)
	} else {
		held = r.assign(ctx, plan, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	tenant := plan.tenantIn(ctx, *held, &resp.Diagnostics)
	keepTenant(ctx, resp.Private, tenant, &resp.Diagnostics)
	plan.take(ctx, *held, tenant, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// beginPrefix says that a create makes a prefix: a named one, or any of its family. It reports
// another resource that could get the same one in this run.
func (r *prefixResource) beginPrefix(plan prefixModel, diags *diag.Diagnostics) {
	family, cidr, handle := plan.Family, "", plan.Handle.ValueString()
	if named := textOf(plan.Cidr); named != nil {
		cidr = plain(*named)
	}
	if prefix, err := netip.ParsePrefix(cidr); err == nil {
		family = familyOf(prefix)
	}
	group := fmt.Sprintf("prefix of IPv%d", family.ValueInt64())
	if !r.client.BeginCreate(group+" "+handle, cidr) {
		diags.AddAttributeError(path.Root("handle"), "Two resources have the same handle",
			fmt.Sprintf("This run creates another %s with the handle %q, and both could get the same one. Give each a handle of its own, or name each by another cidr.", group, handle))
	}
}

// tenantIn returns the tenant that Plat added to the attributes of the plan.
func (m *prefixModel) tenantIn(ctx context.Context, held api.HeldPrefix, diags *diag.Diagnostics) string {
	if held.Attributes == nil {
		return ""
	}
	return tenantIn(*held.Attributes, texts(ctx, m.Attributes, diags))
}

// settled returns the prefix of the plan that the handle has after the destroy of this run that
// releases it.
func (r *prefixResource) settled(ctx context.Context, plan prefixModel, diags *diag.Diagnostics) *api.HeldPrefix {
	held := r.held(ctx, plan, diags)
	cidr := textOf(plan.Cidr)
	if held != nil {
		cidr = &held.Cidr
	}
	if cidr == nil || diags.HasError() {
		return nil
	}
	// Also without the prefix: a release has no generation, and its repeat would release what is
	// assigned meanwhile.
	waited, err := r.client.AwaitReleases(ctx, prefixProof(plan.Handle.ValueString(), *cidr))
	if err != nil {
		addError(diags, "The prefix is not released yet", err, prefixAttributes)
		return nil
	}
	if !waited {
		return held
	}
	return r.held(ctx, plan, diags)
}

// held returns the prefix that the plan names, if the handle has it. If the plan names none, it is
// the only one of its family.
func (r *prefixResource) held(ctx context.Context, plan prefixModel, diags *diag.Diagnostics) *api.HeldPrefix {
	handle := plan.Handle.ValueString()
	all, err := r.client.Prefixes(ctx, handle)
	if err != nil {
		addError(diags, "The handle cannot be read", err, prefixAttributes)
		return nil
	}
	if textOf(plan.Cidr) != nil {
		return among(all, plan.Cidr)
	}
	var found *api.HeldPrefix
	var ids []string
	for i, each := range all {
		if int64(each.Family) == plan.Family.ValueInt64() {
			found = &all[i]
			ids = append(ids, strconv.Quote(importID(handle, each.Cidr)))
		}
	}
	if len(ids) > 1 {
		diags.AddAttributeError(path.Root("handle"), "The handle has more than one prefix of the family",
			fmt.Sprintf("The handle %q has %d prefixes of IPv%d. %s", handle, len(ids), plan.Family.ValueInt64(), wayOut("handle", "the one that this resource is", "prefix", strings.Join(ids, " or "))))
		return nil
	}
	return found
}

// among returns the prefix with a CIDR; nothing without one.
func among(held []api.HeldPrefix, cidr types.String) *api.HeldPrefix {
	for i, each := range held {
		if named := textOf(cidr); named != nil && sameNetwork(*named, each.Cidr) {
			return &held[i]
		}
	}
	return nil
}

// adopt takes over the prefix that a handle has, if it is what is wanted.
func (r *prefixResource) adopt(ctx context.Context, plan prefixModel, held api.HeldPrefix, diags *diag.Diagnostics) {
	handle := plan.Handle.ValueString()
	if difference := plan.differenceTo(ctx, held, diags); difference != "" {
		diags.AddAttributeError(path.Root("handle"), "The handle has another prefix",
			fmt.Sprintf("The handle %q exists, and %s. %s", handle, difference, wayOut("handle", "the prefix as it is", "prefix", strconv.Quote(importID(handle, held.Cidr)))))
		return
	}
	if !r.client.Adopt(prefixProof(handle, held.Cidr)) {
		diags.AddAttributeError(path.Root("handle"), "Another resource of this run has or releases the prefix",
			fmt.Sprintf("The handle %q has %s, which another resource has in this run, or releases. If it releases it, apply again after that has succeeded; else give each a handle of its own. %s", handle, held.Cidr, oldName))
		return
	}
	diags.AddAttributeWarning(path.Root("handle"), "The prefix was adopted",
		fmt.Sprintf("The handle %q had %s already, as after an interrupted apply. No prefix was assigned.", handle, held.Cidr))
}

// prefixProof names a prefix of a handle among what this run has and releases, because prefixes
// have no generations.
func prefixProof(handle, cidr string) string { return "prefix " + importID(handle, plain(cidr)) }

// importID returns the id of an import that names a prefix of a handle.
func importID(handle, cidr string) string { return handle + importSeparator + cidr }

func (m *prefixModel) differenceTo(ctx context.Context, held api.HeldPrefix, diags *diag.Diagnostics) string {
	found := *m
	found.take(ctx, held, m.tenantIn(ctx, held, diags), diags)
	pools := names(ctx, m.Pools, diags)
	switch {
	case textOf(m.Cidr) != nil && !sameNetwork(m.Cidr.ValueString(), held.Cidr):
		return fmt.Sprintf("it has %s in place of %s", held.Cidr, m.Cidr.ValueString())
	case intOf(m.PrefixLength) != nil && !m.PrefixLength.Equal(found.PrefixLength):
		return fmt.Sprintf("%s has another length than %d", held.Cidr, m.PrefixLength.ValueInt64())
	case !isFrom(pools, held.Pool, strings.Split(held.Cidr, "/")[0]):
		return fmt.Sprintf("%s is of the pool %q, which is none of %q", held.Cidr, held.Pool, pools)
	case !m.Attributes.Equal(found.Attributes):
		return fmt.Sprintf("%s has the attributes %v in place of %v", held.Cidr, found.Attributes, m.Attributes)
	case !m.Description.Equal(found.Description):
		return fmt.Sprintf("%s has the description %v in place of %v", held.Cidr, found.Description, m.Description)
	case !m.Tags.Equal(found.Tags):
		return fmt.Sprintf("%s has the tags %v in place of %v", held.Cidr, found.Tags, m.Tags)
	}
	return ""
}

// assign assigns a prefix to a handle that has none of the family. If another run did so at the same time, the prefix is
// that of both.
func (r *prefixResource) assign(ctx context.Context, plan prefixModel, diags *diag.Diagnostics) *api.HeldPrefix {
	request := api.PrefixRequest{
		Handle:      plan.Handle.ValueString(),
		Pools:       given(names(ctx, plan.Pools, diags)),
		Attributes:  given(texts(ctx, plan.Attributes, diags)),
		Description: textOf(plan.Description),
		Tags:        given(names(ctx, plan.Tags, diags)),
	}
	if request.Cidr = textOf(plan.Cidr); request.Cidr == nil {
		family, one := api.PrefixRequestFamily(plan.Family.ValueInt64()), 1
		request.Family, request.PrefixLength, request.LimitPerHandle = &family, intOf(plan.PrefixLength), &one
	}
	assigned, err := r.client.AssignPrefix(ctx, request)
	cidr := plan.Cidr
	if err == nil {
		cidr = types.StringValue(assigned.Cidr)
	} else if !takenBy(err, "prefix/"+request.Handle) {
		addError(diags, "No prefix was assigned", unanswered(err, "The next apply adopts what was assigned."), prefixAttributes)
		return nil
	}
	all, err := r.client.Prefixes(ctx, request.Handle)
	if err != nil {
		addError(diags, "The assigned prefix cannot be read", unanswered(err, "The next apply adopts it."), prefixAttributes)
		return nil
	}
	held := among(all, cidr)
	if held == nil {
		diags.AddAttributeError(path.Root("handle"), "The prefix is gone", fmt.Sprintf("The handle %q was released right after its prefix was assigned.", request.Handle))
		return nil
	}
	if difference := plan.differenceTo(ctx, *held, diags); difference != "" {
		diags.AddAttributeError(path.Root("handle"), "Another run assigns to this handle",
			fmt.Sprintf("The handle %q was free a moment ago, and now %s. Two configurations must not share a handle.", request.Handle, difference))
		return nil
	}
	if !r.client.Make(prefixProof(request.Handle, held.Cidr)) {
		diags.AddAttributeError(path.Root("handle"), "Another resource of this run has the prefix",
			fmt.Sprintf("The handle %q got %s, which another resource of this run has. Give each a handle of its own.", request.Handle, held.Cidr))
		return nil
	}
	return held
}

func (r *prefixResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state prefixModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	all, err := r.client.Prefixes(ctx, state.Handle.ValueString())
	if err != nil {
		addError(&resp.Diagnostics, "The handle cannot be read", err, prefixAttributes)
		return
	}
	// Another prefix of the handle is that of another resource.
	held := among(all, state.Cidr)
	if held == nil {
		resp.State.RemoveResource(ctx)
		return
	}
	handle := state.Handle.ValueString()
	r.findInState("prefix", "handle", handle, &resp.Diagnostics, prefixProof(handle, held.Cidr))
	tenant := addedTenant(ctx, req.Private, &resp.Diagnostics)
	state.take(ctx, *held, tenant, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update has only new `pools` and timeouts to keep, of which Plat stores nothing.
func (r *prefixResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan prefixModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

func (r *prefixResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state prefixModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, prefixTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	handle, cidr := state.Handle.ValueString(), plain(state.Cidr.ValueString())
	end, ok := r.client.BeginRelease(prefixProof(handle, cidr))
	if !ok {
		resp.Diagnostics.AddWarning("The prefix is not released",
			fmt.Sprintf("%s is also that of another resource of this run, which has the same handle %q.", cidr, handle))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := r.client.ReleasePrefix(ctx, handle, cidr)
	end()
	if err != nil {
		addError(&resp.Diagnostics, "The prefix was not released", err, prefixAttributes)
	}
}

// ImportState takes a handle with one prefix, or HANDLE#CIDR.
func (r *prefixResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	handle, cidr, isNamed := strings.Cut(req.ID, importSeparator)
	all, err := r.client.Prefixes(ctx, handle)
	if err != nil {
		addError(&resp.Diagnostics, "The handle cannot be read", err, prefixAttributes)
		return
	}
	cidrs := make([]string, 0, len(all))
	for _, each := range all {
		if !isNamed || sameNetwork(cidr, each.Cidr) {
			cidrs = append(cidrs, each.Cidr)
		}
	}
	if len(cidrs) != 1 {
		resp.Diagnostics.AddError("The import names no single prefix",
			fmt.Sprintf("%q stands for %d prefixes %v. Name one as HANDLE%sCIDR.", req.ID, len(cidrs), cidrs, importSeparator))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("handle"), handle)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cidr"), cidrs[0])...)
}

// described are the attributes in which Plat keeps a description and tags.
var described = map[string]bool{"description": true, "tags": true}

// take writes a prefix into the model, without the tenant that Plat added. What the model says otherwise, in the same
// meaning, stays.
func (m *prefixModel) take(ctx context.Context, held api.HeldPrefix, tenant string, diags *diag.Diagnostics) {
	m.Cidr = text(m.Cidr, &held.Cidr, sameNetwork)
	m.Pool = types.StringValue(held.Pool)
	if prefix, err := netip.ParsePrefix(held.Cidr); err == nil {
		m.Family, m.PrefixLength = familyOf(prefix), types.Int64Value(int64(prefix.Bits()))
	}
	known := texts(ctx, m.Attributes, diags)
	var attributes *map[string]string
	if held.Attributes != nil {
		own := map[string]string{}
		for name, value := range withoutTenant(*held.Attributes, known, tenant) {
			if !described[name] {
				own[name] = value
			}
		}
		if len(own) > 0 {
			attributes = &own
		}
	}
	if attributes == nil || !sameEntries(known, *attributes) {
		m.Attributes = entries(m.Attributes, attributes)
	}
	m.Description = text(m.Description, held.Description, nil)
	m.Tags = set(ctx, m.Tags, held.Tags, diags)
}
