import { listPools, putPool } from "../src/allocator/admin/administration.ts";
import { amendAddress } from "../src/allocator/admin/amend-address.ts";
import { assign } from "../src/allocator/assign/assign.ts";
import { batch } from "../src/allocator/batch/batch.ts";
import { deletePool } from "../src/allocator/jobs/pool-jobs.ts";
import { readPrefixes } from "../src/allocator/prefixes/read-prefixes.ts";
import { releaseByHandle } from "../src/allocator/prefixes/release-by-handle.ts";
import { freeNetworks } from "../src/allocator/read/free-networks.ts";
import { readAddress } from "../src/allocator/read/read-address.ts";
import { releaseAddresses } from "../src/allocator/release/release-addresses.ts";
import { listAddresses } from "../src/allocator/search/list-addresses.ts";
import { amendmentAnswer, readAmendment } from "../src/edge/addresses/amendment.ts";
import { addressAnswer } from "../src/edge/addresses/answer.ts";
import { addressListAnswer, readAddressList } from "../src/edge/addresses/list.ts";
import { assigning } from "../src/edge/assign/request.ts";
import { batchAnswer } from "../src/edge/batch/answer.ts";
import { readBatch } from "../src/edge/batch/request.ts";
import { route } from "../src/edge/http/http.ts";
import { readAddressPath } from "../src/edge/http/parameters.ts";
import { readNamedMatch } from "../src/edge/http/write.ts";
import { acceptedAnswer } from "../src/edge/jobs/answer.ts";
import { dialect } from "../src/edge/netbox/dialect.ts";
import { FREE, freeAnswer, readFree } from "../src/edge/netbox/free.ts";
import { poolList, poolPutAnswer } from "../src/edge/pools/answer.ts";
import { readPoolPut } from "../src/edge/pools/request.ts";
import {
  prefixAssignAnswer,
  prefixesReleasedAnswer,
  prefixListAnswer,
  readPrefixAssign,
  readPrefixList,
  readPrefixRelease,
} from "../src/edge/prefixes/by-handle.ts";
import { readAddressRelease, releaseAnswer } from "../src/edge/release/request.ts";
import { readSpaceList, spaceListAnswer } from "../src/edge/spaces/list.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves NetBox's dialect by routes of Plat, which are bound here as in the functions of their own. */
export const netboxOver = ({ connect }: Wiring) =>
  dialect(connect, {
    "GET /v1/spaces": route(
      readSpaceList,
      (plat, wanted) => plat.store.listSpacePage(wanted),
      spaceListAnswer,
    ),
    "GET /v1/pools": route(
      poolList.read,
      (plat, { space }) => listPools(plat, space),
      poolList.answer,
    ),
    "PUT /v1/pools/{name}": route(
      readPoolPut,
      (plat, { space, name, spec, ifMatch }) => putPool(plat, space, name, spec, ifMatch),
      poolPutAnswer,
    ),
    "DELETE /v1/pools/{name}": route(
      readNamedMatch,
      (plat, { space, name, ifMatch }) => deletePool(plat, space, name, ifMatch),
      acceptedAnswer,
    ),
    [FREE]: route(readFree, (plat, wanted) => freeNetworks(plat, wanted), freeAnswer),
    "GET /v1/prefixes": route(
      readPrefixList,
      (plat, wanted) => readPrefixes(plat, wanted),
      prefixListAnswer,
    ),
    "POST /v1/prefixes": route(
      readPrefixAssign,
      (plat, request) => assign(plat, request),
      prefixAssignAnswer,
    ),
    "POST /v1/prefixes/release": route(
      readPrefixRelease,
      (plat, release) => releaseByHandle(plat, release),
      prefixesReleasedAnswer,
    ),
    "GET /v1/addresses": route(
      readAddressList,
      (plat, search) => listAddresses(plat, search),
      addressListAnswer,
    ),
    "GET /v1/addresses/{ip}": route(
      readAddressPath,
      (plat, { space, address }) => readAddress(plat, space, address),
      addressAnswer,
    ),
    "PATCH /v1/addresses/{ip}": route(
      readAmendment,
      (plat, { space, amendment }) => amendAddress(plat, space, amendment),
      amendmentAnswer,
    ),
    "POST /v1/assign": assigning((plat, request) => assign(plat, request)),
    "POST /v1/batch": route(readBatch, (plat, { items }) => batch(plat, items), batchAnswer),
    "POST /v1/release": route(
      readAddressRelease,
      (plat, { space, entries }) => releaseAddresses(plat, space, entries),
      releaseAnswer,
    ),
  });

export const handler = deployed(netboxOver);
