package provider

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

func TestWhatABlockSaysOfTheAccessDecidesAndVariablesFillIn(t *testing.T) {
	ctx := context.Background()
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		sent = request.Header.Get("Authorization")
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"PLAT_ENDPOINT": server.URL, "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		t.Setenv(name, value)
	}
	const signed, both = "AWS4-HMAC-SHA256", "either a token (token, PLAT_TOKEN) or a Region to sign for (region, PLAT_REGION)"
	for _, each := range []struct {
		name          string
		block         map[string]any
		token, region string
		sent, said    string
	}{
		{"nothing", nil, "", "", "", ""},
		{"a token of the shell", nil, "shell", "", "Bearer shell", ""},
		{"a Region of the shell", nil, "", "eu-west-1", signed, ""},
		{"both of the shell", nil, "shell", "eu-west-1", "", both},
		{"a token beside one of the shell", map[string]any{"token": "block"}, "shell", "", "Bearer block", ""},
		{"a token beside a Region of the shell", map[string]any{"token": "block"}, "", "eu-west-1", "Bearer block", ""},
		{"an empty token beside a Region of the shell", map[string]any{"token": ""}, "shell", "eu-west-1", signed, ""},
		{"a Region beside a token of the shell", map[string]any{"region": "eu-west-1"}, "shell", "", signed, ""},
		{"a Region beside both of the shell", map[string]any{"region": "eu-west-1"}, "shell", "us-east-1", signed, ""},
		{"an empty Region beside a token of the shell", map[string]any{"region": ""}, "shell", "eu-west-1", "Bearer shell", ""},
		{"a profile beside both of the shell", map[string]any{"profile": "none"}, "shell", "eu-west-1", "", "none"},
		{"a token and a Region", map[string]any{"token": "block", "region": "eu-west-1"}, "", "", "", both},
	} {
		t.Setenv("PLAT_TOKEN", each.token)
		t.Setenv("PLAT_REGION", each.region)
		p := &platProvider{}
		var described provider.SchemaResponse
		p.Schema(ctx, provider.SchemaRequest{}, &described)
		object := described.Schema.Type().TerraformType(ctx).(tftypes.Object)
		values := map[string]tftypes.Value{}
		for name, of := range object.AttributeTypes {
			values[name] = tftypes.NewValue(of, each.block[name])
		}
		var resp provider.ConfigureResponse
		p.Configure(ctx, provider.ConfigureRequest{Config: tfsdk.Config{Schema: described.Schema, Raw: tftypes.NewValue(object, values)}}, &resp)
		if each.said != "" {
			if resp.Diagnostics.ErrorsCount() != 1 || !strings.Contains(resp.Diagnostics[0].Detail(), each.said) {
				t.Errorf("%s: the error is %v", each.name, resp.Diagnostics)
			}
			continue
		}
		if resp.Diagnostics.HasError() {
			t.Errorf("%s: %v", each.name, resp.Diagnostics)
			continue
		}
		sent = "no request"
		// The server answers as no Plat does.
		_ = resp.ResourceData.(*plat.Client).CreatePool(ctx, "lan", api.PoolRequest{})
		if sent != each.sent && (each.sent != signed || !strings.HasPrefix(sent, signed)) {
			t.Errorf("%s: the request has %q in place of %q", each.name, sent, each.sent)
		}
	}
}
