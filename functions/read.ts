import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import {
  parseAddressPath,
  parseJobPath,
  parseNamed,
  parseSpace,
} from "../src/api/http/parameters.ts";
import { Problem } from "../src/api/schema/problem.ts";
import { CorruptItemError } from "../src/base/outcome.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { listAddresses } from "../src/nouns/address/operations/list-addresses.ts";
import { listHandles } from "../src/nouns/address/operations/list-handles.ts";
import { listHosts } from "../src/nouns/address/operations/list-hosts.ts";
import { readAddress } from "../src/nouns/address/operations/read-address.ts";
import { readHandle } from "../src/nouns/address/operations/read-handle.ts";
import { addressAnswer, handleAnswer } from "../src/nouns/address/serve/answer.ts";
import { parseHandlePage } from "../src/nouns/address/serve/handle.ts";
import {
  handleListAnswer,
  hostListAnswer,
  parseHandleList,
  parseHostList,
} from "../src/nouns/address/serve/holders.ts";
import { addressListAnswer, parseAddressList } from "../src/nouns/address/serve/list.ts";
import { listAffinities } from "../src/nouns/affinity/operations/list-affinities.ts";
import { listSpaceAffinities } from "../src/nouns/affinity/operations/list-space-affinities.ts";
import { affinitiesAnswer } from "../src/nouns/affinity/serve/answer.ts";
import { parseAffinityList } from "../src/nouns/affinity/serve/request.ts";
import {
  parseSpaceAffinities,
  spaceAffinitiesAnswer,
} from "../src/nouns/affinity/serve/space-affinities.ts";
import {
  listApplications,
  readApplication,
} from "../src/nouns/application/operations/read-applications.ts";
import { applicationAnswer, applicationListAnswer } from "../src/nouns/application/serve/answer.ts";
import {
  parseApplicationList,
  parseApplicationPath,
} from "../src/nouns/application/serve/request.ts";
import { listBlocks } from "../src/nouns/block/operations/list-blocks.ts";
import { readBlock } from "../src/nouns/block/operations/read-block.ts";
import { blockAnswer, blocksAnswer } from "../src/nouns/block/serve/answer.ts";
import { parseBlockList, parseBlockPath } from "../src/nouns/block/serve/request.ts";
import {
  addressHistoryAnswer,
  eventsAnswer,
  handleHistoryAnswer,
} from "../src/nouns/event/serve/answer.ts";
import {
  parseAddressHistoryPage,
  parseHandleHistoryPage,
  parsePoll,
} from "../src/nouns/event/serve/request.ts";
import { jobAnswer, jobList } from "../src/nouns/job/serve/answer.ts";
import { readNode } from "../src/nouns/node/operations/read-node.ts";
import {
  listPools,
  listReservations,
  readPool,
  readReservation,
  readSettings,
} from "../src/nouns/pool/operations/administration.ts";
import { listJobs, readJob } from "../src/nouns/pool/operations/pool-jobs.ts";
import { poolAnswer, poolListAnswer } from "../src/nouns/pool/serve/answer.ts";
import { listPrefixes } from "../src/nouns/prefix/operations/list-prefixes.ts";
import { readPrefixes } from "../src/nouns/prefix/operations/read-prefixes.ts";
import { podCidrListAnswer } from "../src/nouns/prefix/serve/answer.ts";
import { parsePrefixList, prefixListAnswer } from "../src/nouns/prefix/serve/by-handle.ts";
import { parsePodCidrList } from "../src/nouns/prefix/serve/request.ts";
import { quotaUsage } from "../src/nouns/quota/operations/quota-usage.ts";
import { listQuotas, readQuota } from "../src/nouns/quota/operations/quotas.ts";
import { quotaAnswer, quotaList, quotaUsageAnswer } from "../src/nouns/quota/serve/quota.ts";
import { listNamespaces, readNamespace } from "../src/nouns/registry/operations/namespaces.ts";
import { listNodes } from "../src/nouns/registry/operations/nodes.ts";
import {
  namespaceAnswer,
  namespaceList,
  nodeAnswer,
  nodeList,
} from "../src/nouns/registry/serve/answer.ts";
import { reservationAnswer, reservationList } from "../src/nouns/reservation/serve/reservation.ts";
import { settingsAnswer } from "../src/nouns/settings/serve/settings.ts";
import { parseSpaceList, spaceListAnswer } from "../src/nouns/space/serve/list.ts";
import { poolHistory } from "../src/nouns/utilization/operations/pool-history.ts";
import { poolMap } from "../src/nouns/utilization/operations/pool-map.ts";
import { utilization } from "../src/nouns/utilization/operations/utilization.ts";
import { utilizationAnswer } from "../src/nouns/utilization/serve/answer.ts";
import { poolHistoryAnswer } from "../src/nouns/utilization/serve/history.ts";
import { parsePoolMap, poolMapAnswer } from "../src/nouns/utilization/serve/map.ts";
import { parseUtilizationPath } from "../src/nouns/utilization/serve/utilization.ts";
import { readEvents } from "../src/publish/read-events.ts";
import { readAddressHistory, readHandleHistory } from "../src/publish/read-history.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

const nothing = () => undefined;

