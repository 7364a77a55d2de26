package provider

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

const (
	poolTimeout = 10 * time.Minute
	// poolDeleteTimeout is also the time for addresses to cool.
	poolDeleteTimeout = 30 * time.Minute
	// changesMax is how often a change is tried that a job or another caller has overtaken.
	changesMax = 5
)

func newPool() resource.Resource { return &poolResource{} }

type poolResource struct{ caller }

var (
	_ resource.ResourceWithConfigure   = &poolResource{}
	_ resource.ResourceWithImportState = &poolResource{}
)

type poolResourceModel struct {
	poolModel
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

func (r *poolResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pool"
}

func (r *poolResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Required: true, MarkdownDescription: poolWords["name"],
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"cidr": schema.StringAttribute{
			Required: true, MarkdownDescription: poolWords["cidr"],
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(isOtherNetwork, otherNetwork, otherNetwork)},
		},
		"assign": schema.StringAttribute{
			Optional: true, Computed: true, MarkdownDescription: poolWords["assign"],
			Default:       stringdefault.StaticString(string(api.PoolAssignAddresses)),
			Validators:    []validator.String{stringvalidator.OneOf(string(api.PoolAssignAddresses), string(api.PoolAssignPrefixes))},
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"parent": schema.StringAttribute{
			Optional: true, MarkdownDescription: poolWords["parent"],
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"block_size": schema.Int64Attribute{
			Optional: true, Computed: true, MarkdownDescription: poolWords["block_size"],
			PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown(), int64planmodifier.RequiresReplaceIfConfigured()},
		},
		"ranges": schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: poolWords["ranges"],
			Validators:    []validator.List{listvalidator.NoNullValues()},
			PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplaceIf(isOtherKindOfSet, otherKindOfSet, otherKindOfSet)},
		},
		"routes": schema.ListNestedAttribute{
			Optional: true, MarkdownDescription: poolWords["routes"], Validators: []validator.List{listvalidator.NoNullValues()},
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"dst": schema.StringAttribute{Required: true, MarkdownDescription: heldWords["dst"]},
				"gw":  schema.StringAttribute{Required: true, MarkdownDescription: heldWords["gw"]},
			}},
		},
		"labels": schema.MapAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: poolWords["labels"],
			Validators: []validator.Map{mapvalidator.NoNullValues()},
		},
		"disabled": schema.BoolAttribute{
			Optional: true, Computed: true, MarkdownDescription: poolWords["disabled"], Default: booldefault.StaticBool(false),
		},
		"assignment_mode": schema.StringAttribute{
			Optional: true, Computed: true, MarkdownDescription: poolWords["assignment_mode"],
			Default: stringdefault.StaticString(string(api.PoolAssignmentModeAutomatic)),
			Validators: []validator.String{stringvalidator.OneOf(
				string(api.PoolAssignmentModeAutomatic), string(api.PoolAssignmentModeManual), string(api.PoolAssignmentModeApplications))},
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplaceIf(isOtherUsers, otherUsers, otherUsers)},
		},
		"kind": schema.StringAttribute{
			Optional: true, MarkdownDescription: poolWords["kind"],
			Validators: []validator.String{stringvalidator.OneOf(string(api.PoolKindPods), string(api.PoolKindSubnet))},
		},
		"borrowing": schema.StringAttribute{
			Optional: true, MarkdownDescription: poolWords["borrowing"],
			Validators: []validator.String{stringvalidator.OneOf(string(api.PoolBorrowingAllowed), string(api.PoolBorrowingForbidden))},
		},
		"timeouts": timeouts.Attributes(ctx, timeouts.Opts{
			Create: true, Read: true, Update: true, Delete: true,
			CreateDescription: "Default: `10m`.",
			ReadDescription:   "Default: `2m`.",
			UpdateDescription: "The time until a change is in force, and addresses that leave the pool are free. Default: `10m`.",
			DeleteDescription: "The time until the pool and its range are free, at least 78 seconds. Default: `30m`.",
		}),
	}
	for _, name := range []string{"gateway", "domain", "node_selector", "namespace_selector", "pod_selector", "description"} {
		attributes[name] = schema.StringAttribute{Optional: true, MarkdownDescription: poolWords[name]}
	}
	for _, name := range []string{"prefix_length", "vlan", "mtu", "cooldown_seconds"} {
		attributes[name] = schema.Int64Attribute{Optional: true, MarkdownDescription: poolWords[name]}
	}
	for _, name := range []string{"excludes", "dns"} {
		attributes[name] = schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: poolWords[name],
			Validators: []validator.List{listvalidator.NoNullValues()},
		}
	}
	for _, name := range []string{"allowed_uses", "node_names", "namespace_names", "networks", "principals", "tags"} {
		attributes[name] = schema.SetAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: poolWords[name],
			Validators: []validator.Set{setvalidator.NoNullValues()},
		}
	}
	uses := attributes["allowed_uses"].(schema.SetAttribute)
	uses.PlanModifiers = []planmodifier.Set{setplanmodifier.RequiresReplaceIf(isOtherBalancing, otherBalancing, otherBalancing)}
	attributes["allowed_uses"] = uses
	resp.Schema = schema.Schema{
		MarkdownDescription: "A pool: a range from which Plat assigns addresses or prefixes. A create and a change end when every function of Plat acts on them.",
		Attributes:          attributes,
	}
}

