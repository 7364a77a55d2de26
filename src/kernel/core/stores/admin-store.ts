import type { Listed, ListedPage, PageWanted } from "../../../base/listed.ts";
import type { CorruptItemError, Outcome } from "../../../base/outcome.ts";
import type { Contents, PartOfSpace } from "../../../invariants/contents.ts";
import type { Application, ApplicationName } from "../../../nouns/application/application.ts";
import type { Job } from "../../../nouns/job/job.ts";
import type { Namespace } from "../../../nouns/namespace/namespace.ts";
import type { Node, NodeEntry } from "../../../nouns/node/node.ts";
import type { AddressPlan, AddressPlanEntry } from "../../../nouns/pool/address-plan.ts";
import type { SpaceConfiguration, UnreadableNamed } from "../../../nouns/pool/configuration.ts";
import type { Pool } from "../../../nouns/pool/pool.ts";
import type { Quota } from "../../../nouns/quota/quota.ts";
import type { RequestRate } from "../../../nouns/quota/request-rate.ts";
import type { Reservation } from "../../../nouns/reservation/reservation.ts";
import type { AttributeIndex, Settings } from "../../../nouns/settings/settings.ts";
import type { SpaceEntry, SpacePosition } from "../../../nouns/space/space.ts";
import type { Progress, ShardWalk, Unread } from "../../values/sweep.ts";

/** Reads and writes what operators and scheduled runs need: configuration, jobs, nodes, namespaces, and the table as a whole. */
export interface AdminStore {
  /**
   * @throws {CorruptItemError} if the keys of the table are of another format. Single unreadable items are part of the
   *   result
   */
  readSpace(space: string): Promise<SpaceConfiguration>;
  putPool(pool: Pool, seen: Pool | undefined): Promise<Outcome<Pool>>;
  changePool(step: string, seen: Pool, next: Pool): Promise<Outcome<Pool>>;
  deletePool(seen: Pool): Promise<Outcome<unknown>>;
  putReservation(
    reservation: Reservation,
    seen: Reservation | undefined,
  ): Promise<Outcome<Reservation>>;
  deleteReservation(seen: Reservation): Promise<Outcome<unknown>>;
  putQuota(quota: Quota, seen: Quota | undefined): Promise<Outcome<Quota>>;
  deleteQuota(seen: Quota): Promise<Outcome<unknown>>;
  takeRequests(rate: RequestRate, max: number): Promise<Outcome<RequestRate>>;
  deleteRequestRate(seen: RequestRate): Promise<void>;
  beginSecond(rate: RequestRate, seen: RequestRate | undefined): Promise<Outcome<RequestRate>>;
  putSettings(
    space: string,
    settings: Settings & { readonly indexes?: readonly AttributeIndex[] },
    revision: string,
    seenRevision: string | undefined,
  ): Promise<Outcome<unknown>>;
  deleteSettings(space: string, seenRevision: string): Promise<Outcome<unknown>>;
  readVersion(space: string): Promise<string | undefined>;
  raiseVersion(space: string, version: string): Promise<Outcome<unknown>>;
  registerSpace(space: string, revision: string): Promise<Outcome<unknown>>;

  /** Eventually consistent. The result names entries that cannot be read beside the others. */
  listSpaces(): Promise<{
    readonly items: readonly SpaceEntry[];
    readonly unreadable: readonly UnreadableNamed[];
  }>;
  listSpacePage(wanted: PageWanted<string>): Promise<ListedPage<SpaceEntry, string>>;
  keepPosition(space: string, position: SpacePosition | undefined): Promise<void>;
  dropSpace(seen: Pick<SpaceEntry, "space" | "revision">): Promise<Outcome<unknown>>;
  readSpaceEntry(space: string): Promise<SpaceEntry | undefined>;
  markSpace(space: string, seen: string, stamp: string): Promise<Outcome<unknown>>;
  readPlan(space: string): Promise<AddressPlan>;
  changePlan(
    seen: AddressPlan,
    entries: readonly AddressPlanEntry[],
    revision: string,
  ): Promise<Outcome<AddressPlan>>;

  /** Lists the jobs of one space, or of all. The result names those that cannot be read beside the others. */
  listJobs(space?: string): Promise<Listed<Job>>;
  readJob(space: string, id: string): Promise<Job | undefined>;
  createJob<Kind extends Job>(job: Kind): Promise<Outcome<Kind>>;
  changeJob<Kind extends Job>(step: string, seen: Kind, next: Kind): Promise<Outcome<Kind>>;
  deleteJob(step: string, seen: Job): Promise<Outcome<unknown>>;
  readNode(space: string, name: string): Promise<Node | undefined>;
  createNode(node: Node): Promise<Outcome<Node>>;
  changeNode(seen: Node, next: Node): Promise<Outcome<Node>>;
  deleteNode(seen: Node): Promise<Outcome<unknown>>;
  listNodeEntries(space: string, page: PageWanted<string>): Promise<ListedPage<NodeEntry, string>>;
  enterNode(entry: NodeEntry): Promise<Outcome<unknown>>;
  restoreNodeEntry(entry: NodeEntry): Promise<void>;
  deleteNodeEntry(step: string, seen: Pick<NodeEntry, "space" | "name" | "id">): Promise<void>;
  readNamespace(space: string, name: string): Promise<Namespace | undefined>;
  listNamespaces(space: string, page: PageWanted<string>): Promise<ListedPage<Namespace, string>>;
  createNamespace(namespace: Namespace): Promise<Outcome<Namespace>>;
  changeNamespace(seen: Namespace, next: Namespace): Promise<Outcome<Namespace>>;
  deleteNamespace(seen: Namespace): Promise<Outcome<unknown>>;

  readApplication(space: string, of: ApplicationName): Promise<Application | undefined>;
  listApplications(
    space: string,
    page: PageWanted<string>,
  ): Promise<ListedPage<Application, string>>;
  createApplication(application: Application): Promise<Outcome<Application>>;
  changeApplication(
    step: string,
    seen: Application,
    next: Application,
  ): Promise<Outcome<Application>>;
  deleteApplication(seen: Application): Promise<Outcome<unknown>>;

  /** Reads the format of the table's keys. @throws {CorruptItemError} if it is not the one that this version knows */
  checkKeys(): Promise<void>;
  readProgress(shard: number): Promise<Progress | undefined>;
  listWalks(): Promise<readonly ShardWalk[]>;
  writeProgress(shard: number, progress: Progress): Promise<void>;
  askForIndexing(shard: number, askedMs: number): Promise<Outcome<unknown>>;

  readCursorKey(): Promise<string | undefined>;
  keepCursorKey(key: string): Promise<Outcome<unknown>>;

  /** Reads a page of a segment of the table, item by item, each with its position: eventually consistent. */
  scanSegment(
    segment: { readonly index: number; readonly of: number },
    limit: number,
    after?: string,
  ): Promise<{
    readonly found: readonly {
      readonly contents: Contents;
      readonly errors: readonly CorruptItemError[];
      readonly unread: Unread | undefined;
      readonly position: string;
    }[];
    readonly next?: string;
  }>;
  /** Reads a page of the items in a part of a space, whatever their kind. */
  readPart(
    space: string,
    part: PartOfSpace,
    page?: { readonly after?: string | undefined; readonly limit?: number },
  ): Promise<{ readonly contents: Contents; readonly next?: string }>;
  scanPage(
    limit: number,
    after?: string,
  ): Promise<{ readonly contents: Contents; readonly next?: string }>;
}
