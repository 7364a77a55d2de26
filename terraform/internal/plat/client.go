// Package plat calls the API of Plat: it signs requests, repeats those of which a repeat does no harm, sends assigns and
// releases in batches, and waits for what takes time.
package plat

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// SpaceDefault is the address space of a provider that names none.
const SpaceDefault = "default"

// answerMax is the longest that one request may take; Plat answers within 10 s, and API Gateway within 30 s.
const answerMax = 35 * time.Second

// Config says where Plat is, and how to get access.
type Config struct {
	// Endpoint is the URL of the API, without the path of a resource.
	Endpoint string
	// Space is the address space of all requests; empty for the default one.
	Space string
	// Token is sent as a bearer token; empty for none.
	Token string
	// APIKey is the key of a usage plan; empty for none.
	APIKey string
	// Region is the Region to sign for. Empty means that of an endpoint of API Gateway, or none for any other host.
	Region string
	// Profile is the profile of the AWS configuration files; empty for the default one.
	Profile string
	// UserAgent names the program in the log of the server.
	UserAgent string
}

// Client calls the API in one address space. It is safe for use by many goroutines.
type Client struct {
	api     *api.Client
	space   string
	batches *batcher
	sleep   func(context.Context, time.Duration) error
	claims  *claims
}

// New makes a client, and loads the credentials of AWS if requests must be signed.
func New(ctx context.Context, config Config) (*Client, error) {
	base, err := endpointOf(config.Endpoint)
	if err != nil {
		return nil, err
	}
	sender, err := senderFor(ctx, base, config)
	if err != nil {
		return nil, err
	}
	space := config.Space
	if space == "" {
		space = SpaceDefault
	}
	return over(base.String(), space, sender, pause)
}

// over makes a client over a sender and a clock.
func over(endpoint, space string, sender api.HttpRequestDoer, sleep func(context.Context, time.Duration) error) (*Client, error) {
	made, err := api.NewClient(endpoint, api.WithHTTPClient(sender))
	if err != nil {
		return nil, err
	}
	client := &Client{api: made, space: space, sleep: sleep, claims: newClaims()}
	client.batches = newBatcher(client.sendBatch)
	return client, nil
}

// endpointOf parses the endpoint. The error does not repeat a URL that may contain a password.
func endpointOf(endpoint string) (*url.URL, error) {
	const right = "must be a URL such as http://127.0.0.1:8787 or https://abc123.execute-api.eu-central-1.amazonaws.com"
	if strings.ContainsAny(endpoint, "@?#") {
		return nil, fmt.Errorf("the endpoint %s, without user, password, query or fragment", right)
	}
	base, err := url.Parse(endpoint)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("the endpoint is %q; it %s", endpoint, right)
	}
	return base, nil
}

// newKey returns an Idempotency-Key that no request ever had.
func newKey() string { return "terraform-" + rand.Text() }

// wait waits, and tells the log why.
func (c *Client) wait(ctx context.Context, wait time.Duration, reason string) error {
	tflog.Info(ctx, "Waiting for Plat", map[string]any{"wait": wait.String(), "reason": reason})
	return c.sleep(ctx, wait)
}

// pause waits, or returns the reason why the context has ended.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// editing returns an editor that sets a header of one request.
func editing(name, value string) api.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	}
}
