package plat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/plat-ipam/terraform-provider-plat/internal/api"
)

// step is what a scripted server does with one request.
type step struct {
	status int
	body   string
	header http.Header
	err    error
}

// script answers requests by its steps, and notes what it is sent.
type script struct {
	mu    sync.Mutex
	steps []step
	sent  []string
}

func (s *script) Do(request *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := ""
	if request.Body != nil {
		text, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	s.sent = append(s.sent, fmt.Sprintf("%s %s %s", request.Method, request.URL.RequestURI(), body))
	next := s.steps[0]
	s.steps = s.steps[1:]
	if next.err != nil {
		return nil, next.err
	}
	header := next.header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.body)), Request: request}, nil
}

// scripted returns a client of a script, whose waits are noted and end at once.
func scripted(t *testing.T, steps ...step) (*Client, *script, *[]time.Duration) {
	t.Helper()
	s := &script{steps: steps}
	waits := &[]time.Duration{}
	client, err := over("http://127.0.0.1:1", "blue", s, func(_ context.Context, wait time.Duration) error {
		*waits = append(*waits, wait)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return client, s, waits
}

func problem(status int, code string, more string) step {
	return step{status: status, body: fmt.Sprintf(`{"type": "t", "title": "t", "status": %d, "detail": "no", "code": %q, "requestId": "r", "retryable": %s}`, status, code, more)}
}

var (
	refused = &url.Error{Op: "Get", URL: "u", Err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
	reset   = &url.Error{Op: "Get", URL: "u", Err: io.ErrUnexpectedEOF}
	pool    = step{status: 200, body: `{"name": "lan", "cidr": "10.0.0.0/24"}`}
)

func TestRequestsAreRepeatedWhereThatDoesNoHarm(t *testing.T) {
	t.Parallel()
	read := func(ctx context.Context, c *Client) error { _, _, err := c.Pool(ctx, "lan"); return err }
	write := func(ctx context.Context, c *Client) error {
		return c.CreatePool(ctx, "lan", api.PoolRequest{Cidr: "10.0.0.0/24"})
	}
	for _, each := range []struct {
		name  string
		call  func(context.Context, *Client) error
		steps []step
		sent  int
		said  string
	}{
		{"a read without an answer", read, []step{{err: reset}, {status: 502, body: "<html>"}, pool}, 3, ""},
		{"a write without an answer", write, []step{{err: reset}}, 1, "may have carried the request out"},
		{"a write behind a gateway without an answer", write, []step{{status: 504, body: "{}"}}, 1, "may have carried the request out"},
		{"a write without a connection", write, []step{{err: refused}, {err: refused}, pool}, 3, ""},
		{"a write that a gateway throttles", write, []step{{status: 429, body: "{}"}, pool}, 2, ""},
		{"a rejection that says how long to wait", write, []step{problem(409, "pool_overlap", `true, "retryAfterSeconds": 30`), pool}, 2, ""},
		{"a rejection that would wait beyond the deadline", write, []step{problem(409, "pool_overlap", `true, "retryAfterSeconds": 3000`)}, 1, "no (pool_overlap, request r)"},
		{"a rejection for good", write, []step{problem(409, "pool_overlap", "false")}, 1, "no (pool_overlap, request r)"},
		{"another server", read, []step{{status: 404, body: "nothing here"}}, 1, "This is not Plat's own 404"},
		{"a redirection", read, []step{{status: 302, header: http.Header{"Location": {"https://elsewhere.example"}}}}, 1, "Use https://elsewhere.example as the endpoint"},
		{"a redirection to another host", read, []step{{status: 307, header: http.Header{"Location": {"https://elsewhere.example/stage/v1/spaces/blue/pools/lan?x=1"}}}}, 1, "Use https://elsewhere.example/stage as the endpoint"},
		{"a redirection to another path", read, []step{{status: 308, header: http.Header{"Location": {"/plat/v1/spaces/blue/pools/lan"}}}}, 1, "Use http://127.0.0.1:1/plat as the endpoint"},
		{"a gateway that asks for a wait beyond the deadline", read, []step{{status: 429, body: "{}", header: http.Header{"Retry-After": {"3000"}}}}, 1, "answers 429"},
		{"no answer of Plat, and a wait beyond the deadline", read, []step{{status: 503, body: "{}", header: http.Header{"Retry-After": {"3000"}}}}, 1, "may have carried the request out"},
		{"a request that cannot be made", write, []step{{err: errors.New("invalid path")}}, 1, "invalid path"},
		{"no credentials", read, []step{{err: &notSentError{errors.New("no AWS credentials")}}}, 1, "no AWS credentials"},
		{"five times at most", read, []step{{err: reset}, {err: reset}, {err: reset}, {err: reset}, {err: reset}}, 5, "may have carried the request out"},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			client, s, _ := scripted(t, each.steps...)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			err := each.call(ctx, client)
			if len(s.sent) != each.sent {
				t.Errorf("sent %d times in place of %d", len(s.sent), each.sent)
			}
			const unknown = "may have carried the request out"
			if err != nil && strings.Contains(err.Error(), unknown) != strings.Contains(each.said, unknown) {
				t.Errorf("the error is %v, and whether the request was carried out is not so", err)
			}
			if (err == nil) != (each.said == "") || (err != nil && !strings.Contains(err.Error(), each.said)) {
				t.Errorf("the error is %v; it should say %q", err, each.said)
			}
		})
	}
}

func TestRequestIsNotRepeatedBeforeTheWaitThatAnAnswerAsksFor(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		status    int
		told      string
		asked     time.Duration
		isInexact bool
	}{{429, "20", 20 * time.Second, false}, {503, "20", 20 * time.Second, false}, {429, "0", time.Second, false}, {429, "-5", unansweredWait / 2, true}, {429, "", unansweredWait / 2, true}} {
		client, _, waits := scripted(t, step{status: each.status, body: "{}", header: http.Header{"Retry-After": {each.told}}}, pool)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		_, _, err := client.Pool(ctx, "lan")
		cancel()
		if err != nil || len(*waits) != 1 {
			t.Fatalf("the waits are %v, and the error is %v", *waits, err)
		}
		if wait := (*waits)[0]; wait < each.asked || (wait > each.asked && !each.isInexact) {
			t.Errorf("waited %s after the status %d with a Retry-After of %q", wait, each.status, each.told)
		}
	}
}

