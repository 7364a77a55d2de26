import {
  listPools,
  listReservations,
  readPool,
  readReservation,
  readSettings,
} from "../src/allocator/admin/administration.ts";
import { listNamespaces, readNamespace } from "../src/allocator/admin/namespaces.ts";
import { listNodes } from "../src/allocator/admin/nodes.ts";
import { listQuotas, readQuota } from "../src/allocator/admin/quotas.ts";
import {
  listApplications,
  readApplication,
} from "../src/allocator/applications/read-applications.ts";
import type { Context } from "../src/allocator/core/context.ts";
import { listJobs, readJob } from "../src/allocator/jobs/pool-jobs.ts";
import { readNode } from "../src/allocator/nodes/read-node.ts";
import { listPrefixes } from "../src/allocator/prefixes/list-prefixes.ts";
import { readPrefixes } from "../src/allocator/prefixes/read-prefixes.ts";
import { listAffinities } from "../src/allocator/read/list-affinities.ts";
import { listBlocks } from "../src/allocator/read/list-blocks.ts";
import { listSpaceAffinities } from "../src/allocator/read/list-space-affinities.ts";
import { poolHistory } from "../src/allocator/read/pool-history.ts";
import { poolMap } from "../src/allocator/read/pool-map.ts";
import { readAddress } from "../src/allocator/read/read-address.ts";
import { readBlock } from "../src/allocator/read/read-block.ts";
import { readHandle } from "../src/allocator/read/read-handle.ts";
import { utilization } from "../src/allocator/read/utilization.ts";
import { listAddresses } from "../src/allocator/search/list-addresses.ts";
import { listHandles } from "../src/allocator/search/list-handles.ts";
import { listHosts } from "../src/allocator/search/list-hosts.ts";
import { Problem } from "../src/contract/schema/problem.ts";
import { CorruptItemError } from "../src/domain/outcome.ts";
import { addressAnswer, handleAnswer } from "../src/edge/addresses/answer.ts";
import { addressListAnswer, readAddressList } from "../src/edge/addresses/list.ts";
import { affinitiesAnswer } from "../src/edge/affinities/answer.ts";
import { readAffinityList } from "../src/edge/affinities/request.ts";
import {
  readSpaceAffinities,
  spaceAffinitiesAnswer,
} from "../src/edge/affinities/space-affinities.ts";
import { applicationAnswer, applicationListAnswer } from "../src/edge/applications/answer.ts";
import { readApplicationList, readApplicationPath } from "../src/edge/applications/request.ts";
import { blockAnswer, blocksAnswer } from "../src/edge/blocks/answer.ts";
import { readBlockList, readBlockPath } from "../src/edge/blocks/request.ts";
import { readHandlePage } from "../src/edge/handles/request.ts";
import {
  addressHistoryAnswer,
  eventsAnswer,
  handleHistoryAnswer,
} from "../src/edge/history/answer.ts";
import {
  readAddressHistoryPage,
  readHandleHistoryPage,
  readPoll,
} from "../src/edge/history/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { readAddressPath, readJobPath, readNamed, readSpace } from "../src/edge/http/parameters.ts";
import { jobAnswer, jobList } from "../src/edge/jobs/answer.ts";
import { poolAnswer, poolList } from "../src/edge/pools/answer.ts";
import { poolHistoryAnswer } from "../src/edge/pools/history.ts";
import { poolMapAnswer, readPoolMap } from "../src/edge/pools/map.ts";
import { podCidrListAnswer } from "../src/edge/prefixes/answer.ts";
import { prefixListAnswer, readPrefixList } from "../src/edge/prefixes/by-handle.ts";
import { readPodCidrList } from "../src/edge/prefixes/request.ts";
import { quotaAnswer, quotaList } from "../src/edge/quotas/quota.ts";
import {
  namespaceAnswer,
  namespaceList,
  nodeAnswer,
  nodeList,
} from "../src/edge/registry/answer.ts";
import { reservationAnswer, reservationList } from "../src/edge/reservations/reservation.ts";
import {
  handleListAnswer,
  hostListAnswer,
  readHandleList,
  readHostList,
} from "../src/edge/search/holders.ts";
import { settingsAnswer } from "../src/edge/settings/settings.ts";
import { readSpaceList, spaceListAnswer } from "../src/edge/spaces/list.ts";
import { utilizationAnswer } from "../src/edge/utilization/answer.ts";
import { readUtilizationPath } from "../src/edge/utilization/request.ts";
import { readEvents } from "../src/publish/read-events.ts";
import { readAddressHistory, readHandleHistory } from "../src/publish/read-history.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

