import { route } from "../src/api/http/http.ts";
import { parseAddressPath, parseJobPath, parseNamed } from "../src/api/http/parameters.ts";
import { parseNamedMatch } from "../src/api/http/write.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import { batch } from "../src/kernel/batch/batch.ts";
import { releaseAddresses } from "../src/kernel/release/release-addresses.ts";
import { COUNT, countAnswer, parseCount } from "../src/netbox/addresses.ts";
import { AMEND_PREFIX, parsePrefixAmendment } from "../src/netbox/change-prefixes.ts";
import { dialect } from "../src/netbox/dialect.ts";
import {
  FREE,
  FREE_IN_PREFIX,
  freeAnswer,
  parseFree,
  parseFreeInPrefix,
} from "../src/netbox/free.ts";
import { amendAddress } from "../src/nouns/address/operations/amend-address.ts";
import { countAddresses } from "../src/nouns/address/operations/count-addresses.ts";
import { listAddresses } from "../src/nouns/address/operations/list-addresses.ts";
import { readAddress } from "../src/nouns/address/operations/read-address.ts";
import { amendmentAnswer, parseAmendment } from "../src/nouns/address/serve/amendment.ts";
import { addressAnswer } from "../src/nouns/address/serve/answer.ts";
import { assigning } from "../src/nouns/address/serve/assign.ts";
import { parseBatch } from "../src/nouns/address/serve/batch.ts";
import { wholeBatchAnswer } from "../src/nouns/address/serve/batch-answer.ts";
import { addressListAnswer, parseAddressList } from "../src/nouns/address/serve/list.ts";
import { parseAddressRelease, releaseAnswer } from "../src/nouns/address/serve/release.ts";
import { acceptedAnswer, jobAnswer } from "../src/nouns/job/serve/answer.ts";
import { listPools, putPool, readPool } from "../src/nouns/pool/operations/administration.ts";
import { freeInPrefix, freeNetworks } from "../src/nouns/pool/operations/free-networks.ts";
import { deletePool, readJob } from "../src/nouns/pool/operations/pool-jobs.ts";
import { poolAnswer, poolListAnswer, poolPutAnswer } from "../src/nouns/pool/serve/answer.ts";
import { parsePoolPut } from "../src/nouns/pool/serve/request.ts";
import { amendPrefix } from "../src/nouns/prefix/operations/amend-prefix.ts";
import { readPrefixes } from "../src/nouns/prefix/operations/read-prefixes.ts";
import { releaseByHandle } from "../src/nouns/prefix/operations/release-by-handle.ts";
import {
  parsePrefixAssign,
  parsePrefixList,
  parsePrefixRelease,
  prefixAssignAnswer,
  prefixesReleasedAnswer,
  prefixListAnswer,
} from "../src/nouns/prefix/serve/by-handle.ts";
import { parseSpaceList, spaceListAnswer } from "../src/nouns/space/serve/list.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves NetBox's dialect by routes of Plat, which are bound here as in the functions of their own. */
export const netboxOver = ({ connect }: Wiring) =>
  dialect(connect, {
    "GET /v1/spaces": route(
      parseSpaceList,
      (plat, wanted) => plat.store.listSpacePage(wanted),
      spaceListAnswer,
    ),
    "GET /v1/pools": route(
      poolListAnswer.read,
      (plat, { space }) => listPools(plat, space),
      poolListAnswer.answer,
    ),
    "GET /v1/pools/{name}": route(
      parseNamed,
      (plat, { space, name }) => readPool(plat, space, name),
      poolAnswer,
    ),
    "PUT /v1/pools/{name}": route(
      parsePoolPut,
      (plat, { space, name, spec, ifMatch }) => putPool(plat, space, name, spec, ifMatch),
      poolPutAnswer,
    ),
    "DELETE /v1/pools/{name}": route(
      parseNamedMatch,
      (plat, { space, name, ifMatch }) => deletePool(plat, space, name, ifMatch),
      acceptedAnswer,
    ),
    "GET /v1/jobs/{id}": route(
      parseJobPath,
      (plat, { space, id }) => readJob(plat, space, id),
      jobAnswer,
    ),
    [COUNT]: route(parseCount, (plat, wanted) => countAddresses(plat, wanted), countAnswer),
    [FREE]: route(parseFree, (plat, wanted) => freeNetworks(plat, wanted), freeAnswer),
    [FREE_IN_PREFIX]: route(
      parseFreeInPrefix,
      (plat, wanted) => freeInPrefix(plat, wanted),
      freeAnswer,
    ),
    "GET /v1/prefixes": route(
      parsePrefixList,
      (plat, wanted) => readPrefixes(plat, wanted),
      prefixListAnswer,
    ),
    [AMEND_PREFIX]: route(
      parsePrefixAmendment,
      (plat, amendment) => amendPrefix(plat, amendment),
      amendmentAnswer,
    ),
    "POST /v1/prefixes": route(
      parsePrefixAssign,
      (plat, request) => assign(plat, request),
      prefixAssignAnswer,
    ),
    "POST /v1/prefixes/release": route(
      parsePrefixRelease,
      (plat, release) => releaseByHandle(plat, release),
      prefixesReleasedAnswer,
    ),
    "GET /v1/addresses": route(
      parseAddressList,
      (plat, search) => listAddresses(plat, search),
      addressListAnswer,
    ),
    "GET /v1/addresses/{ip}": route(
      parseAddressPath,
      (plat, { space, address }) => readAddress(plat, space, address),
      addressAnswer,
    ),
    "PATCH /v1/addresses/{ip}": route(
      parseAmendment,
      (plat, { space, amendment }) => amendAddress(plat, space, amendment),
      amendmentAnswer,
    ),
    "POST /v1/assign": assigning((plat, request) => assign(plat, request)),
    "POST /v1/batch": route(parseBatch, (plat, { items }) => batch(plat, items), wholeBatchAnswer),
    "POST /v1/release": route(
      parseAddressRelease,
      (plat, { space, entries }) => releaseAddresses(plat, space, entries),
      releaseAnswer,
    ),
  });

export const handler = deployed(netboxOver, markerOfEnvironment());