const (
	otherNetwork   = "Another network replaces the pool; another form of the same network does not."
	otherKindOfSet = "A pool with ranges keeps having them, and one without never gets them."
	otherUsers     = "A pool of applications stays one, and another one never becomes one."
	otherBalancing = "A pool with the use LoadBalancer keeps it, and one without never gets it."
)

func isOtherNetwork(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = !sameNetwork(req.StateValue.ValueString(), req.PlanValue.ValueString())
}

func isOtherKindOfSet(_ context.Context, req planmodifier.ListRequest, resp *listplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = req.StateValue.IsNull() != req.PlanValue.IsNull()
}

func isOtherUsers(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	isForApplications := func(mode types.String) bool { return mode.ValueString() == string(api.PoolAssignmentModeApplications) }
	resp.RequiresReplace = !req.PlanValue.IsUnknown() && isForApplications(req.StateValue) != isForApplications(req.PlanValue)
}

// isOtherBalancing compares uses of which null stands for the default, which has no load balancer.
// Unknown uses replace no pool: the change fails if they prove to be other ones.
func isOtherBalancing(_ context.Context, req planmodifier.SetRequest, resp *setplanmodifier.RequiresReplaceIfFuncResponse) {
	isForBalancers := func(uses types.Set) bool {
		return slices.Contains(uses.Elements(), attr.Value(types.StringValue(string(api.PoolAllowedUsesLoadBalancer))))
	}
	isKnown := !req.PlanValue.IsUnknown() && !slices.ContainsFunc(req.PlanValue.Elements(), attr.Value.IsUnknown)
	resp.RequiresReplace = isKnown && isForBalancers(req.StateValue) != isForBalancers(req.PlanValue)
}

