import { SPACE_DEFAULT } from "../api/route.ts";
import { invalid, Problem } from "../api/schema/problem.ts";
import { cut, shortened } from "../api/schema/schema.ts";
import type { VrfInBody } from "./contract/bodies.ts";
import { type FilterFields, fieldNames, isFilterOn, matching, onlyIn, ordered } from "./filter.ts";
import { spaceCode } from "./ids.ts";
import type { ListOf } from "./list.ts";
import { onPage, PAGING } from "./paging.ts";
import type { Plat } from "./plat.ts";
import { type DialectRequest, type Operation, rejectUnknownFilters } from "./request.ts";

/*
 * VRFs are spaces. The space `default` is NetBox's global table, which has no VRF. A caller sees the VRFs of the spaces in which it
 * has a role.
 */

const FIELDS: FilterFields<string> = {
  id: { kind: "number", of: spaceCode },
  name: { kind: "text", of: (name) => name },
  rd: { kind: "text", of: () => "" },
  description: { kind: "text", of: () => "" },
};

const OTHERS: readonly string[] = [...PAGING, "ordering", "q"];

export const VRF_LIST: ListOf = { name: "VRF", filters: [...OTHERS, ...fieldNames(FIELDS)] };

export const listVrfs: Operation = async (asked, plat) => {
  const { query, base } = asked;
  rejectUnknownFilters(query, (name) => OTHERS.includes(name) || isFilterOn(FIELDS, name));
  const names = await vrfNames(plat);
  const passes = matching(query, FIELDS);
  const q = (onlyIn(query, "q") ?? "").toLowerCase();
  const passing = names.filter((each) => passes(each) && each.includes(q));
  return onPage(
    asked,
    ordered(query, FIELDS, passing).map((each) => vrfBody(each, base)),
  );
};

/** Rejects a new VRF: a space is there as long as it has a pool, and Plat keeps nothing else about it. */
export const createVrf: Operation = async () => {
  const problem =
    "is stored nowhere: a VRF is a space, which begins with its first pool (PUT /v1/spaces/{space}/pools/{name})";
  throw invalid({ field: "name", problem });
};

export const readVrf: Operation = async ({ id, base }, plat) => {
  const names = await vrfNames(plat);
  const name = onlyOf(names.filter((each) => spaceCode(each) === id));
  if (name === undefined) throw noSuch("VRF", id);
  return { status: 200, body: vrfBody(name, base) };
};

async function vrfNames(plat: Plat): Promise<readonly string[]> {
  const spaces = await plat.spaces();
  return spaces.filter((name) => name !== SPACE_DEFAULT);
}

/** Returns the space that a list is about: that of the filters `vrf_id` and `vrf`, or `default`. */
export async function spaceOfQuery({ query }: DialectRequest, plat: Plat): Promise<string> {
  const [id, name] = [onlyIn(query, "vrf_id"), onlyIn(query, "vrf")];
  const ofId = id === undefined ? id : await spaceOfId(id, plat);
  const ofName = name === undefined ? name : await spaceOfName(name, plat);
  if (ofId !== undefined && ofName !== undefined && ofId !== ofName) {
    const problem = "must name the VRF of ?vrf_id, because a list is about one VRF";
    throw invalid({ field: "?vrf", value: cut(name ?? ""), problem });
  }
  return ofId ?? ofName ?? SPACE_DEFAULT;
}

const spaceOfName = async (name: string, plat: Plat): Promise<string> =>
  name === "null" ? SPACE_DEFAULT : spaceNamed(name, "?vrf", plat);

async function spaceOfId(id: string, plat: Plat): Promise<string> {
  if (id === "null") return SPACE_DEFAULT;
  if (/^\d{1,9}$/.test(id)) return spaceWithId(Number(id), "?vrf_id", plat);
  const problem = "must be the id of one VRF, or null";
  throw invalid({ field: "?vrf_id", value: shortened(id), problem });
}

/** Returns the space of the VRF in a body; `default` for none. */
export async function spaceOfBody(vrf: VrfInBody, plat: Plat): Promise<string> {
  if (vrf === undefined || vrf === null) return SPACE_DEFAULT;
  if (typeof vrf === "number") return spaceWithId(vrf, "vrf", plat);
  return "id" in vrf
    ? spaceWithId(Number(vrf.id), "vrf", plat)
    : spaceNamed(String(vrf.name), "vrf", plat);
}

async function spaceWithId(id: number, field: string, plat: Plat): Promise<string> {
  const names = await vrfNames(plat);
  const name = onlyOf(names.filter((each) => spaceCode(each) === id));
  if (name !== undefined) return name;
  const problem = "is the id of no VRF; GET /api/ipam/vrfs/ has them all";
  throw invalid({ field, value: id, problem });
}

async function spaceNamed(name: string, field: string, plat: Plat): Promise<string> {
  const names = await plat.spaces();
  if (names.includes(name)) return name;
  const problem = "is the name of no VRF; GET /api/ipam/vrfs/ has them all";
  throw invalid({ field, value: cut(name), problem });
}

/**
 * Returns the one of some things that an id can name; nothing if there is none.
 *
 * @throws {Problem} if there are more. It is no 404, after which a client would forget what it has
 */
export function onlyOf(named: readonly string[]): string | undefined {
  if (named.length < 2) return named[0];
  const problem = `stands for ${named.join(" and for ")}, whose names have the same code: use the routes of /v1 for them`;
  throw invalid({ field: "id", problem });
}

export const noSuch = (kind: string, id: number): Problem =>
  new Problem("not_found", `There is no ${kind} with the id ${id}.`);

/** Returns the VRF of a space inside of another object; null for the global table. */
export const nestedVrf = (space: string, base: string) =>
  space === SPACE_DEFAULT
    ? null
    : {
        id: spaceCode(space),
        url: `${base}ipam/vrfs/${spaceCode(space)}/`,
        display: space,
        name: space,
        rd: null,
        description: "",
      };

const vrfBody = (space: string, base: string) => ({
  ...nestedVrf(space, base),
  tenant: null,
  enforce_unique: true,
  comments: "",
  import_targets: [],
  export_targets: [],
  tags: [],
  custom_fields: {},
  created: null,
  last_updated: null,
});
