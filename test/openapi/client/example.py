"""Completes the README's example with a client generated from the OpenAPI document: create a pool, assign, read, release."""

import sys

from generated.plat_client import Client
from generated.plat_client.api.addresses import assign, read_address, read_handle, release
from generated.plat_client.api.pools import put_pool
from generated.plat_client.models import (
    AddressesReleased,
    AddressState,
    AddressToRelease,
    AssignRequest,
    AssignRequestAttributes,
    Assignment,
    PoolRequest,
    Problem,
    ProblemCode,
    ReleaseRequest,
    ReleaseResultStatus,
)


def complete_example(base_url: str) -> str:
    plat = Client(base_url=base_url)
    pool = PoolRequest(cidr="10.0.0.0/16")
    statuses = [
        int(put_pool.sync_detailed("default-ipv4", client=plat, body=pool).status_code)
        for _ in range(2)
    ]
    assert statuses == [201, 200], f"the pool was answered with {statuses}"

    assigned = assign.sync(
        client=plat,
        idempotency_key="web-0",
        body=AssignRequest(
            host="node-1",
            ipv4=1,
            handle="web-0",
            attributes=AssignRequestAttributes.from_dict({"pod": "web-0"}),
        ),
    )
    assert isinstance(assigned, Assignment), f"nothing was assigned: {assigned}"
    held = assigned.addresses[0]

    read = read_address.sync(held.address, client=plat)
    assert read.state == AddressState.ASSIGNED and read.handle == "web-0", f"it reads as {read}"

    named = AddressToRelease(address=held.address, generation=held.generation)
    released = release.sync(client=plat, body=ReleaseRequest(addresses=[named]))
    assert isinstance(released, AddressesReleased), f"nothing was released: {released}"
    assert released.results[0].status == ReleaseResultStatus.RELEASED, f"it came to {released}"

    after = read_handle.sync("web-0", client=plat)
    assert isinstance(after, Problem) and after.code == ProblemCode.NOT_FOUND, f"there is {after}"
    return held.address


print(complete_example(sys.argv[1]))
