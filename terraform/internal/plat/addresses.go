package plat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// releasesMax is the number of addresses that one release can name.
const releasesMax = 256

// AnnounceAssign says that an assign or a release is likely to follow, so that a batch waits for it. The caller defers the
// result, and gives it to Assign or Release.
func (c *Client) AnnounceAssign() (settle func()) { return c.batches.announce() }

// Handle returns the addresses that a handle has, IPv4 first, in their order; none if there is no such handle.
func (c *Client) Handle(ctx context.Context, handle string) ([]api.HeldAddress, error) {
	var held []api.HeldAddress
	params := &api.ReadHandleInSpaceParams{}
	for {
		page, _, err := exchange[api.Handle](ctx, c, true, func() (*http.Response, error) {
			return c.api.ReadHandleInSpace(ctx, c.space, handle, params)
		})
		if IsNotFound(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		held = append(held, page.Addresses...)
		if page.Next == nil {
			break
		}
		params.Cursor = page.Next
	}
	slices.SortFunc(held, InOrder)
	return held, nil
}

// InOrder compares two addresses, IPv4 before IPv6. Plat answers with valid ones.
func InOrder(a, b api.HeldAddress) int {
	one, _ := netip.ParseAddr(a.Address)
	other, _ := netip.ParseAddr(b.Address)
	return one.Compare(other)
}

// Assign carries out assigns of one handle under keys of their own: all of them or none. When one fails, it releases what
// the others took. What the handle had before stays: a limited assign answers with that too.
func (c *Client) Assign(ctx context.Context, requests []api.AssignRequest, before []api.HeldAddress, settle func()) error {
	had := map[string]bool{}
	for _, each := range before {
		had[orEmpty(each.Generation)] = true
	}
	var taken []api.AddressToRelease
	for _, request := range requests {
		key := newKey()
		result, err := c.inBatch(ctx, api.BatchedRequest{Assign: &request, IdempotencyKey: &key}, settle)
		if err != nil {
			return errors.Join(err, c.giveBack(ctx, taken))
		}
		if result.Assigned == nil {
			return &UnansweredError{fmt.Errorf("the result of an assign has status %d and no addresses", result.Status)}
		}
		for _, each := range result.Assigned.Addresses {
			if had[each.Generation] {
				continue
			}
			taken = append(taken, api.AddressToRelease{Address: each.Address, Generation: &each.Generation})
		}
	}
	return nil
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// giveBack releases what a failed create took. Its error names what is left.
func (c *Client) giveBack(ctx context.Context, taken []api.AddressToRelease) error {
	if len(taken) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerMax)
	defer cancel()
	if err := c.Release(ctx, taken, func() {}); err != nil {
		return fmt.Errorf("the addresses that were assigned before could not be released: %w", err)
	}
	return nil
}

// Release releases addresses by their generations. One that was released before, or is assigned anew, stays as it is.
func (c *Client) Release(ctx context.Context, addresses []api.AddressToRelease, settle func()) error {
	var failed []error
	left := len(addresses)
	for some := range slices.Chunk(addresses, releasesMax) {
		if cause := context.Cause(ctx); cause != nil {
			failed = append(failed, fmt.Errorf("%d addresses were not released any more: %w", left, cause))
			break
		}
		if err := c.release(ctx, some, settle); err != nil {
			failed = append(failed, err)
		}
		left -= len(some)
	}
	return errors.Join(failed...)
}

func (c *Client) release(ctx context.Context, addresses []api.AddressToRelease, settle func()) error {
	var failed []error
	for {
		result, err := c.inBatch(ctx, api.BatchedRequest{Release: &api.BatchedRelease{Addresses: addresses}}, settle)
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		if result.Released == nil {
			return errors.Join(append(failed, &UnansweredError{fmt.Errorf("the result of a release has status %d and no addresses", result.Status)})...)
		}
		var left []api.AddressToRelease
		reason := errors.New("the release is not complete yet")
		for i, each := range result.Released.Results {
			err, isOver := outcomeOf(each)
			switch {
			case isOver && err != nil:
				failed = append(failed, err)
			case !isOver && i < len(addresses):
				left = append(left, addresses[i])
				if err != nil {
					reason = err
				}
			}
		}
		if len(left) == 0 {
			return errors.Join(failed...)
		}
		if err := c.wait(ctx, unansweredWait, reason.Error()); err != nil {
			return errors.Join(append(failed, fmt.Errorf("%d addresses could not be released yet: %w (%w)", len(left), reason, err))...)
		}
		addresses = left
	}
}

// outcomeOf returns why an address is not released, and whether a repeat cannot help. One that is
// assigned anew is released.
func outcomeOf(result api.ReleaseResult) (err error, isOver bool) {
	if result.Status != api.ReleaseResultStatusConflict {
		return nil, result.Status != api.ReleaseResultStatusUnfinished
	}
	var code api.ReleaseResultCode
	if result.Code != nil {
		code = *result.Code
	}
	if code == api.ReleaseResultCodeGenerationConflict {
		return nil, true
	}
	err = fmt.Errorf("%s is not released: %s (%s)", result.Address, orEmpty(result.Detail), code)
	return err, code != api.ReleaseResultCodeRequestInProgress
}

// SetOwner makes attributes the active owner of an address of a handle. No attributes are no owner.
func (c *Client) SetOwner(ctx context.Context, handle, address string, attributes map[string]string) error {
	if len(attributes) == 0 {
		// Without an owner the field is null, which the generated type leaves out.
		attributes = nil
	}
	body, err := json.Marshal(map[string]any{"handle": handle, "owner": map[string]any{"active": attributes}})
	if err != nil {
		return err
	}
	_, _, err = exchange[api.Amended](ctx, c, true, func() (*http.Response, error) {
		return c.api.AmendAddressInSpaceWithBody(ctx, c.space, address, jsonBody, bytes.NewReader(body))
	})
	return err
}

// Find returns all addresses that meet the conditions.
func (c *Client) Find(ctx context.Context, params api.ListAddressesInSpaceParams, attributes map[string]string) ([]api.HeldAddress, error) {
	found := []api.HeldAddress{}
	for {
		page, _, err := exchange[api.AddressList](ctx, c, true, func() (*http.Response, error) {
			return c.api.ListAddressesInSpace(ctx, c.space, &params, func(_ context.Context, request *http.Request) error {
				query := request.URL.Query()
				for name, value := range attributes {
					query.Set("attribute."+name, value)
				}
				request.URL.RawQuery = query.Encode()
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
		if page.Unreadable != nil && len(*page.Unreadable) > 0 {
			return nil, fmt.Errorf("%d items cannot be read, so the list would lack their addresses", len(*page.Unreadable))
		}
		found = append(found, page.Addresses...)
		if page.Next == nil {
			return found, nil
		}
		params.Cursor = page.Next
	}
}
