import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { POOL } from "../../src/nouns/pool/contract/request.ts";
import { RESERVATION } from "../../src/nouns/reservation/contract/request.ts";

/*
 * The provider of Terraform writes a noun whole, so an apply erases a field that it does not know. Nothing compiles against its
 * Go, so this compares the attributes of its models with the fields of the requests.
 */

/** What an attribute of the provider has beside the fields: its name is in the path, and no request has a timeout. */
const BESIDE = new Set(["name", "timeouts"]);
/** A Calico manifest alone can say it. The provider sends what the pool has. */
const KEPT = new Set(["routing"]);

const snakeCase = (field: string) =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Returns the attributes of a model in a file of the provider. */
function attributesOf(file: string, model: string): readonly string[] {
  const text = readFileSync(`terraform/internal/provider/${file}`, "utf8");
  const [, body = ""] = new RegExp(`^type ${model} struct \\{\\n(.*?)^\\}`, "ms").exec(text) ?? [];
  return [...body.matchAll(/`tfsdk:"(\w+)"`/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !BESIDE.has(name));
}

it.each([
  ["pool", "pool_model.go", "poolModel", POOL],
  ["reservation", "reservation_resource.go", "reservationModel", RESERVATION],
] as const)("the provider knows every field of a %s", (_, file, model, fields) => {
  const known = Object.keys(fields).filter((field) => !KEPT.has(field));
  expect(attributesOf(file, model).toSorted()).toEqual(known.map(snakeCase).toSorted());
});
