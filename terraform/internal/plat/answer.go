package plat

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

const (
	// triesMax is how often a request is sent that gets no answer.
	triesMax = 5
	// unansweredWait is the first wait after no answer; it doubles.
	unansweredWait = 500 * time.Millisecond
	// shownCharactersMax is how much of an answer an error quotes that is not Plat's.
	shownCharactersMax = 200
)

// Rejection is an answer in which Plat rejects a request: a problem document of RFC 9457.
type Rejection struct{ api.Problem }

func (r *Rejection) Error() string {
	text := fmt.Sprintf("%s (%s, request %s)", r.Detail, r.Code, r.RequestId)
	if r.AvailableAt != nil {
		text += fmt.Sprintf("\nThe request can succeed from %s on; a longer timeout waits for that.", r.AvailableAt.UTC().Format(time.RFC3339))
	}
	return text
}

// IsRejection says whether Plat rejected a request with one of these codes.
func IsRejection(err error, codes ...api.ProblemCode) bool {
	var rejection *Rejection
	if !errors.As(err, &rejection) {
		return false
	}
	for _, code := range codes {
		if rejection.Code == code {
			return true
		}
	}
	return false
}

// IsNotFound says whether the resource of a request does not exist.
func IsNotFound(err error) bool { return IsRejection(err, api.ProblemCodeNotFound) }

// UnansweredError means that nobody knows whether Plat carried the request out.
type UnansweredError struct{ reason error }

func (e *UnansweredError) Error() string {
	return fmt.Sprintf("Plat did not answer, and may have carried the request out: %s", e.reason)
}

func (e *UnansweredError) Unwrap() error { return e.reason }

// WrittenError means that Plat wrote a change, whose effect was not awaited to its end.
type WrittenError struct{ reason error }

func (e *WrittenError) Error() string { return e.reason.Error() }
func (e *WrittenError) Unwrap() error { return e.reason }

// JobError means that a job is over, and did not do what it was for.
type JobError struct{ reason error }

func (e *JobError) Error() string { return e.reason.Error() }
func (e *JobError) Unwrap() error { return e.reason }

// notSentError means that no request left this program.
type notSentError struct{ reason error }

func (e *notSentError) Error() string { return e.reason.Error() }
func (e *notSentError) Unwrap() error { return e.reason }

// Answer is what Plat answered beside the body.
type Answer struct {
	// ETag is the version of the resource.
	ETag string
	// At is the time of the server when it answered; zero if the answer does not say.
	At time.Time
}

// exchange sends a request and decodes the answer. It repeats the request
//
//   - when a rejection says how long to wait
//   - when there was no connection
//   - when there was no answer, if a repeat does no harm
//
// It never repeats it before the end of a wait that an answer asks for in seconds (RFC 9110, section 10.2.3),
// and not at all if the deadline of the context comes first.
//
// A rejection is a *Rejection, no answer an *UnansweredError.
func exchange[Body any](ctx context.Context, c *Client, isRepeatable bool, send func() (*http.Response, error)) (Body, Answer, error) {
	for try := 1; ; try++ {
		body, answer, wait, err := attempt[Body](send)
		if err == nil {
			return body, answer, nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return body, answer, fmt.Errorf("%w (%w)", err, cause)
		}
		var rejection *Rejection
		if errors.As(err, &rejection) {
			if !rejection.Retryable || wait == untold || (rejection.Status >= 500 && !isRepeatable) || !fits(ctx, wait) {
				return body, answer, err
			}
		} else {
			var unanswered *UnansweredError
			if try == triesMax || (errors.As(err, &unanswered) && !isRepeatable) {
				return body, answer, err
			}
			if !errors.As(err, &unanswered) && !mayConnect(err) {
				return body, answer, err
			}
			switch {
			case wait == untold:
				wait = unansweredWait << (try - 1)
				wait = wait/2 + rand.N(wait/2+1)
			case !fits(ctx, wait):
				return body, answer, err
			}
		}
		if wait == 0 {
			wait = time.Second
		}
		if c.wait(ctx, wait, err.Error()) != nil {
			return body, answer, err
		}
	}
}

