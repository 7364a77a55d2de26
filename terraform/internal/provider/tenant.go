package provider

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// tenantAttribute is the attribute to which Plat adds the tenant that the token of a caller names. A configuration need
// not name it, so a resource keeps what was added beside its state.
const tenantAttribute = "tenant"

// tenantIn returns the tenant that Plat added to attributes of a configuration; nothing if it added none.
func tenantIn(has, named map[string]string) string {
	if _, isNamed := named[tenantAttribute]; isNamed {
		return ""
	}
	return has[tenantAttribute]
}

// withTenant returns the attributes of a configuration as Plat has them.
func withTenant(named map[string]string, added string) map[string]string {
	if _, isNamed := named[tenantAttribute]; isNamed || added == "" {
		return named
	}
	all := map[string]string{tenantAttribute: added}
	maps.Copy(all, named)
	return all
}

// withoutTenant returns attributes that Plat has as a configuration names them.
func withoutTenant(has, named map[string]string, added string) map[string]string {
	if added == "" || tenantIn(has, named) != added {
		return has
	}
	own := maps.Clone(has)
	delete(own, tenantAttribute)
	return own
}

// addedTenant returns the tenant that Plat added to the attributes of a resource; nothing if it added none.
func addedTenant(ctx context.Context, private interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) (added string) {
	kept, wrong := private.GetKey(ctx, tenantAttribute)
	diags.Append(wrong...)
	if len(kept) > 0 {
		if err := json.Unmarshal(kept, &added); err != nil {
			diags.AddError("The state of the resource cannot be read", err.Error())
		}
	}
	return added
}

// keepTenant keeps the tenant that Plat added to the attributes of a resource.
func keepTenant(ctx context.Context, private interface {
	SetKey(context.Context, string, []byte) diag.Diagnostics
}, added string, diags *diag.Diagnostics) {
	if added == "" {
		return
	}
	kept, err := json.Marshal(added)
	if err != nil {
		diags.AddError("The tenant cannot be kept", err.Error())
		return
	}
	diags.Append(private.SetKey(ctx, tenantAttribute, kept)...)
}
