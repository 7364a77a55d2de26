package plat

import (
	"context"
	"sync"
)

// claims has what the creates of this run make and took over, what its destroys release, and what
// its reads found. Creates and destroys run at the same time for one handle or name if a resource
// is renamed in the configuration. Each thing has a proof: a generation, or another unique name.
type claims struct {
	mu sync.Mutex
	// created has a set for each group of things that creates make: those that are named, and ""
	// for any other.
	created map[string]map[string]bool
	// kept has what creates made or took over, and found what resources of the state have.
	kept  map[string]bool
	found map[string]bool
	// releases has a channel for each release, which closes at its end. All stay: what a create
	// read before the end is not there any more, and that of a failed one may be.
	releases map[string]chan struct{}
}

func newClaims() *claims {
	return &claims{
		created: map[string]map[string]bool{}, kept: map[string]bool{}, found: map[string]bool{},
		releases: map[string]chan struct{}{},
	}
}

// BeginCreate notes that a create of this run makes a named thing of a group, or any one of it,
// with an empty name. It returns false if another one makes the same, or could: both would have the
// same thing.
func (c *Client) BeginCreate(group, name string) bool {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	others := c.claims.created[group]
	if others[name] || others[""] || (name == "" && len(others) > 0) {
		return false
	}
	if others == nil {
		others = map[string]bool{}
		c.claims.created[group] = others
	}
	others[name] = true
	return true
}

// Make notes that a create makes something anew, so that no destroy of this run that begins later
// releases it. It returns false if another create has it.
func (c *Client) Make(proof string) bool {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	if c.claims.kept[proof] {
		return false
	}
	c.claims.kept[proof] = true
	return true
}

// Adopt notes that a create takes something over, so that no destroy of this run releases it. It
// returns false if a destroy releases it already, or did since the caller read it, or if another
// create has it.
func (c *Client) Adopt(proofs ...string) bool {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	for _, proof := range proofs {
		if c.claims.releases[proof] != nil || c.claims.kept[proof] {
			return false
		}
	}
	for _, proof := range proofs {
		c.claims.kept[proof] = true
	}
	return true
}

// FindInState notes that a resource in the state has something. It returns false if another one in
// the state has it too: the destroy of one would release what the other uses.
func (c *Client) FindInState(proofs ...string) bool {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	isAlone := true
	for _, proof := range proofs {
		isAlone = isAlone && !c.claims.found[proof]
		c.claims.found[proof] = true
	}
	return isAlone
}

// BeginRelease notes that a destroy releases something. It returns false if a create of this run
// has it. The caller calls end when the release has ended.
func (c *Client) BeginRelease(proof string) (end func(), ok bool) {
	c.claims.mu.Lock()
	defer c.claims.mu.Unlock()
	if c.claims.kept[proof] {
		return nil, false
	}
	ended := make(chan struct{})
	c.claims.releases[proof] = ended
	return func() { close(ended) }, true
}

// AwaitReleases waits for the destroys of this run that release something, or did. It returns false
// if there is none; otherwise the caller reads again.
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
