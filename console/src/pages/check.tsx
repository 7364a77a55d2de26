import { useEffect, useRef, useState } from "preact/hooks";
import { type Rejection, rejectionOf } from "../api/rejection.ts";
import { useApi } from "../api/use-api.tsx";
import type { Checked } from "../check/run-check.ts";
import { Head } from "../parts/head.tsx";
import { clock } from "../parts/moment.tsx";
import { Rejected } from "../parts/rejected.tsx";
import { Table } from "../parts/table.tsx";
import { number } from "../parts/usage-bar.tsx";

type Course =
  | { readonly step: "waits" }
  | { readonly step: "reads"; readonly items: number }
  | { readonly step: "rejected"; readonly rejection: Rejection }
  | { readonly step: "done"; readonly checked: Checked };

/** The invariants of the space, proved over all of its items. */
export function CheckPage() {
  const api = useApi();
  const [course, setCourse] = useState<Course>({ step: "waits" });
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => {
    setCourse({ step: "waits" });
    return () => ending.current?.abort();
  }, [api]);
  const start = async () => {
    ending.current?.abort();
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    const put = (next: Course) => !signal.aborted && setCourse(next);
    put({ step: "reads", items: 0 });
    try {
      const { runCheck } = await import("../check/run-check.ts");
      put({
        step: "done",
        checked: await runCheck(api, signal, (items) => put({ step: "reads", items })),
      });
    } catch (error) {
      put({ step: "rejected", rejection: rejectionOf(error) });
    }
  };
  return (
    <>
      <Head title="Check" />
      <p>
        The check reads every item of the space, so you need the role of an operator. It proves the
        invariants in this browser, as <code>plat check</code> does, and changes nothing.
      </p>
      <p class="acts">
        <button type="button" class="main" onClick={() => course.step !== "reads" && start()}>
          Check now
        </button>
      </p>
      <div aria-live="polite">
        {course.step === "reads" && (
          <p class="waiting">{number(course.items)} items read so far…</p>
        )}
        {course.step === "done" && <Found checked={course.checked} />}
      </div>
      {course.step === "rejected" && <Rejected rejection={course.rejection} retry={start} />}
    </>
  );
}

function Found({ checked: { problems, untidy, items, at } }: { readonly checked: Checked }) {
  const rows = [
    ...problems.map((finding) => ({ ...finding, kind: "problem" })),
    ...untidy.map((finding) => ({ ...finding, kind: "left over" })),
  ];
  return (
    <>
      <p class={problems.length === 0 ? "done" : "rejected"}>
        {problems.length === 0
          ? `Every invariant holds for ${number(items)} items, as of ${clock(at)}.`
          : `${problems.length === 1 ? "1 finding" : `${problems.length} findings`} that must never occur, as of ${clock(at)}.`}
      </p>
      {rows.length > 0 && (
        <>
          <Table
            label="Findings"
            none=""
            rows={rows}
            keyOf={({ invariant, message }) => `${invariant} ${message}`}
            columns={[
              { title: "Kind", value: ({ kind }) => kind, show: ({ kind }) => kind },
              {
                title: "Rule",
                value: ({ invariant }) => invariant,
                show: ({ invariant }) => <code>{invariant}</code>,
              },
              {
                title: "What was found",
                value: ({ message }) => message,
                show: ({ message }) => message,
              },
            ]}
          />
          <p class="hint">
            The next scheduled run cleans up what is left over, unless it is work in progress.
          </p>
        </>
      )}
    </>
  );
}
