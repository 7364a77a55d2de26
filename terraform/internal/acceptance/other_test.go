package acceptance

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

const prefix = `
resource "plat_prefix" "cluster" {
  handle = "cluster-7"
  pools  = ["clusters"]
  %s
}
`

func TestPrefixFromCreateToDestroy(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20, "assignmentMode": "Manual", "cooldownSeconds": 0})
	held := func() []string {
		var read struct{ Prefixes []struct{ Cidr string } }
		s.call(http.MethodGet, "/v1/prefixes?handle=cluster-7", nil, &read)
		cidrs := []string{}
		for _, each := range read.Prefixes {
			cidrs = append(cidrs, each.Cidr)
		}
		return cidrs
	}
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(prefix, "family = 4\n description = \"seven\"\n tags = [\"b\", \"a\"]\n attributes = { owner = \"shop\" }"))
	w.apply()
	w.isSettled()
	first := held()
	equal(t, "prefixes", len(first), 1)
	equal(t, "length", w.resource("plat_prefix.cluster")["prefix_length"].(float64), 20)

	w.forget()
	contains(t, w.apply(), "The prefix was adopted")
	equal(t, "prefixes", strings.Join(held(), " "), first[0])
	w.forget()
	w.run("import", "plat_prefix.cluster", "cluster-7")
	w.apply()
	w.isSettled()
	w.forget()
	w.run("import", "plat_prefix.cluster", "cluster-7#"+first[0])

	w.config(fmt.Sprintf(prefix, `family = 4`))
	w.forget()
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("another prefix was adopted:\n%s", output)
	}
	contains(t, output, fmt.Sprintf("import plat_prefix.NAME %q", "cluster-7#"+first[0]))

	w.run("import", "plat_prefix.cluster", "cluster-7")
	w.config(fmt.Sprintf(prefix, `cidr = "10.64.240.0/20"`))
	contains(t, w.plan(), "must be replaced")
	w.apply()
	w.isSettled()
	equal(t, "prefixes", strings.Join(held(), " "), "10.64.240.0/20")
	w.run("taint", "plat_prefix.cluster")
	w.apply()
	w.isSettled()
	equal(t, "prefixes", strings.Join(held(), " "), "10.64.240.0/20")
	w.run("destroy", "-auto-approve")
	equal(t, "prefixes", len(held()), 0)
}

func TestPrefixesOfOneHandleAreApart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20, "cooldownSeconds": 0})
	w := newWorkspace(t, s.url)
	var both string
	for name, cidr := range map[string]string{"a": "10.64.32.0/20", "b": "10.64.48.0/20"} {
		s.call(http.MethodPost, "/v1/prefixes", map[string]any{"handle": "two", "cidr": cidr}, nil)
		both += fmt.Sprintf("resource \"plat_prefix\" %q {\n  handle = \"two\"\n  cidr = %q\n}\n", name, cidr)
	}
	w.config(both)
	w.run("import", "plat_prefix.a", "two#10.64.32.0/20")
	w.run("import", "plat_prefix.b", "two#10.64.48.0/20")
	w.isSettled()
	s.call(http.MethodPost, "/v1/prefixes/release", map[string]any{"handle": "two", "cidr": "10.64.32.0/20"}, nil)
	contains(t, w.plan(), "1 to add, 0 to change, 0 to destroy")
	w.apply()
	w.isSettled()
	w.config(strings.ReplaceAll(both, "handle", "description = \"new\"\n  handle"))
	w.apply()
	w.isSettled()
}

func TestEmptyFieldsReplaceNoPrefix(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20})
	s.call(http.MethodPost, "/v1/prefixes", map[string]any{"handle": "cluster-7", "family": 4}, nil)
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(prefix, "family = 4\n attributes = {}\n description = \"\"\n tags = []"))
	w.run("import", "plat_prefix.cluster", "cluster-7")
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.isSettled()
	w.config(fmt.Sprintf(prefix, "family = 4"))
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.config(fmt.Sprintf(prefix, "family = 4\n description = \"seven\""))
	contains(t, w.plan(), "must be replaced")
}

func TestPrefixOfAModule(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20, "cooldownSeconds": 0})
	w := newWorkspace(t, s.url)
	const module = "variable \"cidr\" {\n type = string\n default = null\n}\n" +
		"resource \"plat_prefix\" %q {\n handle = \"cluster-7\"\n cidr = var.cidr\n family = var.cidr == null ? 4 : null\n %s\n}\n"
	w.config(fmt.Sprintf(module, "cluster", `attributes = { description = "seven" }`))
	output, err := w.try("validate")
	if err == nil {
		t.Fatalf("a description beside the description was accepted:\n%s", output)
	}
	contains(t, output, "Set description of the resource")
	w.config(fmt.Sprintf(module, "cluster", ""))
	w.apply()
	w.config(fmt.Sprintf(module, "renamed", ""))
	contains(t, w.apply("-var=cidr=10.64.240.0/20"), "1 added, 0 changed, 1 destroyed")
	output, err = w.try("plan", "-detailed-exitcode", "-var=cidr=10.64.240.0/20")
	if err != nil {
		t.Fatalf("the plan has changes: %s\n%s", err, output)
	}
}