/** Serves reads of a few single partitions. */
export const readOver = ({ connect, history }: Wiring) =>
  authorized<"read">(connect, {
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
    "GET /v1/handles": route(
      parseHandleList,
      (plat, wanted) => listHandles(plat, wanted),
      handleListAnswer,
    ),
    "GET /v1/hosts": route(
      parseHostList,
      (plat, wanted) => listHosts(plat, wanted),
      hostListAnswer,
    ),
    "GET /v1/handles/{handle+}": route(
      parseHandlePage,
      (plat, wanted) => readHandle(plat, wanted),
      handleAnswer,
    ),
    "GET /v1/blocks": route(
      parseBlockList,
      (plat, wanted) => listBlocks(plat, wanted),
      blocksAnswer,
    ),
    "GET /v1/blocks/{cidr+}": route(
      parseBlockPath,
      (plat, wanted) => readBlock(plat, wanted),
      blockAnswer,
    ),
    "GET /v1/affinities": route(
      parseSpaceAffinities,
      (plat, wanted) => listSpaceAffinities(plat, wanted),
      spaceAffinitiesAnswer,
    ),
    "GET /v1/nodes/{node}/affinities": route(
      parseAffinityList,
      (plat, wanted) => listAffinities(plat, wanted),
      affinitiesAnswer,
    ),
    "GET /v1/nodes/{node}/pod-cidrs": route(
      parsePodCidrList,
      (plat, wanted) => listPrefixes(plat, wanted),
      podCidrListAnswer,
    ),
    "GET /v1/prefixes": route(
      parsePrefixList,
      (plat, wanted) => readPrefixes(plat, wanted),
      prefixListAnswer,
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
    "GET /v1/pools/{name}/utilization": route(
      parseUtilizationPath,
      (plat, wanted) => utilization(plat, wanted),
      utilizationAnswer,
    ),
    "GET /v1/jobs": route(jobList.read, (plat, { space }) => listJobs(plat, space), jobList.answer),
    "GET /v1/jobs/{id}": route(
      parseJobPath,
      (plat, { space, id }) => readJob(plat, space, id),
      jobAnswer,
    ),
    "GET /v1/reservations": route(
      reservationList.read,
      (plat, { space }) => listReservations(plat, space),
      reservationList.answer,
    ),
    "GET /v1/reservations/{name}": route(
      parseNamed,
      (plat, { space, name }) => readReservation(plat, space, name),
      reservationAnswer,
    ),
    "GET /v1/quotas": route(
      quotaList.read,
      (plat, { space }) => listQuotas(plat, space),
      quotaList.answer,
    ),
    "GET /v1/quotas/{name}": route(
      parseNamed,
      (plat, { space, name }) => readQuota(plat, space, name),
      quotaAnswer,
    ),
    "GET /v1/quotas/{name}/usage": route(
      parseNamed,
      (plat, wanted) => quotaUsage(plat, wanted),
      quotaUsageAnswer,
    ),
    "GET /v1/nodes": route(
      nodeList.read,
      (plat, wanted) => listNodes(plat, wanted),
      nodeList.answer,
    ),
    "GET /v1/nodes/{node}": route(
      nodeList.readOne,
      (plat, { space, name }) => readNode(plat, space, name),
      nodeAnswer,
    ),
    "GET /v1/namespaces": route(
      namespaceList.read,
      (plat, wanted) => listNamespaces(plat, wanted),
      namespaceList.answer,
    ),
    "GET /v1/namespaces/{namespace}": route(
      namespaceList.readOne,
      (plat, { space, name }) => readNamespace(plat, space, name),
      namespaceAnswer,
    ),
    "GET /v1/applications": route(
      parseApplicationList,
      (plat, wanted) => listApplications(plat, wanted),
      applicationListAnswer,
    ),
    "GET /v1/applications/{namespace}/{kind}/{name}": route(
      parseApplicationPath,
      (plat, { space, of }) => readApplication(plat, space, of),
      applicationAnswer,
    ),
    "GET /v1/pools/{name}/history": route(
      parseNamed,
      (plat, wanted) => poolHistory(plat, wanted),
      poolHistoryAnswer,
    ),
    "GET /v1/pools/{name}/map": route(
      parsePoolMap,
      (plat, wanted) => poolMap(plat, wanted),
      poolMapAnswer,
    ),
    "GET /v1/addresses/{ip}/history": route(
      parseAddressHistoryPage,
      (plat, wanted, { deadline }) => readAddressHistory(plat, history?.(deadline), wanted),
      addressHistoryAnswer,
    ),
    "GET /v1/history/handles/{handle+}": route(
      parseHandleHistoryPage,
      (plat, wanted, { deadline }) => readHandleHistory(plat, history?.(deadline), wanted),
      handleHistoryAnswer,
    ),
    "GET /v1/events": route(
      parsePoll,
      (plat, wanted, { deadline }) => readEvents(history?.(deadline), wanted, plat.now()),
      eventsAnswer,
    ),
    "GET /v1/spaces": route(
      parseSpaceList,
      (plat, wanted) => plat.store.listSpacePage(wanted),
      spaceListAnswer,
    ),
    "GET /v1/config": route(parseSpace, (plat, space) => readSettings(plat, space), settingsAnswer),
    /** Answers if the function runs. */
    "GET /healthz": route(nothing, async () => "ok" as const, status),
    /** Answers if the function can reach its table, and knows its keys. */
    "GET /readyz": route(nothing, readOnce, status),
  });

export const handler = deployed(readOver);

function readOnce(plat: Context) {
  return plat.store.checkKeys().then(
    () => "ready" as const,
    (error: unknown) => {
      if (error instanceof CorruptItemError) throw error;
      throw new Problem("unavailable", "The table cannot be read.");
    },
  );
}

function status<Status extends string>(status: Status) {
  return { status: 200 as const, body: { status } };
}
