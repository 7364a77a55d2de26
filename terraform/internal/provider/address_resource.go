package provider

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	tfpath "github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

const (
	// addressTimeout is also the time for an address to cool, which is five minutes at most by default.
	addressTimeout = 10 * time.Minute
	readTimeout    = 2 * time.Minute
	// countMax is the most addresses of a family that a handle with a limit can have, and the most
	// of both that one request can ask for by default.
	countMax = 256
)

func newAddress() resource.Resource { return &addressResource{} }

// addressResource is the addresses of a handle.
type addressResource struct{ caller }

var (
	_ resource.ResourceWithConfigure      = &addressResource{}
	_ resource.ResourceWithImportState    = &addressResource{}
	_ resource.ResourceWithModifyPlan     = &addressResource{}
	_ resource.ResourceWithValidateConfig = &addressResource{}
)

type addressModel struct {
	Handle     types.String   `tfsdk:"handle"`
	Host       types.String   `tfsdk:"host"`
	IPv4       types.Int64    `tfsdk:"ipv4"`
	IPv6       types.Int64    `tfsdk:"ipv6"`
	Address    types.String   `tfsdk:"address"`
	Pools      types.List     `tfsdk:"pools"`
	Attributes types.Map      `tfsdk:"attributes"`
	Addresses  types.List     `tfsdk:"addresses"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

var addressAttributes = map[string]bool{
	"handle": true, "host": true, "ipv4": true, "ipv6": true, "address": true, "pools": true, "attributes": true,
}

func (r *addressResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_address"
}

func (r *addressResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	count := func(family string) schema.Int64Attribute {
		return schema.Int64Attribute{
			Optional: true,
			Computed: true,
			MarkdownDescription: "The number of " + family + " addresses. A larger number assigns more, and a smaller one releases the last ones. " +
				"Both happen in place.",
			Validators: []validator.Int64{int64validator.Between(0, countMax)},
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The addresses of a handle: a number of each family, or a specific address.",
		Attributes: map[string]schema.Attribute{
			"handle": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The name under which Plat finds the addresses. Two resources must not share one.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"host": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The machine that uses the addresses.",
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"ipv4": count("IPv4"),
			"ipv6": count("IPv6"),
			"address": schema.StringAttribute{
				Optional:            true,
				Computed:            true,
				MarkdownDescription: "A specific address, in place of `ipv4` and `ipv6`. Without it, the first of the `addresses`.",
			},
			"pools": schema.ListAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "The pools to use, in this order: names, CIDRs, and patterns with `*`, `?` and classes. Default: the pools that Plat selects. " +
					"A list that lacks the pool of an address that stays replaces the addresses. While planning, an element that is not known yet does not count.",
				Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.UniqueValues(), listvalidator.NoNullValues()},
			},
			"attributes": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Texts that are stored with the addresses: those of their active owner.",
				Validators:          []validator.Map{mapvalidator.NoNullValues()},
			},
			"addresses": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The addresses, IPv4 first, each with the network of its pool.",
				NestedObject:        schema.NestedAttributeObject{Attributes: heldSchema()},
			},
			"timeouts": timeouts.Attributes(ctx, timeouts.Opts{
				Create: true, Read: true, Update: true, Delete: true,
				CreateDescription: "The time to wait for an address, also for one that cools. Default: `10m`.",
				ReadDescription:   "Default: `2m`.",
				UpdateDescription: "Default: `10m`.",
				DeleteDescription: "Default: `10m`.",
			}),
		},
	}
}

func (r *addressResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config addressModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if config.Address.IsUnknown() {
		// It can still be null, as the variable of a module can.
		return
	}
	if !config.Address.IsNull() {
		for _, count := range []struct {
			name  string
			value types.Int64
		}{{"ipv4", config.IPv4}, {"ipv6", config.IPv6}} {
			if !count.value.IsNull() && !count.value.IsUnknown() {
				resp.Diagnostics.AddAttributeError(tfpath.Root(count.name), "A specific address excludes counts",
					fmt.Sprintf("Remove %s, or address: a specific address is the only one.", count.name))
			}
		}
		if _, err := netip.ParseAddr(config.Address.ValueString()); err != nil {
			resp.Diagnostics.AddAttributeError(tfpath.Root("address"), "This is no address",
				fmt.Sprintf("address is %q; it must be an IPv4 or IPv6 address, such as 10.0.0.7.", config.Address.ValueString()))
		}
		return
	}
	if config.IPv4.IsUnknown() || config.IPv6.IsUnknown() {
		return
	}
	if config.IPv4.ValueInt64()+config.IPv6.ValueInt64() == 0 {
		resp.Diagnostics.AddAttributeError(tfpath.Root("ipv4"), "The resource has no address",
			"Set ipv4, ipv6 or both to at least 1, or name a specific address.")
	}
}

// ModifyPlan derives the counts, and decides what is changed in place and what is replaced.
func (r *addressResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var config, plan addressModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.IPv4, plan.IPv6 = countsOf(config)
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		return
	}
	var state addressModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	held := heldIn(ctx, state.Addresses, &resp.Diagnostics)
	// What an unknown element proves to be only widens the list, so nothing that is from a known pool is replaced later.
	pools := knownNames(ctx, config.Pools, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	kept := keptOf(held, plan, config.Address, pools)
	if !config.Address.IsNull() && len(kept) == 0 {
		resp.RequiresReplace.Append(tfpath.Root("address"))
	}
	if !allFrom(pools, kept) {
		resp.RequiresReplace.Append(tfpath.Root("pools"))
	}
	isReplaced := len(resp.RequiresReplace) > 0 || !plan.Handle.Equal(state.Handle) || !plan.Host.Equal(state.Host)
	if !isReplaced && plan.IPv4.Equal(state.IPv4) && plan.IPv6.Equal(state.IPv6) {
		plan.Addresses = state.Addresses
		if config.Address.IsNull() {
			plan.Address = state.Address
		}
	} else {
		plan.Addresses = types.ListUnknown(heldType)
		if config.Address.IsNull() {
			plan.Address = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// countsOf returns how many addresses of each family a configuration asks for.
func countsOf(config addressModel) (ipv4, ipv6 types.Int64) {
	if config.Address.IsNull() {
		return orZero(config.IPv4), orZero(config.IPv6)
	}
	address, err := netip.ParseAddr(config.Address.ValueString())
	switch {
	case err != nil:
		return orUnknown(config.IPv4), orUnknown(config.IPv6)
	case address.Unmap().Is4():
		return types.Int64Value(1), types.Int64Value(0)
	}
	return types.Int64Value(0), types.Int64Value(1)
}

func orUnknown(count types.Int64) types.Int64 {
	if count.IsNull() {
		return types.Int64Unknown()
	}
	return count
}

func orZero(count types.Int64) types.Int64 {
	if count.IsNull() {
		return types.Int64Value(0)
	}
	return count
}

// keptOf returns the addresses of a state that a change in place leaves. While a count is unknown, those are all.
// A state does not name the host of each, so all count as those of the planned one.
func keptOf(held []heldModel, plan addressModel, address types.String, pools []string) []api.HeldAddress {
	all := make([]api.HeldAddress, len(held))
	for i, each := range held {
		all[i] = api.HeldAddress{
			Address: each.Address.ValueString(), Family: api.HeldAddressFamily(each.Family.ValueInt64()),
			Pool: each.Pool.ValueString(), Host: plan.Host.ValueStringPointer(),
		}
	}
	if address.IsUnknown() {
		return nil
	}
	if plan.IPv4.IsUnknown() || plan.IPv6.IsUnknown() {
		return all
	}
	wanted := wanted{
		host: plan.Host.ValueString(), address: address.ValueString(), pools: pools,
		counts: map[int]int{4: int(plan.IPv4.ValueInt64()), 6: int(plan.IPv6.ValueInt64())},
	}
	kept, _ := wanted.split(all)
	return kept
}

// allFrom says whether all addresses are from pools that a list names; nil names all.
func allFrom(pools []string, held []api.HeldAddress) bool {
	for _, each := range held {
		if !isFrom(pools, each.Pool, each.Address) {
			return false
		}
	}
	return true
}

// isFrom says whether a list has a pool by its name, by a pattern, or by a CIDR with the address. Nil has all.
func isFrom(pools []string, pool, address string) bool {
	if pools == nil {
		return true
	}
	for _, named := range pools {
		if named == pool {
			return true
		}
		if strings.Contains(named, "/") {
			network, err := netip.ParsePrefix(named)
			if at, wrong := netip.ParseAddr(address); err == nil && wrong == nil && network.Contains(at) {
				return true
			}
			continue
		}
		if matches, err := path.Match(named, pool); err == nil && matches {
			return true
		}
	}
	return false
}

func (r *addressResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	// Announced before the handle is read, so that creates that begin together are in one batch.
	settle := r.client.AnnounceAssign()
	defer settle()
	var plan addressModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, addressTimeout)
	resp.Diagnostics.Append(diags...)
	wanted := wantedBy(ctx, plan, &resp.Diagnostics)
	r.begin("address", "handle", wanted.handle, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	held, err := r.settled(ctx, wanted.handle, settle)
	if err != nil {
		addError(&resp.Diagnostics, "The handle cannot be read", err, addressAttributes)
		return
	}
	if len(held) == 0 {
		held = r.assign(ctx, wanted, settle, &resp.Diagnostics)
	} else {
		r.adopt(wanted, held, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	tenant := tenantIn(ownerOf(held[0]), wanted.attributes)
	keepTenant(ctx, resp.Private, tenant, &resp.Diagnostics)
	resp.Diagnostics.Append(plan.take(ctx, held, tenant)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// settled returns what a handle has after the destroys of this run that release it, as that of a resource which has another
// name in the configuration now.
func (r *addressResource) settled(ctx context.Context, handle string, settle func()) ([]api.HeldAddress, error) {
	held, err := r.client.Handle(ctx, handle)
	if err != nil || len(held) == 0 {
		return held, err
	}
	// The batch with the release must not wait for this create.
	settle()
	if waited, err := r.client.AwaitReleases(ctx, proofsOf(held)...); !waited || err != nil {
		return held, err
	}
	return r.client.Handle(ctx, handle)
}

// proofsOf returns the generations of addresses. One that is held in another way than by an assign
// of a caller has none.
func proofsOf(held []api.HeldAddress) []string {
	var proofs []string
	for _, each := range held {
		if each.Generation != nil {
			proofs = append(proofs, *each.Generation)
		}
	}
	return proofs
}

// wanted is what a plan asks for.
type wanted struct {
	handle, host string
	address      string
	counts       map[int]int
	pools        []string
	attributes   map[string]string
}

func wantedBy(ctx context.Context, plan addressModel, diags *diag.Diagnostics) wanted {
	asked := wanted{
		handle:     plan.Handle.ValueString(),
		host:       plan.Host.ValueString(),
		counts:     map[int]int{4: int(plan.IPv4.ValueInt64()), 6: int(plan.IPv6.ValueInt64())},
		pools:      names(ctx, plan.Pools, diags),
		attributes: texts(ctx, plan.Attributes, diags),
	}
	if !plan.Address.IsUnknown() {
		asked.address = plan.Address.ValueString()
	}
	return asked
}

// assign assigns what is wanted to a handle without addresses. If another run assigned to the handle at the same time,
// its addresses are adopted.
func (r *addressResource) assign(ctx context.Context, wanted wanted, settle func(), diags *diag.Diagnostics) []api.HeldAddress {
	err := r.client.Assign(ctx, wanted.requests(nil), nil, settle)
	isTaken := takenBy(err, wanted.handle)
	if err != nil && !isTaken {
		addError(diags, "No address was assigned", unanswered(err, "The next apply adopts what was assigned. If that is a part of it, it names the import that takes it over."), addressAttributes)
		return nil
	}
	held, err := r.client.Handle(ctx, wanted.handle)
	if err != nil {
		addError(diags, "The assigned addresses cannot be read", unanswered(err, "The next apply adopts them."), addressAttributes)
		return nil
	}
	if difference := wanted.asAssigned(held).differenceTo(held); difference != "" {
		diags.AddAttributeError(tfpath.Root("handle"), "Another run assigns to this handle",
			fmt.Sprintf("The handle %q was free a moment ago, and now %s. Two configurations must not share a handle.", wanted.handle, difference))
		return nil
	}
	if isTaken {
		r.adopt(wanted, held, diags)
	}
	return held
}

// takenBy says whether a specific address was rejected because the same handle has it.
func takenBy(err error, handle string) bool {
	var rejection *plat.Rejection
	return errors.As(err, &rejection) && rejection.Code == api.ProblemCodeAlreadyAssigned &&
		rejection.AssignedTo != nil && *rejection.AssignedTo == handle
}

// unanswered adds to an error without an answer what becomes of the request.
func unanswered(err error, then string) error {
	var silent *plat.UnansweredError
	if errors.As(err, &silent) {
		return fmt.Errorf("%w\n%s", err, then)
	}
	return err
}

// adopt takes over the addresses that a handle has, if they are what is wanted.
func (r *addressResource) adopt(wanted wanted, held []api.HeldAddress, diags *diag.Diagnostics) {
	if difference := wanted.asAssigned(held).differenceTo(held); difference != "" {
		diags.AddAttributeError(tfpath.Root("handle"), "The handle has other addresses",
			fmt.Sprintf("The handle %q exists, and %s. %s", wanted.handle, difference, wayOut("handle", "the addresses as they are", "address", strconv.Quote(wanted.handle))))
		return
	}
	if !r.client.Adopt(proofsOf(held)...) {
		diags.AddAttributeError(tfpath.Root("handle"), "Another resource of this run releases the addresses",
			fmt.Sprintf("The handle %q still has addresses that another resource releases. Apply again after that has succeeded. %s", wanted.handle, oldName))
		return
	}
	diags.AddAttributeWarning(tfpath.Root("handle"), "The addresses were adopted",
		fmt.Sprintf("The handle %q had these addresses already, as after an interrupted apply. No address was assigned.", wanted.handle))
}

// requests returns the assigns for what is wanted beside the numbers of addresses that the handle has. Each is limited to
// the wanted number, so that two runs at the same time take no more.
func (w wanted) requests(has map[int]int) []api.AssignRequest {
	base := api.AssignRequest{
		Host: w.host, Handle: &w.handle, Pools: given(w.pools), Attributes: given(w.attributes),
	}
	if w.address != "" {
		if has[4]+has[6] > 0 {
			return nil
		}
		base.Address = &w.address
		return []api.AssignRequest{base}
	}
	ipv4, ipv6 := w.counts[4], w.counts[6]
	missing4, missing6 := max(ipv4-has[4], 0), max(ipv6-has[6], 0)
	if missing4 > 0 && missing6 > 0 && ipv4 == ipv6 && missing4+missing6 <= countMax {
		base.LimitPerHandle, base.Ipv4, base.Ipv6 = &ipv4, &missing4, &missing6
		return []api.AssignRequest{base}
	}
	var requests []api.AssignRequest
	if missing4 > 0 {
		one := base
		one.LimitPerHandle, one.Ipv4 = &ipv4, &missing4
		requests = append(requests, one)
	}
	if missing6 > 0 {
		one := base
		one.LimitPerHandle, one.Ipv6 = &ipv6, &missing6
		requests = append(requests, one)
	}
	return requests
}

// split returns the addresses of a handle that stay, and those beyond what is wanted. Where a number stays, those of
// the wanted host and pools stay before others, which something else assigned.
func (w wanted) split(held []api.HeldAddress) (kept []api.HeldAddress, surplus []api.AddressToRelease) {
	isMeant := func(each api.HeldAddress) bool {
		return orEmpty(each.Host) == w.host && isFrom(w.pools, each.Pool, each.Address)
	}
	isOther := func(each api.HeldAddress) bool { return !isMeant(each) }
	left := map[int]int{}
	for _, each := range slices.Concat(only(held, isMeant), only(held, isOther)) {
		family := int(each.Family)
		left[family]++
		isSurplus := left[family] > w.counts[family]
		if w.address != "" {
			isSurplus = !sameNetwork(w.address, each.Address)
		}
		if isSurplus {
			surplus = append(surplus, api.AddressToRelease{Address: each.Address, Generation: each.Generation})
		} else {
			kept = append(kept, each)
		}
	}
	return kept, surplus
}

func only(held []api.HeldAddress, fits func(api.HeldAddress) bool) []api.HeldAddress {
	return slices.DeleteFunc(slices.Clone(held), func(each api.HeldAddress) bool { return !fits(each) })
}

// asAssigned returns what is wanted with the tenant that Plat added to the assigned addresses.
func (w wanted) asAssigned(held []api.HeldAddress) wanted {
	if len(held) > 0 {
		w.attributes = withTenant(w.attributes, tenantIn(ownerOf(held[0]), w.attributes))
	}
	return w
}

// differenceTo says how the addresses of a handle differ from what is wanted; nothing if they do not.
func (w wanted) differenceTo(held []api.HeldAddress) string {
	has := countsIn(held)
	for family, count := range map[int]int{4: w.counts[4], 6: w.counts[6]} {
		if has[family] != count {
			return fmt.Sprintf("it has %d IPv4 and %d IPv6 addresses in place of %d and %d", has[4], has[6], w.counts[4], w.counts[6])
		}
	}
	for _, each := range held {
		switch {
		case w.address != "" && !sameNetwork(w.address, each.Address):
			return fmt.Sprintf("it has %s in place of %s", each.Address, w.address)
		case each.Host == nil || *each.Host != w.host:
			return fmt.Sprintf("%s is used on the host %q in place of %q", each.Address, orEmpty(each.Host), w.host)
		case !isFrom(w.pools, each.Pool, each.Address):
			return fmt.Sprintf("%s is of the pool %q, which is none of %q", each.Address, each.Pool, w.pools)
		case !sameEntries(ownerOf(each), w.attributes):
			return fmt.Sprintf("%s has the attributes %v in place of %v", each.Address, ownerOf(each), w.attributes)
		}
	}
	return ""
}

func countsIn(held []api.HeldAddress) map[int]int {
	counts := map[int]int{}
	for _, each := range held {
		counts[int(each.Family)]++
	}
	return counts
}

// ownerOf returns the attributes of the active owner: those of the assign until a request changes them.
func ownerOf(held api.HeldAddress) map[string]string {
	if held.Owner != nil && held.Owner.Active != nil {
		return *held.Owner.Active
	}
	return nil
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (r *addressResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state addressModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Read(ctx, readTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	held, err := r.client.Handle(ctx, state.Handle.ValueString())
	if err != nil {
		addError(&resp.Diagnostics, "The handle cannot be read", err, addressAttributes)
		return
	}
	if len(held) == 0 {
		resp.State.RemoveResource(ctx)
		return
	}
	r.findInState("addresses", "handle", state.Handle.ValueString(), &resp.Diagnostics, proofsOf(held)...)
	tenant := addedTenant(ctx, req.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(state.take(ctx, held, tenant)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *addressResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	settle := r.client.AnnounceAssign()
	defer settle()
	var config, plan addressModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Update(ctx, addressTimeout)
	resp.Diagnostics.Append(diags...)
	wanted := wantedBy(ctx, plan, &resp.Diagnostics)
	tenant := addedTenant(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	wanted.attributes = withTenant(wanted.attributes, tenant)
	if config.Address.IsNull() {
		// The plan has the first of the addresses, which nobody asked for.
		wanted.address = ""
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	held, err := r.client.Handle(ctx, wanted.handle)
	if err == nil {
		held, err = r.change(ctx, wanted, held, settle)
	}
	if err != nil {
		addError(&resp.Diagnostics, "The addresses were not changed", unanswered(err, "The next plan shows what was changed."), addressAttributes)
		return
	}
	if difference := wanted.differenceTo(held); difference != "" {
		resp.Diagnostics.AddAttributeError(tfpath.Root("handle"), "Another run changes this handle",
			fmt.Sprintf("After the change of the handle %q, %s. Two configurations must not share a handle.", wanted.handle, difference))
		return
	}
	planned := plan.Addresses
	resp.Diagnostics.Append(plan.take(ctx, held, tenant)...)
	if !planned.IsUnknown() {
		if isSame := sameAssignments(heldIn(ctx, planned, &resp.Diagnostics), held); isSame {
			// Their network can be another one since the plan, as after a change of the pool. The next plan has it.
			plan.Addresses = planned
		} else {
			resp.Diagnostics.AddAttributeError(tfpath.Root("addresses"), "The addresses are others than planned",
				fmt.Sprintf("The handle %q lost the planned addresses after the plan. The state has its new ones. Apply again for what depends on them.", wanted.handle))
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// sameAssignments says whether a plan has the assignments that a handle has, in the same order.
func sameAssignments(planned []heldModel, held []api.HeldAddress) bool {
	return slices.EqualFunc(planned, held, func(one heldModel, other api.HeldAddress) bool {
		return one.Generation.ValueString() == orEmpty(other.Generation)
	})
}

// change releases surplus addresses, assigns missing ones, and sets the owner of all. It returns what the handle then has.
func (r *addressResource) change(ctx context.Context, wanted wanted, held []api.HeldAddress, settle func()) ([]api.HeldAddress, error) {
	kept, surplus := wanted.split(held)
	if len(surplus) > 0 {
		if err := r.client.Release(ctx, surplus, settle); err != nil {
			return nil, err
		}
	}
	if requests := wanted.requests(countsIn(kept)); len(requests) > 0 {
		if err := r.client.Assign(ctx, requests, kept, settle); err != nil {
			return nil, err
		}
	}
	settle()
	held, err := r.client.Handle(ctx, wanted.handle)
	if err != nil {
		return nil, err
	}
	isChanged := false
	for _, each := range held {
		if sameEntries(ownerOf(each), wanted.attributes) {
			continue
		}
		isChanged = true
		if err := r.client.SetOwner(ctx, wanted.handle, each.Address, wanted.attributes); err != nil {
			return nil, err
		}
	}
	if !isChanged {
		return held, nil
	}
	return r.client.Handle(ctx, wanted.handle)
}

func (r *addressResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	settle := r.client.AnnounceAssign()
	defer settle()
	var state addressModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, addressTimeout)
	resp.Diagnostics.Append(diags...)
	held := heldIn(ctx, state.Addresses, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var releases []api.AddressToRelease
	var ends []func()
	for _, each := range held {
		generation := each.Generation.ValueString()
		if end, ok := r.client.BeginRelease(generation); !ok {
			resp.Diagnostics.AddWarning("An address is not released",
				fmt.Sprintf("%s is also that of another resource of this run, which has the same handle %q.", each.Address.ValueString(), state.Handle.ValueString()))
		} else {
			ends = append(ends, end)
			releases = append(releases, api.AddressToRelease{Address: each.Address.ValueString(), Generation: &generation})
		}
	}
	if len(releases) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := r.client.Release(ctx, releases, settle)
	for _, end := range ends {
		end()
	}
	if err != nil {
		addError(&resp.Diagnostics, "The addresses were not released", err, addressAttributes)
	}
}

func (r *addressResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	held, err := r.client.Handle(ctx, req.ID)
	if err != nil {
		addError(&resp.Diagnostics, "The handle cannot be read", err, addressAttributes)
		return
	}
	for _, each := range held {
		if each.Generation == nil {
			resp.Diagnostics.AddError("The handle has no addresses of a caller",
				fmt.Sprintf("%s of the handle %q is part of a prefix, or held in another way, and no release can name it. A prefix is imported as plat_prefix.", each.Address, req.ID))
			return
		}
	}
	importByName(ctx, "handle", req, resp)
}

// take writes what a handle has into a model, without the tenant that Plat added. What the configuration says otherwise,
// in the same meaning, stays.
func (m *addressModel) take(ctx context.Context, held []api.HeldAddress, tenant string) diag.Diagnostics {
	var diags diag.Diagnostics
	standIn := m.standIn(ctx, held, &diags)
	has := countsIn(held)
	m.IPv4, m.IPv6 = types.Int64Value(int64(has[4])), types.Int64Value(int64(has[6]))
	// An address stays beside others, which a plan then releases. The host is its own, and not theirs.
	at := slices.IndexFunc(held, func(each api.HeldAddress) bool { return sameNetwork(m.Address.ValueString(), each.Address) })
	if at < 0 {
		at = 0
		m.Address = types.StringValue(held[0].Address)
	}
	if standIn < 0 {
		standIn = at
	}
	m.Host = types.StringPointerValue(held[standIn].Host)
	known := texts(ctx, m.Attributes, &diags)
	for _, each := range held {
		if owner := withoutTenant(ownerOf(each), known, tenant); !sameEntries(owner, known) {
			m.Attributes = mapOf(owner)
			break
		}
	}
	var wrong diag.Diagnostics
	m.Addresses, wrong = types.ListValueFrom(ctx, heldType, modelsOf(ctx, held, &diags))
	diags.Append(wrong...)
	return diags
}

// standIn returns the place of an address of another host, if it stands in for one that a model has lost; otherwise -1. A
// plan then sees the other host. One that is only beside those of the model is none, also if a refresh has noted it.
func (m *addressModel) standIn(ctx context.Context, held []api.HeldAddress, diags *diag.Diagnostics) int {
	isOther := func(each api.HeldAddress) bool { return orEmpty(each.Host) != m.Host.ValueString() }
	noted := heldIn(ctx, m.Addresses, diags)
	isNoted := func(each api.HeldAddress) bool {
		return slices.ContainsFunc(noted, func(one heldModel) bool {
			return one.Generation.ValueString() == orEmpty(each.Generation)
		})
	}
	has := countsIn(only(held, func(each api.HeldAddress) bool { return isNoted(each) || !isOther(each) }))
	if m.Host.IsNull() || (has[4] >= int(m.IPv4.ValueInt64()) && has[6] >= int(m.IPv6.ValueInt64())) {
		return -1
	}
	return slices.IndexFunc(held, isOther)
}
