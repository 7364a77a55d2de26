"""pynetbox against NetBox's dialect of Plat: python netbox.py URL"""

import sys
from concurrent.futures import ThreadPoolExecutor

import pynetbox

AT_ONCE = 64

url = sys.argv[1]
nb = pynetbox.api(url, token="no-token-is-needed-here")
assert nb.version == "4.4", nb.version
assert nb.status()["netbox-version"].startswith("4.4."), nb.status()

prefix = nb.ipam.prefixes.get(prefix="10.7.0.0/24")
assert prefix.prefix == "10.7.0.0/24" and prefix.vrf is None
assert nb.ipam.prefixes.get(prefix.id).id == prefix.id

# A specific address, twice.
specific = nb.ipam.ip_addresses.create(address="10.7.0.7/24")
try:
    nb.ipam.ip_addresses.create(address="10.7.0.7/24")
    raise AssertionError("10.7.0.7 was assigned twice")
except pynetbox.RequestError as error:
    assert error.req.status_code == 400, error

# One address, with what a client says of it.
web = prefix.available_ips.create(
    {
        "description": "web",
        "dns_name": "web-0.example.org",
        "tags": [{"name": "web"}],
        "custom_fields": {"team": "shop"},
    }
)
assert web.address.startswith("10.7.0.") and web.address.endswith("/24")
assert nb.ipam.ip_addresses.get(address=web.address).id == web.id
assert nb.ipam.ip_addresses.get(web.id).custom_fields == {"team": "shop"}
web.description = "the web"
assert web.save()
assert nb.ipam.ip_addresses.get(description="the web").dns_name == "web-0.example.org"

assert prefix.available_ips.list()[0].address in ("10.7.0.1/24", "10.7.0.2/24")

# Several in one request.
assert len(prefix.available_ips.create([{} for _ in range(2)])) == 2


def create(_):
    """Each caller has a session of its own, as programs have."""
    own = pynetbox.api(url).ipam.prefixes.get(prefix.id)
    return own.available_ips.create({"tags": [{"name": "parallel"}]}).address


with ThreadPoolExecutor(AT_ONCE) as pool:
    addresses = list(pool.map(create, range(AT_ONCE)))
assert len(set(addresses)) == AT_ONCE, "an address was assigned twice"

# Pages, through all of which pynetbox goes.
listed = list(nb.ipam.ip_addresses.filter(parent="10.7.0.0/24", limit=10))
assert len({each.id for each in listed}) == AT_ONCE + 4, len(listed)
assert nb.ipam.ip_addresses.count(tag="parallel") == AT_ONCE

# A container has prefixes.
container = nb.ipam.prefixes.create(prefix="10.64.0.0/16", status="container")
cluster = container.available_prefixes.create({"prefix_length": 24, "description": "a"})
assert cluster.prefix.startswith("10.64.") and nb.ipam.prefixes.get(cluster.id) == cluster
assert [each.id for each in nb.ipam.prefixes.filter(within="10.64.0.0/16")] == [cluster.id]
assert cluster.delete() and container.delete()

for each in listed:
    assert each.delete()
assert nb.ipam.ip_addresses.get(specific.id) is None
assert len(nb.ipam.ip_addresses.all()) == 0
print(f"{AT_ONCE} different addresses at once")
