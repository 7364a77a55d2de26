package acceptance

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// lan is a pool whose addresses do not cool.
var lan = map[string]any{"cidr": "10.1.0.0/16", "cooldownSeconds": 0, "gateway": "10.1.0.1", "kind": "subnet"}

const web = `
resource "plat_address" "web" {
  handle = "shop/web"
  host   = "terraform"
  %s
}
`

func TestAddressFromCreateToDestroy(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	s.pool("other", map[string]any{"cidr": "10.2.0.0/24"})
	w := newWorkspace(t, s.url)

	w.config(fmt.Sprintf(web, `ipv4 = 1
  pools = ["lan"]
  attributes = { owner = "shop" }`))
	w.apply()
	w.isSettled()
	first := s.addressesOf("shop/web")
	equal(t, "addresses", len(first), 1)
	equal(t, "address of the state", w.resource("plat_address.web")["address"].(string), first[0])

	w.config(fmt.Sprintf(web, `ipv4 = 3
  pools = ["lan", "other"]
  attributes = { owner = "shop", ticket = "7" }`))
	contains(t, w.plan(), "will be updated in-place")
	w.apply()
	w.isSettled()
	grown := s.addressesOf("shop/web")
	equal(t, "addresses", len(grown), 3)
	equal(t, "the first address stays", slices.Contains(grown, first[0]), true)
	var read struct {
		Owner struct{ Active map[string]string }
	}
	s.call(http.MethodGet, "/v1/addresses/"+grown[2], nil, &read)
	equal(t, "attribute", read.Owner.Active["ticket"], "7")

	w.config(fmt.Sprintf(web, `ipv4 = 1`))
	w.apply()
	w.isSettled()
	equal(t, "addresses", len(s.addressesOf("shop/web")), 1)

	w.config(strings.Replace(fmt.Sprintf(web, `ipv4 = 1`), "terraform", "vm-7", 1))
	contains(t, w.plan(), "must be replaced")
	w.apply()
	w.isSettled()
	equal(t, "host", w.resource("plat_address.web")["host"].(string), "vm-7")

	w.run("taint", "plat_address.web")
	contains(t, w.apply(), "1 added, 0 changed, 1 destroyed")
	w.isSettled()
	equal(t, "addresses", len(s.addressesOf("shop/web")), 1)

	s.call(http.MethodDelete, "/v1/handles/shop/web", nil, nil)
	contains(t, w.run("apply", "-refresh-only", "-auto-approve"), "plat_address.web has been deleted")
	contains(t, w.apply(), "1 added")

	w.run("destroy", "-auto-approve")
	equal(t, "addresses", len(s.addressesOf("shop/web")), 0)
	contains(t, w.apply(), "1 added")
	equal(t, "addresses", len(s.addressesOf("shop/web")), 1)
	w.run("destroy", "-auto-approve")
}

func TestSpecificAddressWaitsForItsCooldown(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", map[string]any{"cidr": "10.1.0.0/24", "cooldownSeconds": 3})
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(web, `address = "10.1.0.77"`))
	w.apply()
	w.isSettled()
	w.run("taint", "plat_address.web")
	w.apply()
	w.isSettled()
	equal(t, "address", w.resource("plat_address.web")["address"].(string), "10.1.0.77")

	w.config(fmt.Sprintf(web, `address = "10.1.0.78"`))
	contains(t, w.plan(), "must be replaced")
	w.apply()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), "10.1.0.78")
}

func TestTimeoutEndsTheWaitForACooldown(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", map[string]any{"cidr": "10.1.0.0/24", "cooldownSeconds": 1_200})
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(web, "address = \"10.1.0.77\"\n timeouts = {\n create = \"20s\"\n }"))
	w.apply()
	w.isSettled()
	w.config(fmt.Sprintf(web, "address = \"10.1.0.77\"\n timeouts = {\n create = \"10s\"\n }"))
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.run("taint", "plat_address.web")
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("an address was assigned that cools:\n%s", output)
	}
	contains(t, output, "(address_cooling")
	contains(t, output, "a longer timeout waits for that")
	s.do("advance 1300")
	w.apply()
	w.isSettled()
}

func TestLostStateIsAdopted(t *testing.T) {
	t.Parallel()
	for _, each := range []struct{ name, order string }{
		{"at once", "advance 0"},
		{"25 hours later, when every key is forgotten", "advance 90000"},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			s.pool("lan", lan)
			w := newWorkspace(t, s.url)
			w.config(fmt.Sprintf(web, `ipv4 = 2`))
			w.apply()
			before := s.addressesOf("shop/web")
			w.forget()
			s.do(each.order)
			contains(t, w.apply(), "The addresses were adopted")
			w.isSettled()
			equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), strings.Join(before, " "))
		})
	}
}

