import { listingOf } from "../api/pages.ts";
import type { Answer, Job } from "../api/types.ts";
import { useApi } from "../api/use-api.tsx";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { Moment, Sentence } from "../parts/moment.tsx";
import { Shown } from "../parts/shown.tsx";
import { State } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { Named } from "../parts/to.tsx";
import { Unreadable } from "../parts/unreadable.tsx";
import { number } from "../parts/usage-bar.tsx";
import { useNavigation } from "../state/navigation.tsx";

/** The jobs of the space, the latest first, or the one of the address. */
export function JobsPage() {
  const api = useApi();
  const { space, view } = useNavigation().place;
  const { id = "" } = view;
  const loaded = useLoad({ key: `${space} ${id}` }, async (signal) =>
    id === ""
      ? listingOf<Answer<"jobsRead">, Job>(
          api,
          { path: "jobs", query: { limit: 250 }, signal },
          ({ jobs }) => jobs,
        )
      : {
          items: [await api.get<Job>(`jobs/${encodeURIComponent(id)}`, {}, signal)],
          unreadable: [],
        },
  );
  return (
    <>
      <Head title={id === "" ? "Jobs" : `Job ${id}`} loaded={loaded} />
      <Shown loaded={loaded} what="the jobs">
        {({ items: jobs, unreadable }) => (
          <>
            <Unreadable items={unreadable} />
            <Table
              label="Jobs"
              none="No drain, delete, shrink or release of a pool ran in the last week."
              rows={[...jobs].sort((a, b) => b.createdAt.localeCompare(a.createdAt))}
              keyOf={(job) => job.id}
              columns={[
                { title: "Job", value: ({ kind }) => kind, show: ({ kind }) => kind },
                {
                  title: "Pool",
                  value: ({ pool }) => pool,
                  show: ({ pool }) => pool !== undefined && <Named kind="pool" name={pool} />,
                },
                {
                  title: "State",
                  value: ({ state }) => state,
                  show: ({ state }) => <State state={state} />,
                },
                { title: "Progress", show: (job) => <Progress job={job} /> },
                {
                  title: "Started",
                  value: ({ createdAt }) => createdAt,
                  show: ({ createdAt }) => <Moment at={createdAt} />,
                },
                {
                  title: "Ended",
                  value: ({ finishedAt }) => finishedAt,
                  show: ({ finishedAt }) => finishedAt && <Moment at={finishedAt} />,
                },
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const { detail, progress, earliestEndAt, state } = job;
  const walk = progress.current ?? progress.last;
  return (
    <>
      <p>
        <Sentence text={detail} />
      </p>
      {walk && (
        <p class="soft">
          {number(walk.blocks)} blocks seen, {number(walk.deleted)} deleted, {number(walk.taken)}{" "}
          addresses in use, {number(walk.cooling)} cooling
        </p>
      )}
      {state === "running" && earliestEndAt && (
        <p class="soft">
          Ends at the earliest: <Moment at={earliestEndAt} />
        </p>
      )}
    </>
  );
}
