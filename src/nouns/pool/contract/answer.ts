import * as v from "valibot";
import {
  ignored,
  networkSettings,
  next,
  unreadableItems,
  whole,
  written,
} from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import { formatAddress } from "../../../net/address.ts";
import { formatSet } from "../../../net/address-set.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { deleteJobId, shrinkJobId } from "../../job/job.ts";
import { POOL_KINDS } from "../network.ts";
import {
  ASSIGNMENT_MODES,
  ASSIGNS,
  assignsPrefixes,
  BORROWING,
  type Pool,
  type PoolSpec,
  USES,
} from "../pool.ts";

const tell = telling<PoolSpec>();
const text = v.optional(v.string());
const texts = v.optional(v.array(v.string()));

/** The fields of a pool that its operator sets, as answers write them and as a PUT takes them. */
const SET = {
  cidr: tell(v.string(), ({ cidr }) => formatCidr(cidr)),
  assign: tell(v.picklist(ASSIGNS), ({ assign }) => assign ?? "addresses"),
  parent: tell(text, ({ parent }) => parent),
  blockSize: tell(whole, ({ blockSize }) => blockSize),
  disabled: tell(v.boolean(), ({ disabled }) => disabled),
  assignmentMode: tell(v.picklist(ASSIGNMENT_MODES), ({ assignmentMode }) => assignmentMode),
  allowedUses: tell(v.optional(v.array(v.picklist(USES))), (pool) =>
    assignsPrefixes(pool) ? undefined : pool.allowedUses,
  ),
  nodeSelector: tell(text, ({ nodeSelector }) => nodeSelector?.text),
  namespaceSelector: tell(text, ({ namespaceSelector }) => namespaceSelector?.text),
  podSelector: tell(text, ({ podSelector }) => podSelector?.text),
  nodeNames: tell(texts, ({ nodeNames }) => nodeNames),
  namespaceNames: tell(texts, ({ namespaceNames }) => namespaceNames),
  networks: tell(texts, ({ networks }) => networks),
  principals: tell(texts, ({ principals }) => principals),
  borrowing: tell(v.optional(v.picklist(BORROWING)), (pool) =>
    assignsPrefixes(pool) ? undefined : pool.borrowing,
  ),
  cooldownSeconds: tell(v.optional(whole), ({ cooldownSeconds }) => cooldownSeconds),
  ranges: tell(texts, ({ ranges }) => ranges && formatSet(ranges)),
  excludes: tell(texts, ({ excludes }) => excludes && formatSet(excludes)),
  kind: tell(v.optional(v.picklist(POOL_KINDS)), (pool) =>
    assignsPrefixes(pool) ? undefined : (pool.kind ?? "pods"),
  ),
  prefixLength: tell(v.optional(whole), ({ prefixLength }) => prefixLength),
  gateway: tell(networkSettings.gateway, ({ gateway }) => gateway && formatAddress(gateway)),
  routes: tell(networkSettings.routes, ({ routes }) =>
    routes?.map(({ dst, gw }) => ({ dst: formatCidr(dst), gw: formatAddress(gw) })),
  ),
  dns: tell(networkSettings.dns, ({ dns }) => dns?.map(formatAddress)),
  domain: tell(networkSettings.domain, ({ domain }) => domain),
  vlan: tell(networkSettings.vlan, ({ vlan }) => vlan),
  mtu: tell(networkSettings.mtu, ({ mtu }) => mtu),
  labels: tell(networkSettings.labels, ({ labels }) => labels),
  routing: tell(
    v.optional(v.record(v.string(), v.union([v.string(), v.boolean()]))),
    ({ routing }) => routing,
  ),
  description: tell(text, ({ description }) => description),
  tags: tell(texts, ({ tags }) => tags),
} satisfies Readonly<Record<keyof PoolSpec, AnswerField<PoolSpec>>>;

/** The fields of a pool, without its id. */
const WHOLE = {
  name: telling<Pool>()(v.string(), ({ name }) => name),
  ...SET,
  state: telling<Pool>()(text, ({ state }) => (state === "active" ? undefined : state)),
  job: telling<Pool>()(text, ({ id, state, retiring }) => {
    if (state === "deleting") return deleteJobId(id);
    return retiring && shrinkJobId(id);
  }),
};

export const poolFields = schemasOf(SET);

const pool = schemasOf(WHOLE);

export const poolRead = v.strictObject(pool);

export const poolsRead = v.strictObject({
  pools: v.array(poolRead),
  unreadable: unreadableItems,
  next,
});

export const poolWritten = v.strictObject({ ...pool, ...written, ignored });

/** Returns the fields of a pool that operators set, as answers write them and as a PUT takes them. */
export const poolFieldsOf = (pool: PoolSpec) => told(SET, pool);

/** Returns a pool as answers write it. Its state is left out unless the pool serves no requests because of it. */
export const poolOf = (pool: Pool) => told(WHOLE, pool);
