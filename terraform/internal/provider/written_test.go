package provider

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

func TestWhatIsWrittenWhenTheTimeoutEndsIsToldAsWritten(t *testing.T) {
	t.Parallel()
	const (
		pool   = `{"name": "lan", "cidr": "10.0.0.0/24", "blockSize": 26`
		none   = `{"status": 404, "code": "not_found", "detail": "None."}`
		late   = `"effectiveAt": "2999-01-01T00:00:00Z"`
		office = `{"name": "office", "cidrs": ["10.0.0.1"]`
	)
	ofPool := map[string]any{"name": "lan", "cidr": "10.0.0.0/24", "block_size": 26}
	changed := map[string]any{"name": "lan", "cidr": "10.0.0.0/24", "block_size": 26, "description": "new"}
	ofOffice := map[string]any{"name": "office", "cidrs": listed([]string{"10.0.0.1"})}
	create := func(r resource.Resource, values map[string]any) func(context.Context) diag.Diagnostics {
		return func(ctx context.Context) diag.Diagnostics {
			resp := resource.CreateResponse{State: stateOf(r, nil)}
			r.Create(ctx, resource.CreateRequest{Plan: planOf(r, values)}, &resp)
			return resp.Diagnostics
		}
	}
	for _, each := range []struct {
		name    string
		answers map[string][]string
		act     func(c caller) func(context.Context) diag.Diagnostics
		summary string
		detail  string
	}{
		{
			"a pool that is created",
			map[string][]string{"GET pools/lan": {none}, "PUT pools/lan": {pool + "," + late + "}"}},
			func(c caller) func(context.Context) diag.Diagnostics { return create(&poolResource{c}, ofPool) },
			"The pool is created, but that is not in force everywhere yet", "The next apply adopts it.",
		},
		{
			"a pool that is changed",
			map[string][]string{"GET pools/lan": {pool + "}"}, "PUT pools/lan": {pool + "," + late + "}"}},
			func(c caller) func(context.Context) diag.Diagnostics {
				return update(&poolResource{c}, ofPool, changed)
			},
			"The pool is changed, but that is not in force everywhere yet", "before the timeout",
		},
		{
			"a pool that shrinks",
			map[string][]string{
				"GET pools/lan": {pool + "}"}, "PUT pools/lan": {pool + `, "job": "j1"}`},
				"GET jobs/j1": {`{"id": "j1", "state": "running", "detail": "Waits.", "kind": "pool.shrink"}`},
			},
			func(c caller) func(context.Context) diag.Diagnostics {
				return update(&poolResource{c}, ofPool, changed)
			},
			"The pool is changed, but that is not in force everywhere yet", "it goes on, and no other run waits for it. Waits.",
		},
		{
			"a pool whose shrinking is cancelled",
			map[string][]string{
				"GET pools/lan": {pool + "}"}, "PUT pools/lan": {pool + `, "job": "j1"}`},
				"GET jobs/j1": {`{"id": "j1", "state": "cancelled", "detail": "The pool is being deleted.", "kind": "pool.shrink"}`},
			},
			func(c caller) func(context.Context) diag.Diagnostics {
				return update(&poolResource{c}, ofPool, changed)
			},
			"The pool is changed, but its job did not succeed", "The job j1 is cancelled: The pool is being deleted.",
		},
		{
			"a reservation that is created",
			map[string][]string{"GET reservations/office": {none}, "PUT reservations/office": {office + "," + late + "}"}},
			func(c caller) func(context.Context) diag.Diagnostics {
				return create(&reservationResource{c}, ofOffice)
			},
			"The reservation is written, but that is not in force everywhere yet", "before the timeout",
		},
		{
			"a reservation that is deleted",
			map[string][]string{"DELETE reservations/office": {`{` + late + `}`}},
			func(c caller) func(context.Context) diag.Diagnostics {
				r := &reservationResource{c}
				return func(ctx context.Context) diag.Diagnostics {
					old := stateOf(r, ofOffice)
					resp := resource.DeleteResponse{State: old}
					r.Delete(ctx, resource.DeleteRequest{State: old}, &resp)
					return resp.Diagnostics
				}
			},
			"The reservation is deleted, but that is not in force everywhere yet", "before the timeout",
		},
		{
			"a pool whose deletion goes on",
			map[string][]string{
				"DELETE pools/lan": {`{"job": {"id": "j1"}}`},
				"GET jobs/j1":      {`{"id": "j1", "state": "running", "detail": "Waits.", "kind": "pool.delete"}`},
			},
			func(c caller) func(context.Context) diag.Diagnostics {
				r := &poolResource{c}
				return func(ctx context.Context) diag.Diagnostics {
					old := stateOf(r, ofPool)
					resp := resource.DeleteResponse{State: old}
					r.Delete(ctx, resource.DeleteRequest{State: old}, &resp)
					return resp.Diagnostics
				}
			},
			"The pool was not deleted", "it goes on, and another run follows it. Waits.",
		},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			client, _ := serve(t, each.answers)
			ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
			defer cancel()
			diags := each.act(caller{client})(ctx)
			if diags.ErrorsCount() != 1 || diags[0].Summary() != each.summary || !strings.Contains(diags[0].Detail(), each.detail) {
				t.Errorf("the error is %v", diags)
			}
		})
	}
}

func update(r resource.Resource, before, after map[string]any) func(context.Context) diag.Diagnostics {
	return func(ctx context.Context) diag.Diagnostics {
		resp := resource.UpdateResponse{State: stateOf(r, before)}
		r.Update(ctx, resource.UpdateRequest{State: resp.State, Plan: planOf(r, after)}, &resp)
		return resp.Diagnostics
	}
}
