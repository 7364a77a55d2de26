import { same } from "../../base/same.ts";
import { affinityTypeOf, type HostId, hostId, hostName } from "../../kernel/values/host.ts";
import { addressAt, parseCidr } from "../../net/cidr.ts";
import { capOf } from "../../nouns/settings/settings.ts";
import { counted } from "../output/count.ts";
import type { CurrentState } from "./current.ts";
import type { Conflict, Desired } from "./desired.ts";
import type { PlannedBlocks } from "./plan-blocks.ts";
import { type KnownPool, poolAround } from "./plan-pools.ts";
import type { FillingSteps, SettingsStep } from "./steps.ts";

type Work = FillingSteps & Pick<PlannedBlocks, "whose">;

/**
 * Plans the changes of the configuration. Strict affinity and the block limit would reject assignments that the cluster
 * made before they were set, so they take effect after the import. The plan relaxes them only if it knows their final
 * values, so that the next run can complete an interrupted one.
 */
export function planSettings(
  desired: Desired,
  current: CurrentState,
  pools: readonly KnownPool[],
  work: Work,
): { readonly step: SettingsStep | undefined; readonly conflicts: readonly Conflict[] } {
  const before = current.settings;
  const settings = desired.settings ?? {};
  // Nobody owns a block of a pool with ranges, and strict affinity does not bind there.
  const borrowed = work.assigns.filter(
    ({ block, host }) => work.whose.has(block) && work.whose.get(block) !== host,
  ).length;
  const { blocks, host } = mostBlocks(current, pools, work);
  const isStrict = before.strictAffinity && borrowed > 0;
  const isCapped = blocks > capOf(before);
  const isOpened = isStrict || isCapped;
  const opened = {
    ...(isStrict && { strictAffinity: false }),
    ...(isCapped && { maxBlocksPerHost: null }),
  };
  const conflicts = [
    ...unregistered(desired, current, work),
    ...(isCapped && !desired.settings
      ? [
          conflict(
            "maxBlocksPerHost",
            `is ${before.maxBlocksPerHost} in Plat, and ${host} has ${blocks}; ${ADVICE}`,
          ),
        ]
      : []),
    ...(isStrict && !desired.settings
      ? [
          conflict(
            "strictAffinity",
            `is on in Plat, and ${counted(borrowed, "address is in a block that is not its host's", "addresses are in blocks that are not their host's")}; ${ADVICE}`,
          ),
        ]
      : []),
  ];
  const isChanged = !same(before, { ...before, ...settings });
  if (!isChanged && !isOpened) return { step: undefined, conflicts };
  return {
    step: {
      ...(isChanged && { verb: "change" as const }),
      settings,
      ...(isOpened && { opened }),
    },
    conflicts,
  };
}

const ADVICE = "import the cluster's IPAMConfig as well, or change the configuration before";

const conflict = (name: string, problem: string): Conflict => ({
  kind: "configuration",
  name,
  problem,
});

/** Returns the host with the most blocks in a pool after the claims that the limit of blocks binds, and their number. */
function mostBlocks(current: CurrentState, pools: readonly KnownPool[], work: Work) {
  const claims = work.claims.filter(({ by }) => !by);
  const counts = new Map<string, { readonly host: HostId; blocks: number }>();
  const count = (host: HostId, cidr: string) => {
    const read = parseCidr(cidr);
    const pool = read.ok && poolAround(pools, addressAt(read.value, 0));
    if (!pool) return;
    const key = `${pool.name} ${host}`;
    const before = counts.get(key);
    if (before) before.blocks++;
    else counts.set(key, { host, blocks: 1 });
  };
  const claimed = new Set(claims.map(({ cidr }) => cidr));
  const hosts = new Set(claims.map(({ host }) => host));
  for (const { cidr, host } of claims) count(host, cidr);
  for (const { cidr, host, affinityType = "host" } of current.blocks.values())
    if (host !== undefined && !claimed.has(cidr) && hosts.has(hostId(affinityType, host)))
      count(hostId(affinityType, host), cidr);
  return [...counts.values()].reduce((most, one) => (one.blocks > most.blocks ? one : most), {
    host: hostId("host", ""),
    blocks: 0,
  });
}

/** Returns the machines to which Plat would assign nothing until they are registered. A virtual host is none. */
function unregistered(
  desired: Desired,
  current: CurrentState,
  { assigns, claims }: Work,
): readonly Conflict[] {
  if (!current.settings.requireRegisteredHosts) return [];
  const known = new Set([
    ...current.labelled.keys(),
    ...desired.labelled.map(({ kind, name }) => `${kind}/${name}`),
  ]);
  const assigned = [...assigns, ...claims.filter(({ reserving }) => reserving)];
  const machines = assigned.filter(({ host }) => affinityTypeOf(host) === "host");
  const hosts = new Set(machines.map(({ host }) => hostName(host)));
  return [...hosts]
    .filter((host) => !known.has(`nodes/${host}`))
    .map((host) =>
      conflict(
        "requireRegisteredHosts",
        `is on in Plat, and host ${host} is not registered; import the cluster's nodes as well`,
      ),
    );
}
