import { route } from "../src/api/http/http.ts";
import { readAddressPath, readNamed } from "../src/api/http/parameters.ts";
import { readNamedMatch } from "../src/api/http/write.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import { batch } from "../src/kernel/batch/batch.ts";
import { releaseAddresses } from "../src/kernel/release/release-addresses.ts";
import { COUNT, countAnswer, readCount } from "../src/netbox/addresses.ts";
import { AMEND_PREFIX, readPrefixAmendment } from "../src/netbox/change-prefixes.ts";
import { dialect } from "../src/netbox/dialect.ts";
import { FREE, freeAnswer, readFree } from "../src/netbox/free.ts";
import { amendAddress } from "../src/nouns/address/operations/amend-address.ts";
import { countAddresses } from "../src/nouns/address/operations/count-addresses.ts";
import { listAddresses } from "../src/nouns/address/operations/list-addresses.ts";
import { readAddress } from "../src/nouns/address/operations/read-address.ts";
import { amendmentAnswer, readAmendment } from "../src/nouns/address/serve/amendment.ts";
import { addressAnswer } from "../src/nouns/address/serve/answer.ts";
import { assigning } from "../src/nouns/address/serve/assign.ts";
import { readBatch } from "../src/nouns/address/serve/batch.ts";
import { batchAnswer } from "../src/nouns/address/serve/batch-answer.ts";
import { addressListAnswer, readAddressList } from "../src/nouns/address/serve/list.ts";
import { readAddressRelease, releaseAnswer } from "../src/nouns/address/serve/release.ts";
import { acceptedAnswer } from "../src/nouns/job/serve/answer.ts";
import { listPools, putPool, readPool } from "../src/nouns/pool/operations/administration.ts";
import { freeNetworks } from "../src/nouns/pool/operations/free-networks.ts";
import { deletePool } from "../src/nouns/pool/operations/pool-jobs.ts";
import { poolAnswer, poolListAnswer, poolPutAnswer } from "../src/nouns/pool/serve/answer.ts";
import { readPoolPut } from "../src/nouns/pool/serve/request.ts";
import { amendPrefix } from "../src/nouns/prefix/operations/amend-prefix.ts";
import { readPrefixes } from "../src/nouns/prefix/operations/read-prefixes.ts";
import { releaseByHandle } from "../src/nouns/prefix/operations/release-by-handle.ts";
import {
  prefixAssignAnswer,
  prefixesReleasedAnswer,
  prefixListAnswer,
  readPrefixAssign,
  readPrefixList,
  readPrefixRelease,
} from "../src/nouns/prefix/serve/by-handle.ts";
import { readSpaceList, spaceListAnswer } from "../src/nouns/space/serve/list.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
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
      poolListAnswer.read,
      (plat, { space }) => listPools(plat, space),
      poolListAnswer.answer,
    ),
    "GET /v1/pools/{name}": route(
      readNamed,
      (plat, { space, name }) => readPool(plat, space, name),
      poolAnswer,
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
    [COUNT]: route(readCount, (plat, wanted) => countAddresses(plat, wanted), countAnswer),
    [FREE]: route(readFree, (plat, wanted) => freeNetworks(plat, wanted), freeAnswer),
    "GET /v1/prefixes": route(
      readPrefixList,
      (plat, wanted) => readPrefixes(plat, wanted),
      prefixListAnswer,
    ),
    [AMEND_PREFIX]: route(
      readPrefixAmendment,
      (plat, amendment) => amendPrefix(plat, amendment),
      amendmentAnswer,
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

export const handler = deployed(netboxOver, markerOfEnvironment());