func TestServerWithoutATrustedCertificateGetsNoRequest(t *testing.T) {
	t.Parallel()
	asked := 0
	answer := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ })
	unknown, plain := httptest.NewUnstartedServer(answer), httptest.NewServer(answer)
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0)
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	t.Cleanup(plain.Close)
	for name, endpoint := range map[string]string{
		"a certificate of nobody": unknown.URL, "no TLS": strings.Replace(plain.URL, "http:", "https:", 1),
	} {
		var waits []time.Duration
		client, err := over(endpoint, "blue", &sender{client: http.DefaultClient}, func(_ context.Context, wait time.Duration) error {
			waits = append(waits, wait)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = client.Pool(context.Background(), "lan")
		var notSent *notSentError
		if !errors.As(err, &notSent) || len(waits) > 0 {
			t.Errorf("%s: the waits are %v, and the error is %v", name, waits, err)
		}
	}
	if asked > 0 {
		t.Errorf("%d requests were sent", asked)
	}
}

func TestWaitEndsWhenAChangeIsInForceByTheClockOfTheServer(t *testing.T) {
	t.Parallel()
	client, _, waits := scripted(t, step{
		status: 201,
		header: http.Header{"Date": {"Sat, 28 Nov 2026 04:00:00 GMT"}},
		body:   `{"name": "lan", "cidr": "10.0.0.0/24", "effectiveAt": "2026-11-28T04:00:18.500Z"}`,
	})
	if err := client.CreatePool(context.Background(), "lan", api.PoolRequest{Cidr: "10.0.0.0/24"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(*waits, []time.Duration{18500 * time.Millisecond}) {
		t.Errorf("waited %v", *waits)
	}
}

func TestDestroyFollowsTheJobToItsEnd(t *testing.T) {
	t.Parallel()
	job := func(state string) string {
		return fmt.Sprintf(`{"id": "j1", "state": %q, "detail": "Waits.", "kind": "pool.delete", "space": "blue"}`, state)
	}
	for _, each := range []struct{ state, said string }{{"done", ""}, {"failed", "the job j1 is failed: Waits."}} {
		client, s, _ := scripted(t, step{status: 202, body: `{"job": ` + job("running") + `}`},
			step{status: 200, body: job("running")}, step{status: 200, body: job("running")}, step{status: 200, body: job(each.state)})
		err := client.DeletePool(context.Background(), "lan")
		if len(s.sent) != 4 {
			t.Errorf("sent %q", s.sent)
		}
		if (err == nil) != (each.said == "") || (err != nil && err.Error() != each.said) {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestFailedAssignGivesBackWhatTheRequestsBeforeTook(t *testing.T) {
	t.Parallel()
	client, s, _ := scripted(t,
		step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 200, "assigned": {"addresses": [
			{"address": "10.0.0.1", "generation": "g1"}, {"address": "10.0.0.2", "generation": "g2"}]}}]}`},
		step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 409, "problem": {"code": "pool_exhausted", "detail": "full", "retryable": false}}]}`},
		step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 200, "released": {"results": [{"address": "10.0.0.2", "status": "released"}]}}]}`},
	)
	one, held := 1, "g1"
	requests := []api.AssignRequest{{Host: "a", Ipv4: &one}, {Host: "a", Ipv6: &one}}
	err := client.Assign(context.Background(), requests, []api.HeldAddress{{Address: "10.0.0.1", Generation: &held}}, func() {})
	if !IsRejection(err, api.ProblemCodePoolExhausted) {
		t.Errorf("the error is %v", err)
	}
	released := s.sent[len(s.sent)-1]
	if !strings.Contains(released, `"g2"`) || strings.Contains(released, `"g1"`) {
		t.Errorf("the last request is %s", released)
	}
}

func TestReleaseSaysWhichAddressesItDidNotRelease(t *testing.T) {
	t.Parallel()
	batch := func(results string) step {
		return step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 200, "released": {"complete": true, "results": [` + results + `]}}]}`}
	}
	const done = `{"address": "10.0.0.1", "status": "released"}`
	conflict := func(code string) string {
		return fmt.Sprintf(`{"address": "10.0.0.2", "status": "conflict", "code": %q, "detail": "why"}`, code)
	}
	for _, each := range []struct {
		name  string
		steps []step
		sent  int
		said  string
	}{
		{"one that is assigned anew", []step{batch(done + "," + conflict("generation_conflict"))}, 1, ""},
		{"one that cannot be read", []step{batch(done + "," + conflict("unreadable"))}, 1, "10.0.0.2 is not released: why (unreadable)"},
		{"one whose request is in progress", []step{batch(done + "," + conflict("request_in_progress")), batch(`{"address": "10.0.0.2", "status": "released"}`)}, 2, ""},
		{"one that cannot be read beside one that takes longer", []step{
			batch(conflict("unreadable") + `,{"address": "10.0.0.1", "status": "unfinished"}`), batch(done),
		}, 2, "10.0.0.2 is not released: why (unreadable)"},
	} {
		client, s, _ := scripted(t, each.steps...)
		one, two := "g1", "g2"
		err := client.Release(context.Background(), []api.AddressToRelease{{Address: "10.0.0.1", Generation: &one}, {Address: "10.0.0.2", Generation: &two}}, func() {})
		if len(s.sent) != each.sent {
			t.Errorf("%s: sent %q", each.name, s.sent)
		}
		if (err == nil) != (each.said == "") || (err != nil && err.Error() != each.said) {
			t.Errorf("%s: the error is %v", each.name, err)
		}
	}
}