func TestReservationFromCreateToDestroy(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", map[string]any{"cidr": "10.1.0.0/24"})
	s.call(http.MethodPost, "/v1/assign", map[string]any{"host": "a", "handle": "a", "address": "10.1.0.9"}, nil)
	const routers = "resource \"plat_reservation\" \"routers\" {\n  name = \"routers\"\n  cidrs = [%s]\n}\n"
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(routers, `"10.1.0.0/30", "10.1.0.4-10.1.0.9"`))
	contains(t, w.apply(), "The reservation touches a pool in use")
	w.isSettled()
	w.forget()
	w.run("import", "plat_reservation.routers", "routers")
	w.isSettled()
	w.forget()
	w.config(fmt.Sprintf(routers, `"10.1.0.0-10.1.0.9"`))
	contains(t, w.apply(), "The reservation was adopted")
	w.config(fmt.Sprintf(routers, `"10.1.0.0-10.1.0.8"`))
	contains(t, w.plan(), "will be updated in-place")
	w.apply()
	w.isSettled()
	w.config(strings.Replace(fmt.Sprintf(routers, `"10.1.0.0-10.1.0.8"`), `"routers" {`, "\"renamed\" {\n lifecycle {\n create_before_destroy = true\n }", 1))
	contains(t, w.apply(), "1 added, 0 changed, 1 destroyed")
	w.isSettled()
	w.run("taint", "plat_reservation.renamed")
	contains(t, w.apply(), "The reservation is not deleted")
	w.isSettled()
	w.run("destroy", "-auto-approve")
	var problem struct{ Code string }
	equal(t, "status", s.call(http.MethodGet, "/v1/reservations/routers", nil, &problem), http.StatusNotFound)
}

func TestDataSources(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", map[string]any{"cidr": "10.1.0.0/24", "gateway": "10.1.0.1", "kind": "subnet"})
	s.pool("six", map[string]any{"cidr": "2001:db8::/48"})
	s.call(http.MethodPost, "/v1/assign", map[string]any{"host": "a", "handle": "a", "ipv4": 2, "attributes": map[string]string{"tenant": "red"}}, nil)
	s.call(http.MethodPost, "/v1/assign", map[string]any{"host": "a", "handle": "b", "ipv4": 1}, nil)
	w := newWorkspace(t, s.url)
	w.config(`
data "plat_pool" "lan" {
  name = "lan"
}

data "plat_addresses" "red" {
  pool       = data.plat_pool.lan.name
  attributes = { tenant = "red" }
}

data "plat_utilization" "all" {}

data "plat_utilization" "none" {
  names = [for name in ["lan"] : name if name == "wan"]
}

output "none" {
  value = length(data.plat_utilization.none.pools)
}

output "gateway" {
  value = data.plat_pool.lan.gateway
}

output "handles" {
  value = join(" ", data.plat_addresses.red.addresses[*].handle)
}

output "in_use" {
  value = data.plat_utilization.all.pools[0].in_use
}

output "capacity" {
  value = data.plat_utilization.all.pools[1].capacity - 1208925819614629174706174
}
`)
	output := w.apply()
	for _, line := range []string{`gateway = "10.1.0.1"`, `handles = "a a"`, `in_use = 3`, `capacity = 2`, `none = 0`} {
		contains(t, output, line)
	}
	w.isSettled()

	w.config("data \"plat_pool\" \"none\" {\n  name = \"none\"\n}\n")
	failed, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("a pool that does not exist was read:\n%s", failed)
	}
	contains(t, failed, `There is no pool "none" in this space.`)
}

func TestTokenAndSpace(t *testing.T) {
	t.Parallel()
	s := start(t, "pack/start.ts", "--memory", "--port", "0", "--token-file", secret(t))
	w := newWorkspace(t, s.url)
	const configuration = "provider \"plat\" {\n  token = %q\n  space = \"blue\"\n}\ndata \"plat_utilization\" \"all\" {}\n"
	w.config(fmt.Sprintf(configuration, "wrong"))
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("a wrong token was accepted:\n%s", output)
	}
	contains(t, output, "unauthenticated")
	w.config(fmt.Sprintf(configuration, token))
	w.apply()
}

func TestSignedRequests(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--signed")
	w := newWorkspace(t, s.url)
	credentials := filepath.Join(w.folder, "credentials")
	write(t, credentials, "[plat]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"+
		"[other]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = other\n")
	w.env = append(w.env, "AWS_SHARED_CREDENTIALS_FILE="+credentials, "AWS_CONFIG_FILE=/dev/null", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ACCESS_KEY_ID=", "AWS_SECRET_ACCESS_KEY=")
	const configuration = `
provider "plat" {
  region  = "eu-central-1"
  profile = %q
}

resource "plat_reservation" "routers" {
  name  = "routers"
  cidrs = ["10.1.0.0/30"]
}

data "plat_addresses" "found" {
  handle     = "team/a b+c"
  attributes = { "a b" = "c&d/ü" }
}
`
	w.config(fmt.Sprintf(configuration, "other"))
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("a wrong signature was accepted:\n%s", output)
	}
	contains(t, output, "Check token, credentials and permissions")
	w.config(fmt.Sprintf(configuration, "plat"))
	w.apply()
	w.isSettled()
	w.run("destroy", "-auto-approve")
}
