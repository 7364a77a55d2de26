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
	if !c.client.BeginCreate(what, name) {
		diags.AddAttributeError(path.Root(attribute), "Two resources have the same "+attribute,
			fmt.Sprintf("This run creates another %s with the %s %q, and both would have the same one. Give each its own, as with count.index or each.key.", what, attribute, name))
	}
}

// oldName says how a resource that is renamed in the configuration keeps what it has. Without it the create under the new name
// and the destroy of the old resource run in any order.
const oldName = "If another resource of the state is this one under its old name, add a moved block."

// wayOut says what helps a create that finds something else than it describes. The ids are those of an import, in quotes.
func wayOut(attribute, what, kind, ids string) string {
	return fmt.Sprintf("%s Else choose another %s, change the configuration, or import %s, by the command import plat_%s.NAME %s", oldName, attribute, what, kind, ids)
}

// findInState says what a resource in the state has. It reports another one in the state that has
// it too.
func (c *caller) findInState(what, attribute, name string, diags *diag.Diagnostics, proofs ...string) {
	if !c.client.FindInState(proofs...) {
		diags.AddAttributeError(path.Root(attribute), "The state has the same "+what+" twice",
			fmt.Sprintf("Two objects of the state have the %s %q and the same %s: the configuration gives both the same one, or it was imported twice, or an apply that adopted it has ended before the destroy of the old object. "+
				"The destroy of one would release what the other one uses. If the configuration has both, remove one or give it another. Forget the one that goes by the command state rm; if it is a deposed object, forget the resource that has it. "+
				"The next apply adopts what the configuration describes.", attribute, name, what))
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
