import * as v from "valibot";
import { fields, list } from "../src/api/schema/schema.ts";

/**
 * The Regions among which DynamoDB offers multi-Region strong consistency. All Regions of a table must be of one set
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html).
 */
const REGION_SETS: readonly (readonly string[])[] = [
  ["us-east-1", "us-east-2", "us-west-2"],
  ["eu-west-1", "eu-west-2", "eu-west-3", "eu-central-1"],
  ["ap-northeast-1", "ap-northeast-2", "ap-northeast-3"],
];

/** The Regions of a table: that of the environment, and two others. */
const REGIONS = 3;

const regionName = v.picklist(
  REGION_SETS.flat(),
  `must be one of ${REGION_SETS.flat().join(", ")}`,
);

/** The setting `regions` of an environment. */
export const regionsSetting = fields({
  /** Further Regions that serve requests: two, or one and a witness. */
  replicas: list(
    regionName,
    { min: 1, max: REGIONS - 1 },
    {
      type: "must be a list of Regions",
      min: "must be one Region, or two",
      max: "must be one Region, or two",
    },
  ),
  /** A Region that stores the writes and serves no requests. */
  witness: v.optional(regionName),
  /** The Region whose schedules run. */
  active: regionName,
});

export type Regions = v.InferOutput<typeof regionsSetting>;

/** Returns the Regions that serve requests, that of the environment first. */
export const servingRegions = (region: string, { replicas }: Pick<Regions, "replicas">) => [
  region,
  ...replicas,
];

/** Returns what is wrong with the Regions of an environment in its Region, as the setting and a sentence. */
export function regionProblem(
  region: string,
  regions: Regions,
): { readonly field: string; readonly problem: string } | undefined {
  const { replicas, witness, active } = regions;
  const serving = servingRegions(region, regions);
  const all = witness === undefined ? serving : [...serving, witness];
  const set = REGION_SETS.find((one) => one.includes(region));
  if (!set) return { field: "region", problem: `must be one of ${REGION_SETS.flat().join(", ")}` };
  const foreign = all.find((one) => !set.includes(one));
  if (foreign !== undefined)
    return {
      field: "regions",
      problem: `must be of the Region set of ${region}: ${set.join(", ")}; ${foreign} is not`,
    };
  if (new Set(all).size !== REGIONS || all.length !== REGIONS)
    return {
      field: "regions",
      problem: `must make three different Regions with ${region}: two replicas, or one and a witness; they are ${[...replicas, ...(witness === undefined ? [] : [witness])].join(", ")}`,
    };
  if (!serving.includes(active))
    return { field: "regions.active", problem: `must be one of ${serving.join(", ")}` };
  return undefined;
}