func TestTenantOfTheTokenIsNoDifference(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--tenant", "red")
	s.pool("lan", lan)
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20, "cooldownSeconds": 0})
	w := newWorkspace(t, s.url)
	both := func(more string) string {
		return fmt.Sprintf(web, "ipv4 = 1\n"+more) + "resource \"plat_prefix\" \"p\" {\n  handle = \"seven\"\n  family = 4\n  pools = [\"clusters\"]\n}\n"
	}
	w.config(both(""))
	w.apply()
	w.isSettled()
	before := strings.Join(s.addressesOf("shop/web"), " ")
	w.config(both(`attributes = { owner = "shop" }`))
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.isSettled()
	w.config(both(`attributes = { tenant = "red" }`))
	w.apply()
	w.isSettled()
	w.forget()
	w.config(both(""))
	contains(t, w.apply(), "The addresses were adopted")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), before)
	w.run("destroy", "-auto-approve")
	equal(t, "addresses", len(s.addressesOf("shop/web")), 0)
}

func TestOtherAddressesOfTheHandleAreAnErrorAndCanBeImported(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	s.pool("other", map[string]any{"cidr": "10.2.0.0/24"})
	s.call(http.MethodPost, "/v1/assign", map[string]any{"host": "terraform", "handle": "shop/web", "ipv4": 2, "attributes": map[string]string{"a": "b"}}, nil)
	w := newWorkspace(t, s.url)
	for _, each := range []struct{ fields, said string }{
		{`ipv4 = 1`, "it has 2 IPv4 and 0 IPv6 addresses in place of 1 and 0"},
		{"ipv4 = 2\n pools = [\"other\"]", `is of the pool "lan", which is none of ["other"]`},
		{`ipv4 = 2`, "has the attributes map[a:b] in place of map[]"},
		{`address = "10.1.0.9"`, "it has 2 IPv4 and 0 IPv6 addresses in place of 1 and 0"},
	} {
		w.config(fmt.Sprintf(web, each.fields))
		output, err := w.try("apply", "-auto-approve")
		if err == nil {
			t.Fatalf("%s was applied:\n%s", each.fields, output)
		}
		contains(t, output, each.said)
		contains(t, output, `import plat_address.NAME "shop/web"`)
	}
	equal(t, "addresses", len(s.addressesOf("shop/web")), 2)

	w.config(fmt.Sprintf(web, "ipv4 = 2\n pools = [\"l*\"]\n attributes = { a = \"b\" }"))
	w.run("import", "plat_address.web", "shop/web")
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.isSettled()
	equal(t, "addresses", len(s.addressesOf("shop/web")), 2)
}

func TestLostAnswersTakeNoSecondAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	t.Run("one answer", func(t *testing.T) {
		p := newProxy(t, s, nil, func(batch int64) fate {
			if batch == 1 {
				return lost
			}
			return answered
		})
		w := newWorkspace(t, p.url)
		w.config(fmt.Sprintf(web, `ipv4 = 1`))
		w.apply()
		equal(t, "batches", p.batches.Load(), 2)
		equal(t, "addresses", len(s.addressesOf("shop/web")), 1)
		w.run("destroy", "-auto-approve")
	})
	t.Run("all answers", func(t *testing.T) {
		w := newWorkspace(t, newProxy(t, s, nil, func(int64) fate { return lost }).url)
		w.config(fmt.Sprintf(web, `ipv4 = 1`))
		output, err := w.try("apply", "-auto-approve")
		if err == nil {
			t.Fatalf("the apply succeeded without an answer:\n%s", output)
		}
		contains(t, output, "The next apply adopts what was assigned.")
		before := s.addressesOf("shop/web")
		equal(t, "addresses", len(before), 1)
		healed := newWorkspace(t, s.url)
		healed.config(fmt.Sprintf(web, `ipv4 = 1`))
		contains(t, healed.apply(), "The addresses were adopted")
		equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), before[0])
	})
}

func TestTwoStatesOnOneHandleShareOneAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	for _, each := range []struct{ handle, fields string }{
		{"counted", `ipv4 = 1`},
		{"specific", `address = "10.1.7.7"`},
	} {
		t.Run(each.handle, func(t *testing.T) {
			// No batch reaches the server before both were sent, so neither provider sees the other's address.
			var both sync.WaitGroup
			both.Add(2)
			meet := func(batch int64) {
				if batch == 1 {
					both.Done()
					both.Wait()
				}
			}
			var done sync.WaitGroup
			workspaces := make([]*workspace, 2)
			outputs, errs := make([]string, 2), make([]error, 2)
			for i := range workspaces {
				workspaces[i] = newWorkspace(t, newProxy(t, s, meet, nil).url)
				workspaces[i].config(strings.Replace(fmt.Sprintf(web, each.fields), "shop/web", each.handle, 1))
				done.Go(func() { outputs[i], errs[i] = workspaces[i].try("apply", "-auto-approve") })
			}
			done.Wait()
			for i, err := range errs {
				if err != nil {
					t.Fatalf("%s: %s", err, outputs[i])
				}
				workspaces[i].isSettled()
			}
			held := s.addressesOf(each.handle)
			equal(t, "addresses", len(held), 1)
			for _, w := range workspaces {
				equal(t, "address", w.resource("plat_address.web")["address"].(string), held[0])
			}
		})
	}
}

const many = `
resource "plat_address" "many" {
  count  = %d
  handle = "vm-${count.index}"
  host   = "terraform"
  ipv4   = 1
}
`

func TestAddressesThatAreCreatedTogetherShareBatches(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	p := newProxy(t, s, nil, nil)
	w := newWorkspace(t, p.url)
	w.config(fmt.Sprintf(many, 500))
	w.apply()
	created := p.batches.Load()
	if created > 60 {
		t.Fatalf("500 addresses needed %d batches", created)
	}
	w.isSettled()
	w.run("destroy", "-auto-approve")
	destroyed := p.batches.Load() - created
	if destroyed > 60 {
		t.Fatalf("the end of 500 addresses needed %d batches", destroyed)
	}
	t.Logf("500 addresses: %d batches to create, %d to destroy", created, destroyed)
}

func TestAddressOfARenamedResourceIsNotThatWhichTheOldOneReleased(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	w := newWorkspace(t, s.url)
	for _, each := range []struct{ handle, fields string }{
		{"counted", `ipv4 = 2`},
		{"specific", `address = "10.1.7.7"`},
	} {
		config := strings.Replace(fmt.Sprintf(web, each.fields), "shop/web", each.handle, 1)
		w.config(config)
		w.apply()
		w.config(strings.Replace(config, `"web"`, `"site"`, 1))
		contains(t, w.apply(), "1 added, 0 changed, 1 destroyed")
		w.isSettled()
		held := s.addressesOf(each.handle)
		equal(t, "address", w.resource("plat_address.site")["address"].(string), held[0])
	}
}

func TestAddressOfARenamedResourceWhoseDestroyBeginsLate(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	w := newWorkspace(t, s.url)
	const dependent = "resource \"plat_address\" \"other\" {\n handle = \"${plat_address.web.handle}-2\"\n host = \"terraform\"\n ipv4 = 1\n}\n"
	w.config(fmt.Sprintf(web, `ipv4 = 1`) + dependent)
	w.apply()
	before := s.addressesOf("shop/web")
	w.config(strings.Replace(fmt.Sprintf(web, `ipv4 = 1`), `"web"`, `"site"`, 1))
	output := w.apply()
	contains(t, output, "The addresses were adopted")
	contains(t, output, "An address is not released")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), before[0])

	first := func(name, owner string) string {
		config := fmt.Sprintf(web, "ipv4 = 1\n attributes = { owner = \""+owner+"\" }\n lifecycle {\n create_before_destroy = true\n }")
		return strings.Replace(config, `"web"`, fmt.Sprintf("%q", name), 1) +
			"resource \"terraform_data\" \"dependent\" {\n input = plat_address." + name + ".attributes\n}\n"
	}
	w.config(first("site", "shop"))
	w.apply()
	w.config(first("third", "yard"))
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("other addresses were adopted:\n%s", output)
	}
	contains(t, output, "add a moved block")
	w.config(first("third", "yard") + "moved {\n from = plat_address.site\n to = plat_address.third\n}\n")
	contains(t, w.apply(), "0 added, 2 changed, 0 destroyed")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), before[0])
}

func TestTwoResourcesWithOneHandleGetNoSharedAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(web, "count = 2\n ipv4 = 1"))
	output, err := w.try("apply", "-auto-approve")
	if err == nil {
		t.Fatalf("two resources share an address:\n%s", output)
	}
	contains(t, output, `This run creates another address with the handle "shop/web"`)
	equal(t, "addresses", len(s.addressesOf("shop/web")), 1)
}

