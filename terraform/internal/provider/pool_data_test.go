package provider

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

func TestDescriptionNamesTheFieldsThatAreNullWhileTheyHaveTheirDefault(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var described datasource.SchemaResponse
	(&poolData{}).Schema(ctx, datasource.SchemaRequest{}, &described)
	words := described.Schema.MarkdownDescription
	for _, answer := range []string{
		`{"name": "a", "cidr": "10.0.0.0/24", "assign": "addresses", "blockSize": 26, "disabled": false, "assignmentMode": "Automatic",
			"allowedUses": ["Workload", "Tunnel"], "borrowing": "allowed", "kind": "pods"}`,
		`{"name": "a", "cidr": "10.0.0.0/16", "assign": "prefixes", "blockSize": 24, "disabled": false, "assignmentMode": "Automatic",
			"cooldownSeconds": 300}`,
	} {
		var pool api.Pool
		if err := json.Unmarshal([]byte(answer), &pool); err != nil {
			t.Fatal(err)
		}
		var model poolModel
		var diags diag.Diagnostics
		model.take(ctx, pool, &diags)
		fields := reflect.ValueOf(model)
		for i := range fields.NumField() {
			name := fields.Type().Field(i).Tag.Get("tfsdk")
			isNull := fields.Field(i).Interface().(attr.Value).IsNull()
			if strings.Contains(poolWords[name], "Default:") && isNull != strings.Contains(words, "`"+name+"`") {
				t.Errorf("%s is null: %t, which the description does not say: %s", name, isNull, words)
			}
		}
		if diags.HasError() {
			t.Error(diags)
		}
	}
}