func TestReleaseOfManyAddressesGoesOnBehindOneThatIsNotReleased(t *testing.T) {
	t.Parallel()
	batch := func(results string) step {
		return step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 200, "released": {"complete": true, "results": [` + results + `]}}]}`}
	}
	client, s, _ := scripted(t,
		batch(`{"address": "10.0.0.1", "status": "conflict", "code": "unreadable", "detail": "why"}`),
		batch(`{"address": "10.0.0.2", "status": "released"}`),
	)
	addresses := make([]api.AddressToRelease, releasesMax+1)
	for i := range addresses {
		generation := fmt.Sprintf("g%d", i)
		addresses[i] = api.AddressToRelease{Address: "10.0.0.1", Generation: &generation}
	}
	err := client.Release(context.Background(), addresses, func() {})
	if err == nil || len(s.sent) != 2 {
		t.Errorf("sent %d requests, and the error is %v", len(s.sent), err)
	}
}

// ended is a context whose time is over once isOver says so, and whose timer has not told anybody yet.
type ended struct {
	context.Context
	isOver func() bool
}

func (e ended) Err() error {
	if e.isOver() {
		return context.DeadlineExceeded
	}
	return nil
}

func TestReleaseWhoseTimeEndsBetweenTwoRequestsIsNotComplete(t *testing.T) {
	t.Parallel()
	client, s, _ := scripted(t,
		step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 200, "released": {"complete": true, "results": [{"address": "10.0.0.1", "status": "released"}]}}]}`},
	)
	addresses := make([]api.AddressToRelease, releasesMax+3)
	for i := range addresses {
		generation := fmt.Sprintf("g%d", i)
		addresses[i] = api.AddressToRelease{Address: "10.0.0.1", Generation: &generation}
	}
	isAnswered := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.sent) > 0
	}
	err := client.Release(ended{context.Background(), isAnswered}, addresses, func() {})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "3 addresses were not released any more") {
		t.Errorf("sent %d requests, and the error is %v", len(s.sent), err)
	}
}

func TestReleaseOfAPrefixEndsAtWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	answer := func(released, unreadable string) step {
		return step{status: 200, body: fmt.Sprintf(`{"handle": "a", "complete": false, "released": [%s], "unreadable": [%s]}`, released, unreadable)}
	}
	const item = `{"item": "allocation x", "reason": "its format is 9"}`
	for _, each := range []struct {
		name  string
		steps []step
		said  string
	}{
		{"an item that stays", []step{answer("", item), answer("", item)},
			"10.0.0.0/20 is not released, because Plat cannot read what may have it: allocation x: its format is 9"},
		{"an item that is read in time", []step{answer("", item), {status: 200, body: `{"handle": "a", "complete": true, "released": []}`}}, ""},
		{"an item of another prefix", []step{answer(`"10.0.0.0/20"`, item)}, ""},
	} {
		client, s, _ := scripted(t, each.steps...)
		err := client.ReleasePrefix(context.Background(), "a", "10.0.0.0/20")
		if len(s.sent) != len(each.steps) {
			t.Errorf("%s: sent %q", each.name, s.sent)
		}
		if (err == nil) != (each.said == "") || (err != nil && err.Error() != each.said) {
			t.Errorf("%s: the error is %v", each.name, err)
		}
	}
}

func TestEachAssignHasAKeyOfItsOwnThatItsRepeatsKeep(t *testing.T) {
	t.Parallel()
	assigned := step{status: 200, body: `{"complete": true, "results": [{"index": 0, "status": 200, "assigned": {"addresses": []}}]}`}
	client, s, _ := scripted(t, step{err: reset}, assigned, assigned)
	one := 1
	for range 2 {
		if err := client.Assign(context.Background(), []api.AssignRequest{{Host: "a", Ipv4: &one}}, nil, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if s.sent[0] != s.sent[1] {
		t.Errorf("the repeat %s differs from %s", s.sent[1], s.sent[0])
	}
	if s.sent[1] == s.sent[2] {
		t.Errorf("two assigns have one key: %s", s.sent[2])
	}
}

func TestBatchesAreCutByTheirLimits(t *testing.T) {
	t.Parallel()
	sizes := make(chan int, 10)
	b := newBatcher(func(_ context.Context, requests []api.BatchedRequest) ([]api.BatchResult, error) {
		sizes <- len(requests)
		return make([]api.BatchResult, len(requests)), nil
	})
	count := 1_000
	var done sync.WaitGroup
	settles := make([]func(), 5)
	for i := range settles {
		settles[i] = b.announce()
	}
	for _, settle := range settles {
		done.Go(func() {
			if _, err := b.do(context.Background(), api.BatchedRequest{Assign: &api.AssignRequest{Ipv4: &count}}, settle); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	close(sizes)
	var all []int
	for size := range sizes {
		all = append(all, size)
	}
	if !slices.Equal(all, []int{2, 2, 1}) {
		t.Errorf("batches of %v", all)
	}
}

func TestBatchWaitsForAnnouncedRequestsAndNotForThoseThatDoNotCome(t *testing.T) {
	t.Parallel()
	sizes := make(chan int, 10)
	b := newBatcher(func(_ context.Context, requests []api.BatchedRequest) ([]api.BatchResult, error) {
		sizes <- len(requests)
		return make([]api.BatchResult, len(requests)), nil
	})
	first, second, third := b.announce(), b.announce(), b.announce()
	var done sync.WaitGroup
	send := func(settle func()) {
		done.Go(func() {
			if _, err := b.do(context.Background(), api.BatchedRequest{}, settle); err != nil {
				t.Error(err)
			}
		})
	}
	send(first)
	third()
	send(second)
	done.Wait()
	if size := <-sizes; size != 2 {
		t.Errorf("a batch of %d", size)
	}
}

func TestRequestsAreSignedForTheRegionOfTheEndpoint(t *testing.T) {
	t.Parallel()
	signing := &signing{
		credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", "session"),
		region:      "eu-central-1", signer: signer.NewSigner(),
		now: func() time.Time { return time.Date(2026, 11, 28, 4, 0, 0, 0, time.UTC) },
	}
	request, err := http.NewRequest(http.MethodPost, "https://abc.execute-api.eu-central-1.amazonaws.com/v1/spaces/blue/handles/a%2Fb", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := signing.sign(request); err != nil {
		t.Fatal(err)
	}
	authorization := request.Header.Get("Authorization")
	for _, part := range []string{"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261128/eu-central-1/execute-api/aws4_request", "x-amz-security-token", "x-amz-date"} {
		if !strings.Contains(authorization, part) {
			t.Errorf("%q lacks %q", authorization, part)
		}
	}
	if body, err := io.ReadAll(request.Body); err != nil || string(body) != "{}" {
		t.Errorf("the body is %q, %v", body, err)
	}
}

func TestExpiredCredentialsAreReadAnew(t *testing.T) {
	t.Parallel()
	asked := 0
	signing := &signing{
		credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			asked++
			return aws.Credentials{}, errors.New("expired")
		}),
		region: "eu-central-1", signer: signer.NewSigner(), now: time.Now,
	}
	s := &sender{client: http.DefaultClient, sign: signing.sign}
	for range 2 {
		request := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1/", nil)
		_, err := s.Do(request)
		var notSent *notSentError
		if !errors.As(err, &notSent) || !strings.Contains(err.Error(), "no AWS credentials to sign requests with: expired") {
			t.Errorf("the error is %v", err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestAccess(t *testing.T) {
	for _, each := range []struct {
		name     string
		config   Config
		header   string
		isSigned bool
		said     string
	}{
		{"a local server", Config{Endpoint: "http://127.0.0.1:8787"}, "", false, ""},
		{"a token", Config{Endpoint: "https://plat.example.com/", Token: "t0"}, "Bearer t0", false, ""},
		{"an endpoint of API Gateway", Config{Endpoint: "https://abc.execute-api.eu-central-1.amazonaws.com"}, "", true, ""},
		{"an endpoint of API Gateway with a token", Config{Endpoint: "https://abc.execute-api.eu-central-1.amazonaws.com", Token: "t0"}, "Bearer t0", false, ""},
		{"a domain name with a Region", Config{Endpoint: "https://plat.example.com", Region: "eu-central-1"}, "", true, ""},
		{"a Region and a token", Config{Endpoint: "https://plat.example.com", Region: "eu-central-1", Token: "t0"}, "", false, "not both"},
		{"a token with a line break", Config{Endpoint: "https://plat.example.com", Token: "t0\n"}, "", false, "the token must have visible ASCII characters only"},
		{"a password in the endpoint", Config{Endpoint: "https://me:secret@plat.example.com"}, "", false, "without user, password, query or fragment"},
		{"another scheme", Config{Endpoint: "plat.example.com"}, "", false, `the endpoint is "plat.example.com"`},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			base, err := endpointOf(each.config.Endpoint)
			var made api.HttpRequestDoer
			if err == nil {
				made, err = senderFor(context.Background(), base, each.config)
			}
			if (err == nil) != (each.said == "") || (err != nil && !strings.Contains(err.Error(), each.said)) {
				t.Fatalf("the error is %v; it should say %q", err, each.said)
			}
			if err != nil {
				if strings.Contains(err.Error(), "secret") {
					t.Errorf("the error has a secret: %s", err)
				}
				return
			}
			s := made.(*sender)
			if s.headers.Get("Authorization") != each.header || (s.sign != nil) != each.isSigned {
				t.Errorf("the sender has %q, and signs: %t", s.headers.Get("Authorization"), s.sign != nil)
			}
		})
	}
}

func TestCountsBeyondTheNumbersOfJSONAreRead(t *testing.T) {
	t.Parallel()
	client, _, _ := scripted(t,
		step{status: 200, body: `{"pools": [{"pool": "a", "capacity": "18446744073709551616", "inUse": 7}], "next": "c"}`},
		step{status: 200, body: `{"pools": [{"pool": "b", "capacity": 256}]}`})
	used, err := client.Utilization(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal([]json.Number{used[0].Capacity, used[0].InUse, used[1].Capacity})
	if string(text) != "[18446744073709551616,7,256]" {
		t.Errorf("the counts are %s", text)
	}
}
