package plat

import (
	"context"
	"sync"
)

// claims has what the creates of this run make and took over, and what its destroys release. Both run at the same time for one
// handle or name if a resource is renamed in the configuration. Each thing has a proof: a generation, or another unique
// name.
type claims struct {
	mu      sync.Mutex
	created map[string]bool
	adopted map[string]bool
	// releases has a channel for each release, which closes at its end. One that failed stays.
	releases map[string]chan struct{}
}

func newClaims() *claims {
	return &claims{created: map[string]bool{}, adopted: map[string]bool{}, releases: map[string]chan struct{}{}}
}

// BeginCreate notes that a create of this run makes something. It returns false if another one does: both would have the same
// thing.
func (c *Client) BeginCreate(name string) bool {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	if c.claims.created[name] {
		return false
	}
	c.claims.created[name] = true
	return true
}

// Adopt notes that a create takes something over, so that no destroy of this run releases it. It returns false if one
// releases it already, or failed to.
func (c *Client) Adopt(proofs ...string) bool {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	for _, proof := range proofs {
		if c.claims.releases[proof] != nil {
			return false
		}
	}
	for _, proof := range proofs {
		c.claims.adopted[proof] = true
	}
	return true
}

// BeginRelease notes that a destroy releases something. It returns false if a create of this run took it over. The caller
// calls end with the error of the release.
func (c *Client) BeginRelease(proof string) (end func(error), ok bool) {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	if c.claims.adopted[proof] {
		return nil, false
	}
	ended := make(chan struct{})
	c.claims.releases[proof] = ended
	return func(err error) {
		c.claims.mu.Lock()
		defer c.claims.mu.Unlock()
		if err == nil {
			delete(c.claims.releases, proof)
		}
		close(ended)
	}, true
}

// AwaitReleases waits for the destroys of this run that release something. It returns false if there is none.
func (c *Client) AwaitReleases(ctx context.Context, proofs ...string) (bool, error) {
	c.claims.mu.Lock()
	var all []chan struct{}
	for _, proof := range proofs {
		if ended := c.claims.releases[proof]; ended != nil {
			all = append(all, ended)
		}
	}
	c.claims.mu.Unlock()
	for _, ended := range all {
		select {
		case <-ctx.Done():
			return true, context.Cause(ctx)
		case <-ended:
		}
	}
	return len(all) > 0, nil
}
