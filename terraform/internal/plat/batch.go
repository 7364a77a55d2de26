package plat

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

const (
	// batchItemsMax, batchAddressesMax and batchBytesMax are the limits of POST /v1/batch.
	batchItemsMax     = 1_000
	batchAddressesMax = 2_048
	batchBytesMax     = 900_000
	// quiet is how long a batch waits for the next request after the last one came.
	quiet = 25 * time.Millisecond
	// expectantMin is how long it waits at least while it has fewer requests than ran at the same time before: Terraform begins an
	// operation for each that ends. A machine or a server that is slow gets expectantFactor times as long as the last batch
	// took, and patience at most.
	expectantMin    = 500 * time.Millisecond
	expectantFactor = 4
	// patience is how long a batch waits at most while other requests are announced, or still come one after another.
	patience = 5 * time.Second
)

// batcher gathers the requests that run at the same time, and sends them together. One batch is under way at a time, and
// requests that come meanwhile wait for the next one.
type batcher struct {
	send func(context.Context, []api.BatchedRequest) ([]api.BatchResult, error)

	mu     sync.Mutex
	queue  []*queued
	coming int
	busy   bool
	// flying is the number of requests in the batch under way.
	flying int
	// expected is how many requests run at the same time: the most that were pending, until a batch waits in vain for them.
	expected int
	// took is how long the last batch was under way.
	took time.Duration
	// stir is closed and replaced when a request comes, or one that was announced does not.
	stir chan struct{}
}

type queued struct {
	request   api.BatchedRequest
	addresses int
	bytes     int
	done      chan outcome
}

type outcome struct {
	result api.BatchResult
	err    error
}

func newBatcher(send func(context.Context, []api.BatchedRequest) ([]api.BatchResult, error)) *batcher {
	return &batcher{send: send, stir: make(chan struct{})}
}

// announce says that a request is likely to come soon, so that a batch waits for it. The caller calls the result when the
// request is in, or will not come.
func (b *batcher) announce() (settle func()) {
	b.mu.Lock()
	b.coming++
	b.mu.Unlock()
	var once sync.Once
	return func() {
		once.Do(func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.coming--
			b.stirred()
		})
	}
}

// do sends a request in the next batch, and returns its result. A context that ends leaves the request in its batch.
func (b *batcher) do(ctx context.Context, request api.BatchedRequest, settle func()) (api.BatchResult, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return api.BatchResult{}, err
	}
	item := &queued{request: request, addresses: addressesOf(request), bytes: len(text) + 1, done: make(chan outcome, 1)}
	b.mu.Lock()
	b.queue = append(b.queue, item)
	b.expected = max(b.expected, b.flying+len(b.queue))
	if !b.busy {
		b.busy = true
		// The batch also has requests of others, so it does not end with this one.
		go b.run(context.WithoutCancel(ctx))
	}
	b.stirred()
	b.mu.Unlock()
	settle()
	select {
	case <-ctx.Done():
		return api.BatchResult{}, &UnansweredError{context.Cause(ctx)}
	case done := <-item.done:
		return done.result, done.err
	}
}

// stirred wakes the batch that waits. The caller holds the lock.
func (b *batcher) stirred() {
	close(b.stir)
	b.stir = make(chan struct{})
}

