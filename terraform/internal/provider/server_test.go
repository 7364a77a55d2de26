package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/plat-ipam/terraform-provider-plat/internal/plat"
)

// served answers requests by their method and the end of their path, each with its texts in turn:
// the last one stays. A text with a status is a problem.
type served struct {
	mu      sync.Mutex
	answers map[string][]string
	sent    []string
}

func (s *served) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(request.Body)
	asked := request.Method + " " + strings.TrimPrefix(request.URL.EscapedPath(), "/v1/spaces/default/")
	s.sent = append(s.sent, asked+" "+string(body))
	answers := s.answers[asked]
	if len(answers) == 0 {
		http.Error(response, "unexpected", http.StatusNotImplemented)
		return
	}
	if len(answers) > 1 {
		s.answers[asked] = answers[1:]
	}
	var problem struct{ Status int }
	if json.Unmarshal([]byte(answers[0]), &problem) == nil && problem.Status > 0 {
		response.WriteHeader(problem.Status)
	}
	fmt.Fprint(response, answers[0])
}

// sentTo returns the bodies of the requests to a method and the end of a path.
func (s *served) sentTo(asked string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var bodies []string
	for _, each := range s.sent {
		if body, isIt := strings.CutPrefix(each, asked+" "); isIt {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// serve returns a client of a server with answers, and the server.
func serve(t *testing.T, answers map[string][]string) (*plat.Client, *served) {
	t.Helper()
	s := &served{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return newClient(t, server.URL), s
}

func newClient(t *testing.T, endpoint string) *plat.Client {
	t.Helper()
	client, err := plat.New(context.Background(), plat.Config{Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// stateOf returns a state of a resource with values: simple ones, tftypes.UnknownValue, or a
// tftypes.Value. The other attributes are null.
func stateOf(r resource.Resource, values map[string]any) tfsdk.State {
	ctx := context.Background()
	var schema resource.SchemaResponse
	r.Schema(ctx, resource.SchemaRequest{}, &schema)
	object := schema.Schema.Type().TerraformType(ctx).(tftypes.Object)
	all := map[string]tftypes.Value{}
	for name, of := range object.AttributeTypes {
		value, isOfType := values[name].(tftypes.Value)
		if !isOfType {
			value = tftypes.NewValue(of, values[name])
		}
		all[name] = value
	}
	return tfsdk.State{Schema: schema.Schema, Raw: tftypes.NewValue(object, all)}
}

// planOf returns a plan in the same way.
func planOf(r resource.Resource, values map[string]any) tfsdk.Plan {
	state := stateOf(r, values)
	return tfsdk.Plan{Schema: state.Schema, Raw: state.Raw}
}
