import { describe, expect, it } from "vitest";
import { type AddressPlanEntry, planned } from "../../../src/nouns/pool/address-plan.ts";
import { network } from "../../builders.ts";

const entry = (pool: string, cidr: string, id = `${pool}-1`): AddressPlanEntry => ({
  pool,
  id,
  cidr: network(cidr),
  blockSize: 26,
});
const planOf = (...entries: AddressPlanEntry[]) => ({ space: "default", entries });

describe("the address plan", () => {
  it.each([
    { taken: "10.0.0.0/16", wanted: "10.0.0.0/16", description: "the same range" },
    { taken: "10.0.0.0/16", wanted: "10.0.4.0/24", description: "a part of it" },
    { taken: "10.0.4.0/24", wanted: "10.0.0.0/16", description: "a range around it" },
    { taken: "2001:db8::/48", wanted: "2001:db8:0:1::/64", description: "a part of it" },
    { taken: "2001:db8:0:1::/64", wanted: "2001:db8::/48", description: "a range around it" },
  ])("with $taken has no room for $wanted: $description", ({ taken, wanted }) => {
    const current = entry("first", taken);
    const plan = planOf(entry("other", "192.168.0.0/16"), current);
    expect(planned(plan, entry("second", wanted))).toEqual({ inTheWay: current });
  });

  it.each([
    { taken: "10.0.0.0/16", wanted: "10.1.0.0/16" },
    { taken: "2001:db8::/48", wanted: "2001:db8:1::/48" },
    { taken: "0.0.0.0/8", wanted: "::/8" },
  ])("with $taken has room for $wanted, and keeps both", ({ taken, wanted }) => {
    const [first, second] = [entry("first", taken), entry("second", wanted)];
    expect(planned(planOf(first), second)).toEqual({ entries: [first, second] });
  });

  it("lets a pool's own earlier entry give way", () => {
    const other = entry("other", "10.1.0.0/16");
    const [old, next] = [entry("pool", "10.0.0.0/16"), entry("pool", "10.0.0.0/15")];
    expect(planned(planOf(old, other), next)).toEqual({ inTheWay: other });
    expect(planned(planOf(old), next)).toEqual({ entries: [next] });
  });

  it("keeps the range of a namesake that is not gone yet", () => {
    const [old, next] = [entry("pool", "10.0.0.0/16"), entry("pool", "10.0.0.0/16", "pool-2")];
    expect(planned(planOf(old), next)).toEqual({ inTheWay: old });
  });

  it("lets no pool grow over its neighbour", () => {
    const neighbour = entry("neighbour", "10.1.0.0/16");
    const plan = planOf(entry("pool", "10.0.0.0/16"), neighbour);
    expect(planned(plan, entry("pool", "10.0.0.0/15"))).toEqual({ inTheWay: neighbour });
  });

  it("lets a pool lie in its parent, and in the parent of that, and in no other", () => {
    const region = entry("region", "10.0.0.0/8");
    const cluster = { ...entry("cluster", "10.7.0.0/16"), parentId: region.id };
    const web = { ...entry("web", "10.7.16.0/20"), parentId: cluster.id };
    const plan = planOf(region, cluster);
    expect(planned(plan, web)).toEqual({ entries: [region, cluster, web] });
    expect(planned(plan, entry("web", "10.7.16.0/20"))).toEqual({ inTheWay: region });
    const other = { ...entry("other", "10.7.0.0/16"), parentId: region.id };
    expect(planned(plan, other)).toEqual({ inTheWay: cluster });
  });

  it("that was read is left as it was", () => {
    const plan = planOf(entry("first", "10.0.0.0/16"));
    planned(plan, entry("second", "10.1.0.0/16"));
    expect(plan).toEqual(planOf(entry("first", "10.0.0.0/16")));
  });
});