// run sends batches until no request is left.
func (b *batcher) run(ctx context.Context) {
	for {
		b.gather()
		b.mu.Lock()
		batch := b.cut()
		if len(batch) == 0 {
			b.busy = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		b.carryOut(ctx, batch)
	}
}

// gather returns when no request is likely to come soon.
func (b *batcher) gather() {
	late := time.After(patience)
	for {
		b.mu.Lock()
		stir, coming, count, expected, took := b.stir, b.coming, len(b.queue), b.expected, b.took
		b.mu.Unlock()
		if count == 0 {
			return
		}
		var calm <-chan time.Time
		switch {
		case coming > 0:
		case count < expected:
			calm = time.After(max(expectantMin, expectantFactor*took))
		default:
			calm = time.After(quiet)
		}
		select {
		case <-late:
			return
		case <-calm:
			b.mu.Lock()
			b.expected = len(b.queue)
			b.mu.Unlock()
			return
		case <-stir:
		}
	}
}

// cut takes as many requests as one batch can carry. The caller holds the lock.
func (b *batcher) cut() []*queued {
	var addresses, bytes, count int
	for _, item := range b.queue {
		addresses += item.addresses
		bytes += item.bytes
		if count > 0 && (count == batchItemsMax || addresses > batchAddressesMax || bytes > batchBytesMax) {
			break
		}
		count++
	}
	batch := b.queue[:count:count]
	b.queue = b.queue[count:]
	b.flying = count
	return batch
}

func (b *batcher) carryOut(ctx context.Context, batch []*queued) {
	requests := make([]api.BatchedRequest, len(batch))
	for i, item := range batch {
		requests[i] = item.request
	}
	begun := time.Now()
	results, err := b.send(ctx, requests)
	b.mu.Lock()
	b.took = time.Since(begun)
	b.flying = 0
	b.mu.Unlock()
	if err == nil && len(results) != len(batch) {
		err = &UnansweredError{fmt.Errorf("a batch of %d requests has %d results", len(batch), len(results))}
	}
	for i, item := range batch {
		if err != nil {
			item.done <- outcome{err: err}
			continue
		}
		item.done <- outcome{result: results[i]}
	}
}

func addressesOf(request api.BatchedRequest) int {
	if request.Release != nil {
		return len(request.Release.Addresses)
	}
	count := 0
	if request.Assign != nil {
		for _, of := range []*int{request.Assign.Ipv4, request.Assign.Ipv6} {
			if of != nil {
				count += *of
			}
		}
	}
	return max(count, 1)
}

// sendBatch sends one batch. A repeat does no harm: each assign has a key, and each release a generation.
func (c *Client) sendBatch(ctx context.Context, requests []api.BatchedRequest) ([]api.BatchResult, error) {
	ctx, cancel := context.WithTimeout(ctx, triesMax*answerMax)
	defer cancel()
	answered, _, err := exchange[api.BatchAnswer](ctx, c, true, func() (*http.Response, error) {
		return c.api.SendBatchInSpace(ctx, c.space, api.BatchRequest{Requests: requests})
	})
	return answered.Results, err
}

// inBatch sends one request in a batch until it is carried out, or a rejection allows no wait before the deadline.
func (c *Client) inBatch(ctx context.Context, request api.BatchedRequest, settle func()) (api.BatchResult, error) {
	for try := 1; ; try++ {
		result, err := c.batches.do(ctx, request, settle)
		if err != nil {
			return result, err
		}
		rejection, err := rejectionIn(result)
		if err != nil || rejection == nil {
			return result, err
		}
		wait := waitOf(rejection, try)
		if wait == untold || !fits(ctx, wait) || c.wait(ctx, wait, rejection.Error()) != nil {
			return result, rejection
		}
	}
}

// rejectionIn returns the problem of a result; nothing if it has none.
func rejectionIn(result api.BatchResult) (*Rejection, error) {
	if result.Problem == nil {
		return nil, nil
	}
	// The document has the schema of a problem twice, so the generator made two types of the same fields.
	text, err := json.Marshal(result.Problem)
	if err != nil {
		return nil, err
	}
	rejection := &Rejection{}
	return rejection, json.Unmarshal(text, &rejection.Problem)
}

// waitOf returns how long to wait before another try; untold if none can help.
func waitOf(rejection *Rejection, try int) time.Duration {
	switch {
	case !rejection.Retryable:
		return untold
	case rejection.RetryAfterSeconds != nil:
		return max(time.Duration(*rejection.RetryAfterSeconds)*time.Second, time.Second)
	case rejection.Code == api.ProblemCodePoolExhausted || try >= triesMax:
		// Nobody knows when a lease ends that its owner may renew.
		return untold
	}
	return unansweredWait << (try - 1)
}