// untold is the wait of an answer that names none.
const untold time.Duration = -1

// fits says whether a wait ends before the deadline of the context. Without a deadline none does.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Now().Add(wait).Before(deadline)
}

// attempt sends a request once. The wait is that which the answer asks for.
func attempt[Body any](send func() (*http.Response, error)) (body Body, answer Answer, wait time.Duration, err error) {
	wait = untold
	response, err := send()
	if err != nil {
		return body, answer, wait, unconnected(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return body, answer, wait, &UnansweredError{err}
	}
	answer.ETag = response.Header.Get("ETag")
	// An answer without a valid Date leaves the time zero.
	answer.At, _ = http.ParseTime(response.Header.Get("Date"))
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		wait = time.Duration(seconds) * time.Second
	}
	if response.StatusCode < 300 {
		if err := json.Unmarshal(text, &body); err == nil {
			return body, answer, wait, nil
		}
	}
	var problem api.Problem
	if json.Unmarshal(text, &problem) == nil && problem.Code != "" && problem.Detail != "" {
		if problem.RetryAfterSeconds != nil {
			wait = time.Duration(*problem.RetryAfterSeconds) * time.Second
		}
		return body, answer, wait, &Rejection{problem}
	}
	return body, answer, wait, stranger(response, string(text))
}

// unconnected returns the error of a request that got no answer.
func unconnected(err error) error {
	if isUnsent(err) {
		return &notSentError{err}
	}
	return &UnansweredError{err}
}

// isUnsent says whether an error is known to come before the first byte of a request: the request
// was not made or signed, there was no connection, or the server did not prove by TLS who it is.
func isUnsent(err error) bool {
	var notSent *notSentError
	var carried *url.Error
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &notSent) || errors.As(err, &certificate) || errors.Is(err, http.ErrSchemeMismatch):
		return true
	case !errors.As(err, &carried) || carried.Op == "parse":
		// The client of HTTP has the method in all of its errors.
		return true
	case errors.As(err, &record):
		// Only the first record of a server has its connection in the error.
		return record.Conn != nil
	}
	return errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect")
}

// mayConnect says whether a later try may find a connection: a refused one may, an unknown host or missing credentials
// not.
func mayConnect(err error) bool {
	var dial *net.OpError
	var name *net.DNSError
	var gateway *gatewayError
	return (errors.As(err, &dial) && !errors.As(err, &name)) || (errors.As(err, &gateway) && gateway.status == http.StatusTooManyRequests)
}

// gatewayError is an answer that is not Plat's.
type gatewayError struct {
	status int
	text   string
}

func (e *gatewayError) Error() string { return e.text }

// stranger describes an answer that is not Plat's. From status 500 on, a gateway got no answer of Plat.
func stranger(response *http.Response, text string) error {
	shown := strings.Join(strings.Fields(text), " ")
	if len(shown) > shownCharactersMax {
		shown = shown[:shownCharactersMax] + "…"
	}
	said := fmt.Sprintf("%s answers %d, but not as Plat does: %s", response.Request.URL.Host, response.StatusCode, shown)
	switch status := response.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		said += "\nCheck token, credentials and permissions. Requests are signed if the endpoint has a name of API Gateway, or a region is given."
	case status == http.StatusNotFound:
		said += "\nThis is not Plat's own 404. Check the endpoint, with the stage or the path that it may need."
	case status >= 300 && status < 400:
		if location, err := response.Location(); err == nil {
			said += fmt.Sprintf("\nUse %s as the endpoint.", endpointIn(location, response.Request.URL))
		}
	case status >= 500 || status < 300:
		return &UnansweredError{errors.New(said)}
	}
	return &gatewayError{response.StatusCode, said}
}

// routes begins the path of every request below the endpoint.
const routes = "/v1/spaces/"

// endpointIn returns the endpoint of which a redirection leads to the same route.
func endpointIn(location, asked *url.URL) string {
	path, before := asked.EscapedPath(), location.EscapedPath()
	if at := strings.LastIndex(path, routes); at >= 0 {
		before = strings.TrimSuffix(before, path[at:])
	}
	return location.Scheme + "://" + location.Host + before
}
