package plat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

const (
	// jobPoll is how often a job is looked at.
	jobPoll    = 2 * time.Second
	jsonBody   = "application/json"
	anyVersion = "*"
)

// Pool returns a pool with its version.
func (c *Client) Pool(ctx context.Context, name string) (api.Pool, string, error) {
	pool, answer, err := exchange[api.Pool](ctx, c, true, func() (*http.Response, error) {
		return c.api.ReadPoolInSpace(ctx, c.space, name, &api.ReadPoolInSpaceParams{})
	})
	return pool, answer.ETag, err
}

// CreatePool creates a pool, and returns when every function serves it. A pool of this name is precondition_failed.
func (c *Client) CreatePool(ctx context.Context, name string, pool api.PoolRequest) error {
	any := anyVersion
	return c.putPool(ctx, name, &api.PutPoolInSpaceParams{IfNoneMatch: &any}, pool)
}

// ChangePool changes the version of a pool that the caller read, and returns when the change is in force, and when
// addresses that left the pool are free for others.
func (c *Client) ChangePool(ctx context.Context, name, version string, pool api.PoolRequest) error {
	return c.putPool(ctx, name, &api.PutPoolInSpaceParams{IfMatch: &version}, pool)
}

func (c *Client) putPool(ctx context.Context, name string, params *api.PutPoolInSpaceParams, pool api.PoolRequest) error {
	body, err := json.Marshal(pool)
	if err != nil {
		return err
	}
	written, answer, err := exchange[api.PoolWritten](ctx, c, false, func() (*http.Response, error) {
		return c.api.PutPoolInSpaceWithBody(ctx, c.space, name, params, jsonBody, bytes.NewReader(body))
	})
	if err != nil {
		return err
	}
	if err := c.waitUntil(ctx, written.EffectiveAt, answer); err != nil {
		return err
	}
	if written.Job == nil {
		return nil
	}
	if err := c.follow(ctx, *written.Job, "no other run waits for it"); err != nil {
		return &WrittenError{err}
	}
	return nil
}

// waitUntil waits until a change is in force, by the clock of the server if it tells the time.
func (c *Client) waitUntil(ctx context.Context, effectiveAt *time.Time, answer Answer) error {
	if effectiveAt == nil {
		return nil
	}
	now := answer.At
	if now.IsZero() {
		now = time.Now()
	}
	wait := effectiveAt.Sub(now)
	if wait <= 0 {
		return nil
	}
	if err := c.wait(ctx, wait, "the change is not in force everywhere yet"); err != nil {
		return &WrittenError{fmt.Errorf("the change is written, but was not in force everywhere before the timeout: %w", err)}
	}
	return nil
}

