"""pynetbox against NetBox's dialect of Plat: python netbox.py URL"""

import sys
from concurrent.futures import ThreadPoolExecutor

import pynetbox

AT_ONCE = 64
MANY = 640

url = sys.argv[1]
nb = pynetbox.api(url, token="no-token-is-needed-here")
assert nb.version == "4.4", nb.version
assert nb.status()["netbox-version"].startswith("4.4."), nb.status()
addresses, prefixes = nb.ipam.ip_addresses, nb.ipam.prefixes

lan = prefixes.create(prefix="10.7.0.0/21", description="lan", tags=[{"name": "racks"}])
assert (lan.prefix, lan.description, lan.vrf) == ("10.7.0.0/21", "lan", None)
assert prefixes.get(prefix="10.7.0.0/21").id == prefixes.get(lan.id).id == lan.id
lan.description = "the lan"
assert lan.save() and prefixes.get(lan.id).description == "the lan"

# A specific address, twice, and with another mask.
specific = addresses.create(address="10.7.0.7/21")
for taken in ["10.7.0.7/21", "10.7.0.8/24"]:
    try:
        addresses.create(address=taken)
        raise AssertionError(f"{taken} was assigned")
    except pynetbox.RequestError as error:
        assert error.req.status_code == 400, error

# One address, with what a client says of it.
said = {"text": "5", "number": 5, "flag": False, "list": ["a", "b"]}
web = lan.available_ips.create(
    {
        "description": "web, first",
        "dns_name": "web-0.example.org",
        "status": "dhcp",
        "role": "vip",
        "tags": [{"name": "web"}, nb.extras.tags.get(slug="eu").id],
        "tenant": {"name": "shop"},
        "custom_fields": said,
    }
)
assert web.address.startswith("10.7.") and web.address.endswith("/21")
assert addresses.get(address=web.address).id == web.id
for one in [addresses.get(web.id), addresses.get(description="web, first")]:
    assert one.custom_fields == said, one.custom_fields
    assert [tag.slug for tag in one.tags] == ["web", "eu"] and one.tenant.name == "shop"
    assert (one.status.value, one.role.label) == ("dhcp", "VIP")
assert addresses.get(tenant="shop", tag=["web", "eu"]).id == web.id
web.description = "the web"
assert web.save() and web.update({"custom_fields": {"number": 6}, "tenant": None})
changed = addresses.get(description="the web")
assert changed.dns_name == "web-0.example.org" and changed.tenant is None
assert changed.custom_fields == {**said, "number": 6}

# The choices of a list, its filters, and what Plat knows nothing of.
choices = addresses.choices()
assert {"value": "dhcp", "display_name": "DHCP"} in choices["status"], choices
assert "role" in choices and "status" in prefixes.choices()
strict = pynetbox.api(url, strict_filters=True)
assert strict.ipam.ip_addresses.get(description__ic="THE WEB", cf_number="6").id == web.id
try:
    strict.ipam.ip_addresses.count()
    list(strict.ipam.ip_addresses.filter(colour="red"))
    raise AssertionError("an unknown filter was taken")
except pynetbox.ParameterValidationError:
    pass
for empty in [nb.ipam.roles, nb.ipam.rirs, nb.ipam.vlans, nb.dcim.sites, nb.extras.custom_fields]:
    assert empty.get(name="x") is None and list(empty.all()) == []
for created in [(nb.extras.tags, "web"), (nb.tenancy.tenants, "shop"), (nb.ipam.vrfs, "blue")]:
    try:
        created[0].create(name=created[1], slug=created[1])
        raise AssertionError(f"{created[1]} was created for nothing")
    except pynetbox.RequestError as error:
        assert error.req.status_code == 400, error

# What is free, and several in one request.
assert lan.available_ips.list()[0].address in ("10.7.0.1/21", "10.7.0.2/21")
assert len(lan.available_ips.create([{} for _ in range(2)])) == 2
assert web.delete() and specific.delete()


def create(n):
    """Each caller has a session of its own, as programs have."""
    own = pynetbox.api(url).ipam.prefixes.get(lan.id)
    tags = [{"name": "parallel"}]
    return own.available_ips.create({"tags": tags, "description": f"p,{n % 2}"}).address


with ThreadPoolExecutor(AT_ONCE) as pool:
    assigned = list(pool.map(create, range(MANY)))
assert len(set(assigned)) == MANY, "an address was assigned twice"

# Pages, through all of which pynetbox goes, and counts that do not depend on them.
assert len({each.id for each in addresses.all()}) == len(addresses.all()) == MANY + 2
assert len({each.id for each in addresses.filter(parent="10.7.0.0/21", limit=100)}) == MANY + 2
assert addresses.count(tag="parallel") == MANY and addresses.count(description="p,1") == MANY / 2
assert addresses.count(description=["p,0", "p,1"]) == MANY and addresses.count("10.7.") == MANY + 2
some = list(addresses.filter(tag="parallel", ordering="-address", limit=50, offset=0))
assert len(some) == 50 and addresses.count(id=[each.id for each in some]) == 50

# Changes and deletes of many at once.
addresses.filter(id=[each.id for each in some]).update(description="some")
assert addresses.count(description="some") == 50
assert addresses.delete(some) and addresses.count(description="some") == 0
assert addresses.filter(tag="parallel").delete() and addresses.count(tag="parallel") == 0

# A container has prefixes, a repeat under a handle has the same, and an assigned prefix has addresses.
container = prefixes.create(prefix="10.64.0.0/16", status="container")
wanted = {"prefix_length": 24, "description": "a", "custom_fields": {"handle": "cluster-a"}}
cluster = container.available_prefixes.create(wanted)
assert cluster.prefix.startswith("10.64.") and prefixes.get(cluster.id) == cluster
assert container.available_prefixes.create(wanted) == cluster
cluster.description = "b"
assert cluster.save() and prefixes.get(cluster.id).description == "b"
child = prefixes.create(prefix="10.64.200.0/24")
assert child.available_ips.list()[0].address == "10.64.200.1/24"
inside = child.available_ips.create()
assert inside.address.startswith("10.64.200.") and addresses.get(parent=child.prefix).id == inside.id
within = prefixes.filter(within="10.64.0.0/16", ordering="prefix")
assert sorted(each.id for each in within) == sorted([cluster.id, child.id])
assert inside.delete() and cluster.delete()
assert prefixes.get(cluster.id) is None

assert len(addresses.all()) == 2 and addresses.filter(parent="10.7.0.0/21").delete()
assert len(addresses.all()) == 0 and addresses.get(specific.id) is None
print(f"{MANY} different addresses from {AT_ONCE} threads")
