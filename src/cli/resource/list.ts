import { type Client, pages } from "../client.ts";
import { type Kind, listPath } from "./kind.ts";

/** All of a kind that the space has, to the last page. */
export async function listAll<Body>(
  client: Client,
  { plural, perPage }: Pick<Kind, "plural"> & Partial<Pick<Kind, "perPage">>,
): Promise<Body[]> {
  const all: Body[] = [];
  for await (const page of pages<Page<Body>>(client, listPath({ plural }), { limit: perPage }))
    all.push(...(page[plural] as readonly Body[]));
  return all;
}

type Page<Body> = { readonly next?: string } & {
  readonly [plural: string]: readonly Body[] | string | undefined;
};
