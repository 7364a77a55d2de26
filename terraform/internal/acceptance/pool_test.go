package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

const pools = `
resource "plat_pool" "red" {
  name        = "red"
  cidr        = "10.9.0.0/24"
  ranges      = ["10.9.0.64/30", "10.9.0.10-10.9.0.15", "10.9.0.16-10.9.0.20"]
  kind        = "subnet"
  gateway     = "10.9.0.1"
  dns         = ["10.9.0.53"]
  routes      = [{ dst = "192.168.0.0/16", gw = "10.9.0.2" }]
  labels      = { zone = "a" }
  description = "DESCRIPTION"
  tags        = ["b", "a"]
}

resource "plat_pool" "six" {
  name = "six"
  cidr = "2001:DB8::/64"
}

resource "plat_pool" "clusters" {
  name            = "clusters"
  cidr            = "10.64.0.0/16"
  assign          = "prefixes"
  block_size      = 20
  assignment_mode = "Manual"
}

resource "plat_reservation" "routers" {
  name   = "routers"
  cidrs  = ["10.9.0.10-10.9.0.11", "10.9.0.12"]
  reason = "routers"
}

resource "plat_address" "web" {
  handle = "web"
  host   = "terraform"
  ipv4   = 2
  ipv6   = 1
  pools  = [plat_pool.red.name, plat_pool.six.name]
}
`

// later moves the clock of the server and executes its scheduled runs until the test ends.
func later(t *testing.T, s *server) {
	t.Helper()
	ended := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Second):
				s.do("advance 100")
				s.do("work")
			}
		}
	}()
	t.Cleanup(func() {
		close(ended)
		<-stopped
	})
}

func TestPoolsFromCreateToDestroy(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := newWorkspace(t, s.url)
	w.config(pools)
	w.apply()
	w.isSettled()
	equal(t, "addresses", len(s.addressesOf("web")), 3)

	w.config(strings.Replace(pools, "DESCRIPTION", "changed", 1))
	contains(t, w.plan(), "plat_pool.red will be updated in-place")
	w.apply()
	w.isSettled()
	var pool struct{ Description string }
	s.call(http.MethodGet, "/v1/pools/red", nil, &pool)
	equal(t, "description", pool.Description, "changed")

	w.config(strings.Replace(pools, "10.64.0.0/16", "10.65.0.0/16", 1))
	contains(t, w.plan(), "plat_pool.clusters must be replaced")

	later(t, s)
	w.run("destroy", "-auto-approve")
	var left struct{ Pools []struct{ Name string } }
	s.call(http.MethodGet, "/v1/pools", nil, &left)
	equal(t, "pools", len(left.Pools), 0)
}

func TestPoolsAreAdoptedOrImported(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := newWorkspace(t, s.url)
	s.pool("red", map[string]any{"cidr": "10.9.0.0/24", "vlan": 7})
	const red = "resource \"plat_pool\" \"red\" {\n  name = \"red\"\n  cidr = \"10.9.0.0/24\"\n  vlan = %VLAN\n}\n"
	w.config(strings.Replace(red, "%VLAN", "8", 1))
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("a pool with another VLAN was adopted:\n%s", output)
	}
	contains(t, output, "its vlan is 7 in place of 8")
	contains(t, output, `import plat_pool.NAME "red"`)

	w.config(strings.Replace(red, "%VLAN", "7", 1))
	contains(t, w.apply(), "The pool was adopted")
	w.isSettled()
	w.forget()
	w.run("import", "plat_pool.red", "red")
	w.isSettled()

	s.call(http.MethodPost, "/v1/assign", map[string]any{"host": "a", "handle": "a", "ipv4": 1}, nil)
	output, err = w.try("destroy", "-auto-approve")
	if err == nil {
		t.Fatalf("a pool in use was deleted:\n%s", output)
	}
	contains(t, output, "pool_in_use")
}

func TestPoolOfARenamedResourceIsThere(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := newWorkspace(t, s.url)
	const red = "resource \"plat_pool\" %q {\n  name = \"red\"\n  cidr = \"10.9.0.0/24\"\n lifecycle {\n create_before_destroy = %t\n }\n}\n"
	later(t, s)
	w.config(fmt.Sprintf(red, "red", false))
	w.apply()
	w.config(fmt.Sprintf(red, "renamed", true))
	contains(t, w.apply(), "1 added, 0 changed, 1 destroyed")
	w.isSettled()
	w.run("taint", "plat_pool.renamed")
	contains(t, w.apply(), "The pool is not deleted")
	w.isSettled()
}

func TestNetworkOfAPoolThatChangesWithItsAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := newWorkspace(t, s.url)
	const both = "resource \"plat_pool\" \"red\" {\n  name = \"red\"\n  cidr = \"10.9.0.0/24\"\n  dns = [%q]\n}\n" +
		"resource \"plat_address\" \"web\" {\n  handle = \"web\"\n  host = \"a\"\n  ipv4 = 1\n  pools = [plat_pool.red.name]\n  attributes = { dns = %q }\n}\n"
	w.config(fmt.Sprintf(both, "10.9.0.2", "2"))
	w.apply()
	w.config(fmt.Sprintf(both, "10.9.0.3", "3"))
	w.apply()
	w.isSettled()
}

func TestFaultsOfPoolsAreOnTheirAttribute(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	w := newWorkspace(t, s.url)
	for _, each := range []struct{ field, said string }{
		{`gateway = "10.8.0.1"`, "gateway"},
		{`routes = [{ dst = "10.0.0.0/8", gw = "x" }]`, "routes[0].gw is not an IPv4 or IPv6 address"},
		{`labels = { "a b" = "x" }`, "labels"},
		{`kind = "net"`, `must be one of: ["pods" "subnet"]`},
		{`block_size = 60`, "blockSize"},
	} {
		w.config("resource \"plat_pool\" \"red\" {\n  name = \"red\"\n  cidr = \"10.9.0.0/24\"\n  " + each.field + "\n}\n")
		output, err := w.try("apply", "-auto-approve")
		if err == nil {
			t.Fatalf("%q was applied:\n%s", each.field, output)
		}
		contains(t, output, each.said)
		contains(t, output, each.field)
	}
}

func TestServerWhoseConfigurationIsOld(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--stale")
	// The functions that assign take their copy of the configuration now.
	request := map[string]any{"host": "a", "handle": "a", "ipv4": 1}
	var problem struct{ Code string }
	equal(t, "status without a pool", s.call(http.MethodPost, "/v1/assign", request, &problem), http.StatusConflict)
	s.pool("early", map[string]any{"cidr": "10.8.0.0/24"})
	equal(t, "status with a new pool", s.call(http.MethodPost, "/v1/assign", request, &problem), http.StatusConflict)
	equal(t, "code", problem.Code, "no_pool_available")

	w := newWorkspace(t, s.url)
	w.config("resource \"plat_pool\" \"red\" {\n  name = \"red\"\n  cidr = \"10.9.0.0/24\"\n}\n" +
		"resource \"plat_address\" \"web\" {\n  handle = \"web\"\n  host = \"a\"\n  ipv4 = 1\n  pools = [plat_pool.red.name]\n}\n")
	w.apply()
	w.isSettled()
	equal(t, "addresses", len(s.addressesOf("web")), 1)
}
