package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// begin says that a create makes something under a name. It reports another resource that does so in this run.
func (c *caller) begin(what, attribute, name string, diags *diag.Diagnostics) {
	if !c.client.BeginCreate(what + " " + name) {
		diags.AddAttributeError(path.Root(attribute), "Two resources have the same "+attribute,
			fmt.Sprintf("This run creates another %s with the %s %q, and both would have the same one. Give each its own, as with count.index or each.key.", what, attribute, name))
	}
}

// importByName makes the id of an import the attribute that names the resource.
func importByName(ctx context.Context, attribute string, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID == "" {
		resp.Diagnostics.AddError("The import names nothing", fmt.Sprintf("The id of the import is empty; it must be the %s.", attribute))
		return
	}
	resource.ImportStatePassthroughID(ctx, path.Root(attribute), req, resp)
}