func (r *poolResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan poolResourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, poolTimeout)
	resp.Diagnostics.Append(diags...)
	request := plan.request(ctx, nil, &resp.Diagnostics)
	r.begin("pool", "name", plan.Name.ValueString(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name := plan.Name.ValueString()
	if !r.makeWay(ctx, plan.poolModel, &resp.Diagnostics) {
		if resp.Diagnostics.HasError() {
			return
		}
		r.client.Make(poolProof(name))
		if err := r.client.CreatePool(ctx, name, request); err != nil {
			const adopted = "The next apply adopts it."
			addWriteError(&resp.Diagnostics, write{"The pool", "created", adopted, adopted}, err, poolAttributes)
			return
		}
	}
	r.settled(ctx, &plan, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// makeWay reads the pool that exists under the name. It waits for the end of one that this run or another one deletes, adopts one that is
// what the plan says (true), and reports any other.
func (r *poolResource) makeWay(ctx context.Context, plan poolModel, diags *diag.Diagnostics) bool {
	name := plan.Name.ValueString()
	pool, version, err := r.client.Pool(ctx, name)
	if err == nil {
		var waited bool
		if waited, err = r.client.AwaitReleases(ctx, poolProof(name)); waited && err == nil {
			pool, version, err = r.client.Pool(ctx, name)
		}
	}
	if err == nil && orEmpty(pool.State) == "deleting" && pool.Job != nil {
		if err = r.client.Follow(ctx, *pool.Job); err == nil {
			pool, version, err = r.client.Pool(ctx, name)
		}
	}
	if plat.IsNotFound(err) {
		return false
	}
	if err != nil {
		addError(diags, "The pool cannot be read", err, poolAttributes)
		return false
	}
	found := plan
	found.take(ctx, pool, diags)
	if plan.BlockSize.IsUnknown() {
		plan.BlockSize = found.BlockSize
	}
	if difference := differenceOf(plan, found); difference != "" {
		diags.AddAttributeError(path.Root("name"), "The pool exists with other fields",
			fmt.Sprintf("The pool %q exists, and its %s. %s", name, difference, wayOut("name", "the pool as it is", "pool", strconv.Quote(name))))
		return false
	}
	if !r.client.Adopt(poolProof(name)) {
		diags.AddAttributeError(path.Root("name"), "Another resource of this run deletes the pool",
			fmt.Sprintf("The pool %q still exists, and another resource deletes it. Apply again after that has succeeded. %s", name, oldName))
		return false
	}
	// The same PUT completes a pool whose creation was interrupted, and says when any other is in force.
	if err := r.client.ChangePool(ctx, name, version, plan.request(ctx, &pool, diags)); err != nil {
		addError(diags, "The pool cannot be adopted", err, poolAttributes)
		return false
	}
	diags.AddAttributeWarning(path.Root("name"), "The pool was adopted",
		fmt.Sprintf("The pool %q existed already, as after an interrupted apply.", name))
	return true
}

// poolProof names a pool among what this run has and deletes.
func poolProof(name string) string { return "pool " + name }

// differenceOf names the first field in which two pools differ; nothing if they do not.
func differenceOf(plan, found poolModel) string {
	wanted, actual := reflect.ValueOf(plan), reflect.ValueOf(found)
	for i := range wanted.NumField() {
		one, other := wanted.Field(i).Interface(), actual.Field(i).Interface()
		if !reflect.DeepEqual(one, other) {
			return fmt.Sprintf("%s is %v in place of %v", wanted.Type().Field(i).Tag.Get("tfsdk"), other, one)
		}
	}
	return ""
}

// settled reads what a write made of the pool.
func (r *poolResource) settled(ctx context.Context, model *poolResourceModel, diags *diag.Diagnostics) {
	pool, _, err := r.client.Pool(ctx, model.Name.ValueString())
	if err != nil {
		addError(diags, "The pool cannot be read", err, poolAttributes)
		return
	}
	model.take(ctx, pool, diags)
}

func (r *poolResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state poolResourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	pool, _, err := r.client.Pool(ctx, state.Name.ValueString())
	if plat.IsNotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "The pool cannot be read", err, poolAttributes)
		return
	}
	r.findInState("pool", "name", pool.Name, &resp.Diagnostics, poolProof(pool.Name))
	state.take(ctx, pool, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *poolResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state poolResourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, poolTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if differenceOf(plan.poolModel, state.poolModel) == "" {
		// Only the timeouts are others.
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name := plan.Name.ValueString()
	var err error
	for range changesMax {
		var pool api.Pool
		var version string
		if pool, version, err = r.client.Pool(ctx, name); err == nil {
			err = r.client.ChangePool(ctx, name, version, plan.request(ctx, &pool, &resp.Diagnostics))
		}
		if !plat.IsRejection(err, api.ProblemCodePreconditionFailed) {
			break
		}
	}
	if err != nil {
		changed := write{what: "The pool", done: "changed", unanswered: "The next plan shows whether it was changed."}
		addWriteError(&resp.Diagnostics, changed, err, poolAttributes)
		return
	}
	r.settled(ctx, &plan, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

func (r *poolResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state poolResourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, poolDeleteTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := state.Name.ValueString()
	end, ok := r.client.BeginRelease(poolProof(name))
	if !ok {
		resp.Diagnostics.AddWarning("The pool is not deleted", fmt.Sprintf("The pool %q is also that of another resource of this run.", name))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := r.client.DeletePool(ctx, name)
	end()
	if err != nil {
		addError(&resp.Diagnostics, "The pool was not deleted", err, poolAttributes)
	}
}

func (r *poolResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	importByName(ctx, "name", req, resp)
}