func TestImportOfWhatIsNoAddressOfACaller(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20})
	s.call(http.MethodPost, "/v1/prefixes", map[string]any{"handle": "two", "family": 4}, nil)
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(web, "ipv4 = 1") + "resource \"plat_pool\" \"lan\" {\n name = \"lan\"\n cidr = \"10.1.0.0/24\"\n}\n" + fmt.Sprintf(prefix, "family = 4"))
	for _, each := range []struct{ address, id, said string }{
		{"plat_address.web", "prefix/two", "A prefix is imported as plat_prefix"},
		{"plat_address.web", "", "it must be the handle"},
		{"plat_pool.lan", "", "it must be the name"},
		{"plat_prefix.cluster", "", "handle must be 1 to 253"},
	} {
		output, err := w.try("import", each.address, each.id)
		if err == nil {
			t.Fatalf("%q was imported:\n%s", each.id, output)
		}
		contains(t, output, each.said)
	}
}

func TestAddressThatSomethingElseGaveOrTook(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	s.pool("dmz", map[string]any{"cidr": "10.0.9.0/24"})
	w := newWorkspace(t, s.url)
	const specific = "address = \"10.1.7.7\"\n pools = [\"lan\"]"
	w.config(fmt.Sprintf(web, specific))
	w.apply()
	assign := func(host, address string) {
		s.call(http.MethodPost, "/v1/assign", map[string]any{"host": host, "handle": "shop/web", "address": address}, nil)
	}
	for _, other := range []string{"10.0.9.9", "10.1.7.1"} {
		assign("vm-9", other)
	}
	assign("terraform", "10.1.7.9")
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), "10.1.7.7")

	assign("terraform", "10.1.7.1")
	w.forget()
	w.run("import", "plat_address.web", "shop/web")
	contains(t, w.apply(), "0 added, 1 changed, 0 destroyed")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), "10.1.7.7")

	s.call(http.MethodDelete, "/v1/handles/shop/web", nil, nil)
	w.config(fmt.Sprintf(web, specific+"\n attributes = { a = \"b\" }"))
	output, err := w.try("apply", "-auto-approve", "-refresh=false")
	if err == nil {
		t.Fatalf("the plan was carried out without its address:\n%s", output)
	}
	contains(t, output, "lost the planned addresses after the plan")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), "10.1.7.7")
}

func TestChangeOfThreeAddressesKeepsThem(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(web, `ipv4 = 3`))
	w.apply()
	before := strings.Join(s.addressesOf("shop/web"), " ")
	w.config(fmt.Sprintf(web, "ipv4 = 3\n attributes = { a = \"b\" }"))
	w.apply()
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), before)
}

func TestServerThatIsKilledInTheMiddleOfAnApply(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	serve := func(port string) *server {
		return start(t, "pack/start.ts", "--data", data, "--port", port)
	}
	s := serve("0")
	s.pool("lan", lan)
	p := newProxy(t, s, nil, func(batch int64) fate {
		if batch == 5 {
			// The batch is carried out, and nobody is told.
			s.kill()
			return lost
		}
		return answered
	})
	w := newWorkspace(t, p.url)
	w.config(fmt.Sprintf(many, 100))
	if output, err := w.try("apply", "-auto-approve"); err == nil {
		t.Fatalf("the apply succeeded without a server:\n%s", output)
	}
	again := serve(s.url[strings.LastIndex(s.url, ":")+1:])
	contains(t, w.apply(), "The addresses were adopted")
	w.isSettled()
	var used struct {
		Pools []struct{ InUse int }
	}
	again.call(http.MethodGet, "/v1/utilization?pool=lan", nil, &used)
	equal(t, "addresses in use", used.Pools[0].InUse, 100)
}

func TestReplacementBeforeDestroyKeepsTheAdoptedAddress(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(web, "ipv4 = 1\n lifecycle {\n create_before_destroy = true\n }"))
	w.apply()
	before := s.addressesOf("shop/web")
	w.run("taint", "plat_address.web")
	contains(t, w.apply(), "An address is not released")
	w.isSettled()
	equal(t, "addresses", strings.Join(s.addressesOf("shop/web"), " "), before[0])
}