// DeletePool deletes a pool, and follows the job to its end. A pool that does not exist is deleted.
func (c *Client) DeletePool(ctx context.Context, name string) error {
	any := anyVersion
	begun, _, err := exchange[api.JobBegun](ctx, c, true, func() (*http.Response, error) {
		return c.api.DeletePoolInSpace(ctx, c.space, name, &api.DeletePoolInSpaceParams{IfMatch: &any})
	})
	switch {
	case IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return c.Follow(ctx, begun.Job.Id)
}

// Follow returns when the job of a deletion is done. The error has what the job waits for.
func (c *Client) Follow(ctx context.Context, id string) error {
	return c.follow(ctx, id, "another run follows it")
}

// follow returns when a job is done. after says what becomes of one that does not end in time.
func (c *Client) follow(ctx context.Context, id, after string) error {
	for {
		job, _, err := exchange[api.Job](ctx, c, true, func() (*http.Response, error) {
			return c.api.ReadJobInSpace(ctx, c.space, id)
		})
		if IsNotFound(err) {
			// Plat keeps a finished job for a week.
			return nil
		}
		if err != nil {
			return err
		}
		switch job.State {
		case api.Done:
			return nil
		case api.Failed, api.Cancelled:
			return &JobError{fmt.Errorf("the job %s is %s: %s", id, job.State, job.Detail)}
		}
		if err := c.wait(ctx, jobPoll, job.Detail); err != nil {
			return fmt.Errorf("the job %s did not end before the timeout; it goes on, and %s. %s (%w)", id, after, job.Detail, err)
		}
	}
}

// Reservation returns a reservation with its version.
func (c *Client) Reservation(ctx context.Context, name string) (api.Reservation, string, error) {
	reservation, answer, err := exchange[api.Reservation](ctx, c, true, func() (*http.Response, error) {
		return c.api.ReadReservationInSpace(ctx, c.space, name, &api.ReadReservationInSpaceParams{})
	})
	return reservation, answer.ETag, err
}

// PutReservation creates a reservation, or changes the named version of one, and returns when it is in force, with
// warnings of pools that it touches. An empty version creates.
func (c *Client) PutReservation(ctx context.Context, name, version string, reservation api.ReservationRequest) ([]api.ReservationWarning, error) {
	body, err := json.Marshal(reservation)
	if err != nil {
		return nil, err
	}
	any := anyVersion
	params := &api.PutReservationInSpaceParams{IfNoneMatch: &any}
	if version != "" {
		params = &api.PutReservationInSpaceParams{IfMatch: &version}
	}
	written, answer, err := exchange[api.ReservationWritten](ctx, c, false, func() (*http.Response, error) {
		return c.api.PutReservationInSpaceWithBody(ctx, c.space, name, params, jsonBody, bytes.NewReader(body))
	})
	if err != nil {
		return nil, err
	}
	var warnings []api.ReservationWarning
	if written.Warnings != nil {
		warnings = *written.Warnings
	}
	return warnings, c.waitUntil(ctx, written.EffectiveAt, answer)
}

// DeleteReservation deletes a reservation. One that does not exist is deleted.
func (c *Client) DeleteReservation(ctx context.Context, name string) error {
	any := anyVersion
	deleted, answer, err := exchange[api.ReservationDeleted](ctx, c, true, func() (*http.Response, error) {
		return c.api.DeleteReservationInSpace(ctx, c.space, name, &api.DeleteReservationInSpaceParams{IfMatch: &any})
	})
	if IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.waitUntil(ctx, deleted.EffectiveAt, answer)
}

// Prefixes returns the prefixes that a handle has; none if there is no such handle.
func (c *Client) Prefixes(ctx context.Context, handle string) ([]api.HeldPrefix, error) {
	var held []api.HeldPrefix
	params := &api.ListPrefixesInSpaceParams{Handle: &handle}
	for {
		page, _, err := exchange[api.Prefixes](ctx, c, true, func() (*http.Response, error) {
			return c.api.ListPrefixesInSpace(ctx, c.space, params)
		})
		if IsNotFound(err) {
			return held, nil
		}
		if err != nil {
			return nil, err
		}
		held = append(held, page.Prefixes...)
		if page.Next == nil {
			return held, nil
		}
		params.Cursor = page.Next
	}
}

// AssignPrefix assigns a prefix under a key of its own.
func (c *Client) AssignPrefix(ctx context.Context, request api.PrefixRequest) (api.AssignedPrefix, error) {
	key := newKey()
	assigned, _, err := exchange[api.PrefixAssignment](ctx, c, true, func() (*http.Response, error) {
		return c.api.AssignPrefixInSpace(ctx, c.space, &api.AssignPrefixInSpaceParams{IdempotencyKey: &key}, request)
	})
	if err != nil {
		return api.AssignedPrefix{}, err
	}
	if len(assigned.Prefixes) != 1 {
		return api.AssignedPrefix{}, &UnansweredError{fmt.Errorf("the answer has %d prefixes in place of one", len(assigned.Prefixes))}
	}
	return assigned.Prefixes[0], nil
}

// ReleasePrefix releases a prefix of a handle. One that the handle does not have is released. It
// ends with an error when two answers in a row name the same items that Plat cannot read, because
// one answer may have had no time for all.
func (c *Client) ReleasePrefix(ctx context.Context, handle, cidr string) error {
	var before []string
	for {
		released, _, err := exchange[api.PrefixesReleased](ctx, c, true, func() (*http.Response, error) {
			return c.api.ReleasePrefixesInSpace(ctx, c.space, api.PrefixReleaseRequest{Handle: handle, Cidr: &cidr})
		})
		if IsRejection(err, api.ProblemCodeNotFound, api.ProblemCodeGenerationConflict) {
			return nil
		}
		// What Plat cannot read can be another prefix of the handle.
		if err != nil || released.Complete || slices.Contains(released.Released, cidr) {
			return err
		}
		unreadable := reasonsOf(released.Unreadable)
		if len(unreadable) > 0 && slices.Equal(unreadable, before) {
			return fmt.Errorf("%s is not released, because Plat cannot read what may have it: %s", cidr, strings.Join(unreadable, "; "))
		}
		before = unreadable
		if err := c.wait(ctx, unansweredWait, "the release is not complete yet"); err != nil {
			return fmt.Errorf("%s could not be released yet: %w", strings.Join(append([]string{cidr}, unreadable...), "; "), err)
		}
	}
}

// reasonsOf returns the items that Plat cannot read, each with the reason, in an order that two
// answers share.
func reasonsOf(unreadable *[]api.UnreadableItem) []string {
	var reasons []string
	if unreadable != nil {
		for _, each := range *unreadable {
			reasons = append(reasons, fmt.Sprintf("%s: %s", each.Item, each.Reason))
		}
	}
	slices.Sort(reasons)
	return reasons
}

// PoolUsage has the counts of a pool. A count beyond 2^53 is a text in the answer, which json.Number reads too.
type PoolUsage struct {
	Pool         string      `json:"pool"`
	Cidr         string      `json:"cidr"`
	Unit         string      `json:"unit"`
	Capacity     json.Number `json:"capacity"`
	InUse        json.Number `json:"inUse"`
	HostReserved json.Number `json:"hostReserved"`
	Reserved     json.Number `json:"reserved"`
	Cooling      json.Number `json:"cooling"`
	Available    json.Number `json:"available"`
}

// Utilization returns the counts of the named pools, or of all.
func (c *Client) Utilization(ctx context.Context, pools []string) ([]PoolUsage, error) {
	type page struct {
		Pools []PoolUsage `json:"pools"`
		Next  *string     `json:"next"`
	}
	used := []PoolUsage{}
	params := &api.ReadUtilizationsInSpaceParams{}
	if len(pools) > 0 {
		params.Pool = &pools
	}
	for {
		read, _, err := exchange[page](ctx, c, true, func() (*http.Response, error) {
			return c.api.ReadUtilizationsInSpace(ctx, c.space, params)
		})
		if err != nil {
			return nil, err
		}
		used = append(used, read.Pools...)
		if read.Next == nil {
			return used, nil
		}
		params.Cursor = read.Next
	}
}
