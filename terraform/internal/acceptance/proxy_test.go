package acceptance

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// proxy stands between a provider and a server.
type proxy struct {
	url     string
	batches atomic.Int64
}

// fate is what becomes of the answer to a batch.
type fate int

const (
	answered fate = iota
	lost
)

// newProxy starts a proxy. It calls before with the number of a batch, from 1, before the server gets it, and after before
// the answer goes back. Both may be nil.
func newProxy(t *testing.T, s *server, before func(batch int64), after func(batch int64) fate) *proxy {
	t.Helper()
	target, err := url.Parse(s.url)
	must(t, err)
	p := &proxy{}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.Director = func(request *http.Request) {
		request.URL.Scheme, request.URL.Host, request.Host = target.Scheme, target.Host, target.Host
	}
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/batch") {
			forward.ServeHTTP(w, r)
			return
		}
		batch := p.batches.Add(1)
		if before != nil {
			before(batch)
		}
		answer := httptest.NewRecorder()
		forward.ServeHTTP(answer, r)
		if after != nil && after(batch) == lost {
			panic(http.ErrAbortHandler)
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	t.Cleanup(listening.Close)
	p.url = listening.URL
	return p
}