const nothing = () => undefined;

/** Serves reads of a few single partitions. */
export const readOver = ({ connect, history }: Wiring) =>
  authorized<"read">(connect, {
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
    "GET /v1/handles": route(
      readHandleList,
      (plat, wanted) => listHandles(plat, wanted),
      handleListAnswer,
    ),
    "GET /v1/hosts": route(readHostList, (plat, wanted) => listHosts(plat, wanted), hostListAnswer),
    "GET /v1/handles/{handle+}": route(
      readHandlePage,
      (plat, wanted) => readHandle(plat, wanted),
      handleAnswer,
    ),
    "GET /v1/blocks": route(
      readBlockList,
      (plat, wanted) => listBlocks(plat, wanted),
      blocksAnswer,
    ),
    "GET /v1/blocks/{cidr+}": route(
      readBlockPath,
      (plat, wanted) => readBlock(plat, wanted),
      blockAnswer,
    ),
    "GET /v1/affinities": route(
      readSpaceAffinities,
      (plat, wanted) => listSpaceAffinities(plat, wanted),
      spaceAffinitiesAnswer,
    ),
    "GET /v1/nodes/{node}/affinities": route(
      readAffinityList,
      (plat, wanted) => listAffinities(plat, wanted),
      affinitiesAnswer,
    ),
    "GET /v1/nodes/{node}/pod-cidrs": route(
      readPodCidrList,
      (plat, wanted) => listPrefixes(plat, wanted),
      podCidrListAnswer,
    ),
    "GET /v1/prefixes": route(
      readPrefixList,
      (plat, wanted) => readPrefixes(plat, wanted),
      prefixListAnswer,
    ),
    "GET /v1/pools": route(
      poolList.read,
      (plat, { space }) => listPools(plat, space),
      poolList.answer,
    ),
    "GET /v1/pools/{name}": route(
      readNamed,
      (plat, { space, name }) => readPool(plat, space, name),
      poolAnswer,
    ),
    "GET /v1/pools/{name}/utilization": route(
      readUtilizationPath,
      (plat, wanted) => utilization(plat, wanted),
      utilizationAnswer,
    ),
    "GET /v1/jobs": route(jobList.read, (plat, { space }) => listJobs(plat, space), jobList.answer),
    "GET /v1/jobs/{id}": route(
      readJobPath,
      (plat, { space, id }) => readJob(plat, space, id),
      jobAnswer,
    ),
    "GET /v1/reservations": route(
      reservationList.read,
      (plat, { space }) => listReservations(plat, space),
      reservationList.answer,
    ),
    "GET /v1/reservations/{name}": route(
      readNamed,
      (plat, { space, name }) => readReservation(plat, space, name),
      reservationAnswer,
    ),
    "GET /v1/quotas": route(
      quotaList.read,
      (plat, { space }) => listQuotas(plat, space),
      quotaList.answer,
    ),
    "GET /v1/quotas/{name}": route(
      readNamed,
      (plat, { space, name }) => readQuota(plat, space, name),
      quotaAnswer,
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
      readApplicationList,
      (plat, wanted) => listApplications(plat, wanted),
      applicationListAnswer,
    ),
    "GET /v1/applications/{namespace}/{kind}/{name}": route(
      readApplicationPath,
      (plat, { space, of }) => readApplication(plat, space, of),
      applicationAnswer,
    ),
    "GET /v1/pools/{name}/history": route(
      readNamed,
      (plat, wanted) => poolHistory(plat, wanted),
      poolHistoryAnswer,
    ),
    "GET /v1/pools/{name}/map": route(
      readPoolMap,
      (plat, wanted) => poolMap(plat, wanted),
      poolMapAnswer,
    ),
    "GET /v1/addresses/{ip}/history": route(
      readAddressHistoryPage,
      (plat, wanted) => readAddressHistory(plat, history, wanted),
      addressHistoryAnswer,
    ),
    "GET /v1/history/handles/{handle+}": route(
      readHandleHistoryPage,
      (plat, wanted) => readHandleHistory(plat, history, wanted),
      handleHistoryAnswer,
    ),
    "GET /v1/events": route(
      readPoll,
      (plat, wanted) => readEvents(history, wanted, plat.now()),
      eventsAnswer,
    ),
    "GET /v1/spaces": route(
      readSpaceList,
      (plat, wanted) => plat.store.listSpacePage(wanted),
      spaceListAnswer,
    ),
    "GET /v1/config": route(readSpace, (plat, space) => readSettings(plat, space), settingsAnswer),
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