func TestOldObjectThatAnInterruptedRunLeftIsNotDestroyed(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	for _, each := range []struct {
		name, forgotten string
		leave           func(state map[string]any)
	}{
		{"deposed", "plat_address.web", func(state map[string]any) {
			of := state["resources"].([]any)[0].(map[string]any)
			instances := of["instances"].([]any)
			old := maps.Clone(instances[0].(map[string]any))
			old["deposed"] = "00000001"
			of["instances"] = append(instances, old)
		}},
		{"renamed", "plat_address.old", func(state map[string]any) {
			resources := state["resources"].([]any)
			old := maps.Clone(resources[0].(map[string]any))
			old["name"] = "old"
			state["resources"] = append(resources, old)
		}},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, s.url)
			w.config(strings.Replace(fmt.Sprintf(web, `ipv4 = 1`), "shop/web", each.name, 1))
			w.apply()
			before := s.addressesOf(each.name)
			w.edit(each.leave)
			output, err := w.try("apply", "-auto-approve")
			if err == nil {
				t.Fatalf("the old object was destroyed:\n%s", output)
			}
			contains(t, output, "The state has the same addresses twice")
			equal(t, "addresses", strings.Join(s.addressesOf(each.name), " "), before[0])
			w.run("state", "rm", each.forgotten)
			w.apply()
			w.isSettled()
			equal(t, "addresses", strings.Join(s.addressesOf(each.name), " "), before[0])
		})
	}
}

func TestValuesThatArePlannedUnknown(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	s.pool("lan-2", map[string]any{"cidr": "10.2.0.0/24"})
	const unknown = `
resource "terraform_data" "pool" {
  input = %q
}

resource "terraform_data" "count" {
  input = %d
}

resource "plat_address" "web" {
  handle     = "shop/web"
  host       = "terraform"
  ipv4       = terraform_data.count.output
  pools      = ["lan", terraform_data.pool.output]
  attributes = { pool = terraform_data.pool.output }
}
`
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(unknown, "lan-2", 1))
	w.apply()
	w.isSettled()
	before := s.addressesOf("shop/web")
	w.config(fmt.Sprintf(unknown, "lan-*", 2))
	w.apply()
	w.isSettled()
	held := s.addressesOf("shop/web")
	equal(t, "addresses", len(held), 2)
	equal(t, "the first address stays", slices.Contains(held, before[0]), true)
}

func TestPoolThatProvesToBeAnotherOneReplacesItsAddresses(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	s.pool("lan-2", map[string]any{"cidr": "10.2.0.0/24"})
	s.pool("clusters", map[string]any{"cidr": "10.64.0.0/16", "assign": "prefixes", "blockSize": 20})
	s.pool("clusters-2", map[string]any{"cidr": "10.65.0.0/16", "assign": "prefixes", "blockSize": 20})
	const unknown = `
resource "terraform_data" "pools" {
  input = [%q, %q]
}

resource "plat_address" "web" {
  handle = "shop/web"
  host   = "terraform"
  ipv4   = 1
  pools  = [terraform_data.pools.output[0]]
}

resource "plat_prefix" "cluster" {
  handle = "cluster-7"
  family = 4
  pools  = [terraform_data.pools.output[1]]
}
`
	w := newWorkspace(t, s.url)
	w.config(fmt.Sprintf(unknown, "lan", "clusters"))
	w.apply()
	w.isSettled()
	w.config(fmt.Sprintf(unknown, "lan-2", "clusters-2"))
	contains(t, w.apply(), "2 added, 1 changed, 2 destroyed")
	w.isSettled()
	equal(t, "pool of the prefix", w.resource("plat_prefix.cluster")["pool"].(string), "clusters-2")
	equal(t, "the address is of the other pool", strings.HasPrefix(s.addressesOf("shop/web")[0], "10.2.0."), true)
}

func TestInvalidAddressesAreErrorsOnTheirAttribute(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	s.pool("lan", lan)
	w := newWorkspace(t, s.url)
	for _, each := range []struct{ fields, said, line string }{
		{"", "Set ipv4, ipv6 or both to at least 1", `resource "plat_address" "web" {`},
		{`address = "10.1.0"`, `address is "10.1.0"; it must be an IPv4 or IPv6 address`, `address = "10.1.0"`},
		{"address = \"10.1.0.7\"\n ipv4 = 1", "Remove ipv4, or address", `ipv4 = 1`},
		{`ipv4 = 257`, "must be between 0 and 256", `ipv4 = 257`},
		{"ipv4 = 1\n pools = [\"nope\"]", `There is no pool "nope"`, ""},
		{"ipv4 = 1\n pools = [\"lan\", null]", "contains a null value", `pools = ["lan", null]`},
		{"ipv4 = 1\n attributes = { a = null }", "contains a null value", `attributes = { a = null }`},
		{"ipv4 = 1\n attributes = { constructor = \"x\" }", "attributes", `attributes = { constructor = "x" }`},
	} {
		w.config(fmt.Sprintf(web, each.fields))
		output, err := w.try("apply", "-auto-approve")
		if err == nil {
			t.Fatalf("%q was applied:\n%s", each.fields, output)
		}
		contains(t, output, each.said)
		contains(t, output, each.line)
	}
	equal(t, "addresses", len(s.addressesOf("shop/web")), 0)
}
