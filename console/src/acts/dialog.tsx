import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Rejection, rejectionOf } from "../api/rejection.ts";
import { useApi } from "../api/use-api.tsx";
import { Rejected } from "../parts/rejected.tsx";
import { useIsCovered } from "../state/covered.ts";
import { type Act, type Field, type Input, InvalidInput, newKey } from "./act.ts";
import { FieldInput, fieldId } from "./field-input.tsx";
import { ShellLines } from "./shell-lines.tsx";

/** The course of a dialog: it asks, it shows what would be done, and it says what was done. */
interface Course {
  readonly step: "asks" | "shows" | "did";
  readonly isBusy: boolean;
  /** True while it is done: the input stays as it was sent. */
  readonly isActing?: boolean;
  readonly shown?: ComponentChildren;
  readonly rejection?: Rejection;
  readonly invalid?: InvalidInput;
}

const START: Course = { step: "asks", isBusy: false };

/** The dialog of an act. A rejection stays in it, with all that was entered, and so does a sign-in. */
export function ActDialog(props: { readonly act: Act; close(isChanged: boolean): void }) {
  const { act, close } = props;
  const { title, intro, fields = [], typed, verb, preview } = act;
  const dialog = useRef<HTMLDialogElement>(null);
  const [{ key, initial, input: entered }] = useState<Draft>(() => draftOf(fields));
  const [input, setInput] = useState(entered);
  const [text, setText] = useState("");
  const [course, setCourse] = useState<Course>(START);
  const [progress, setProgress] = useState("Waiting for Plat…");
  const { step, isBusy, isActing, shown, rejection, invalid } = course;
  // What failed half-way, or lost its answer, may have changed something too.
  const isTried = useRef(false);
  // A dry run of an input that was changed meanwhile tells nothing about this one.
  const latest = useRef(input);
  const end = () => close(isTried.current || rejection?.status === CHANGED);

  const run = async (next: "shows" | "did", work: () => Promise<ComponentChildren>) => {
    const of = latest.current;
    const put = (to: Course) => latest.current === of && setCourse(to);
    setCourse({ ...course, isBusy: true, isActing: next === "did" });
    try {
      put({ step: next, isBusy: false, shown: await work() });
    } catch (error) {
      const told =
        error instanceof InvalidInput ? { invalid: error } : { rejection: rejectionOf(error) };
      put({ step, isBusy: false, shown, ...told });
    }
  };
  const isShownFirst = preview !== undefined && step === "asks";
  const show = () => preview && run("shows", () => preview(input));

  const isCovered = useIsCovered();
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    // A modal dialog that nobody sees would still keep the keys and the pointer from the sign-in.
    if (isCovered) return undefined;
    opener.current ??= document.activeElement;
    current?.showModal();
    return () => {
      current?.close();
      // The browser returns the focus to where it was before the last sign-in.
      if (opener.current instanceof HTMLElement) opener.current.focus();
    };
  }, [isCovered]);
  useEffect(() => {
    if (!isCovered || step === "did") return undefined;
    keepDraft({ href: location.href, key, initial, input });
    return dropDraft;
  }, [isCovered]);
  const api = useApi();
  // Another sign-in may be allowed what this one was denied.
  useEffect(() => setCourse(({ rejection: _, ...course }) => course), [api]);
  // Without fields nothing is asked before the dry run.
  useEffect(() => {
    if (fields.length === 0) void show();
  }, []);
  const done = useRef<HTMLButtonElement>(null);
  const submit = useRef<HTMLButtonElement>(null);
  // As the sentence appears, so that a key pressed at once meets the button.
  useLayoutEffect(() => {
    if (step === "did") done.current?.focus();
  }, [step]);

  const errors = errorsIn(fields, invalid, rejection);
  const [wrong] = fields.filter(({ name }) => errors.has(name));
  // What is wrong stands at its field, and the next key goes there.
  useLayoutEffect(() => {
    if (wrong) document.getElementById(fieldId(wrong))?.focus();
  }, [course]);

  const isTyped = typed === undefined || text === typed;
  const inputs = (some: readonly Field[]) =>
    some.map((field) => (
      <FieldInput
        key={field.name}
        field={field}
        error={errors.get(field.name)}
        value={input[field.name] ?? ""}
        change={(value) => {
          latest.current = { ...latest.current, [field.name]: value };
          setInput(latest.current);
          setCourse(START);
        }}
      />
    ));
  const folded = fields.filter(({ isFolded }) => isFolded);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="act-title"
      onCancel={(event) => {
        event.preventDefault();
        if (!isBusy) end();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy) return;
          if (isShownFirst) void show();
          else if (isTyped) {
            isTried.current = true;
            // The fields are disabled meanwhile, and a field that had the focus would lose it.
            submit.current?.focus();
            void run("did", () => act.perform(input, setProgress, key));
          }
        }}
      >
        <h2 id="act-title">{title}</h2>
        {step !== "did" && (
          <div class="asked">
            <fieldset disabled={isActing}>
              <div class="intro">{intro}</div>
              {inputs(fields.filter(({ isFolded }) => !isFolded))}
              {folded.length > 0 && (
                <details open={wrong?.isFolded}>
                  <summary>More settings, all optional</summary>
                  {inputs(folded)}
                </details>
              )}
              {!isShownFirst && <ShellLines act={act} input={input} idempotencyKey={key} />}
            </fieldset>
          </div>
        )}
        <div class="told" aria-live="polite">
          {shown !== undefined && (
            <div class={step === "did" ? "done" : "preview"}>
              {step === "shows" && <h3>What it would do</h3>}
              {shown}
            </div>
          )}
        </div>
        {invalid && !errors.has(invalid.field ?? "") && (
          <p class="rejected" role="alert">
            {invalid.message}
          </p>
        )}
        {rejection && <Rejected rejection={rejection} />}
        {typed !== undefined && step !== "did" && !isShownFirst && (
          <label class="field">
            <span>
              This cannot be undone. Type <b>{typed}</b> to confirm.
            </span>
            <input
              autoComplete="off"
              spellcheck={false}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="buttons">
          {rejection?.status === CHANGED && (
            <button type="button" onClick={end}>
              Read it again
            </button>
          )}
          <button ref={done} type="button" onClick={() => !isBusy && end()}>
            {step === "did" ? "Close" : "Cancel"}
          </button>
          {step !== "did" && (
            <button
              ref={submit}
              type="submit"
              class={typed === undefined || isShownFirst ? "main" : "main final"}
              // A button that is disabled for the time of a request would lose the focus.
              aria-disabled={isBusy}
              disabled={!isShownFirst && !isTyped}
            >
              {isBusy ? progress : isShownFirst ? "Show what it would do" : verb}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

/** The input of a dialog and its `Idempotency-Key`, for the time of a sign-in. It has no secret. */
interface Draft {
  /** The address of the page with the dialog. */
  readonly href: string;
  readonly key: string;
  /** The input before anything was entered. */
  readonly initial: Input;
  readonly input: Input;
}

const DRAFT = "plat-draft";

/** Keeps what was entered for the time of a sign-in, which may lead to the page of an issuer and back. */
const keepDraft = (draft: Draft) => sessionStorage.setItem(DRAFT, JSON.stringify(draft));

const dropDraft = () => sessionStorage.removeItem(DRAFT);

/**
 * Returns what was entered in this dialog before a sign-in, once; else what it begins with. Input to a version that
 * somebody else has changed since would undo that change.
 */
function draftOf(fields: readonly Field[]): Draft {
  const initial = Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial]));
  const text = sessionStorage.getItem(DRAFT);
  dropDraft();
  const draft: Draft | undefined = text === null ? undefined : JSON.parse(text);
  const isOfThis =
    draft?.href === location.href && JSON.stringify(draft.initial) === JSON.stringify(initial);
  return draft && isOfThis
    ? draft
    : { href: location.href, key: newKey(), initial, input: initial };
}

/** Returns what is wrong with the input, by the names of the fields. A part of a field, such as `ranges[0]`, is told at the field. */
function errorsIn(
  fields: readonly Field[],
  invalid: InvalidInput | undefined,
  rejection: Rejection | undefined,
): ReadonlyMap<string, string> {
  const told = [
    ...(invalid?.field === undefined ? [] : [{ field: invalid.field, problem: invalid.message }]),
    ...(rejection?.problem?.fields ?? []),
  ];
  return new Map(
    told.flatMap(({ field, problem }) => {
      const own = fields.find(({ name }) => name === field.replace(/[.[].*$/, ""));
      return own ? [[own.name, problem]] : [];
    }),
  );
}

/** The status of a rejection because somebody else changed the resource. */
const CHANGED = 412;
