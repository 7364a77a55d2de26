import { type PlatClient, pagesOf } from "../../client/index.ts";
import { allIn, knownIn, type ListPage } from "../space/lists.ts";
import { listPath, type ResourceKind } from "./kind.ts";

type Listing = Pick<ResourceKind, "plural"> & Partial<Pick<ResourceKind, "perPage">>;

/** Lists all resources of a kind in the space, up to the last page. Errors: one of them cannot be read. */
export const listAll = <Body>(client: PlatClient, kind: Listing): Promise<readonly Body[]> =>
  allIn(pagesOfKind(client, kind), bodiesOf<Body>(kind));

/** Lists as `listAll` does, and also returns the items that cannot be read, for an error after the others were shown. */
export const listKnown = <Body>(client: PlatClient, kind: Listing) =>
  knownIn(pagesOfKind(client, kind), bodiesOf<Body>(kind));

interface KindPage extends ListPage {
  readonly [plural: string]: unknown;
}

const pagesOfKind = (client: PlatClient, { plural, perPage }: Listing) =>
  pagesOf<KindPage>(client.call, {
    method: "GET",
    path: listPath({ plural }),
    query: { limit: perPage },
  });

const bodiesOf =
  <Body>({ plural }: Listing) =>
  (page: KindPage) =>
    page[plural] as readonly Body[];
