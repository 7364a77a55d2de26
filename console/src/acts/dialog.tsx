import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Rejection, rejectionOf } from "../api/rejection.ts";
import { Rejected } from "../parts/rejected.tsx";
import { type Act, type Field, type Input, InvalidInput } from "./act.ts";
import { FieldInput, fieldId } from "./field-input.tsx";
import { ShellLines } from "./shell-lines.tsx";

/** The course of a dialog: it asks, it shows what would be done, and it says what was done. */
interface Course {
  readonly step: "asks" | "shows" | "did";
  readonly isBusy: boolean;
  readonly shown?: ComponentChildren;
  readonly rejection?: Rejection;
  readonly invalid?: InvalidInput;
}

const START: Course = { step: "asks", isBusy: false };

/** The dialog of an act. A rejection stays in it, with all that was entered. */
export function ActDialog(props: { readonly act: Act; close(isChanged: boolean): void }) {
  const { act, close } = props;
  const { title, intro, fields = [], typed, verb, preview } = act;
  const dialog = useRef<HTMLDialogElement>(null);
  const [input, setInput] = useState<Input>(() =>
    Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial])),
  );
  const [text, setText] = useState("");
  const [course, setCourse] = useState<Course>(START);
  const [progress, setProgress] = useState("Waiting for Plat…");
  const { step, isBusy, shown, rejection, invalid } = course;
  // What failed half-way, or lost its answer, may have changed something too.
  const isTried = useRef(false);
  const end = () => close(isTried.current || rejection?.status === CHANGED);

  const run = async (next: "shows" | "did", work: () => Promise<ComponentChildren>) => {
    setCourse({ ...course, isBusy: true });
    try {
      setCourse({ step: next, isBusy: false, shown: await work() });
    } catch (error) {
      const told =
        error instanceof InvalidInput ? { invalid: error } : { rejection: rejectionOf(error) };
      setCourse({ step, isBusy: false, shown, ...told });
    }
  };
  const isShownFirst = preview !== undefined && step === "asks";
  const show = () => preview && run("shows", () => preview(input));

  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // The focus returns to the button that opened the dialog.
    return () => current?.close();
  }, []);
  // Without fields nothing is asked before the dry run.
  useEffect(() => {
    if (fields.length === 0) void show();
  }, []);
  const done = useRef<HTMLButtonElement>(null);
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
          setInput({ ...input, [field.name]: value });
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
            void run("did", () => act.perform(input, setProgress));
          }
        }}
      >
        <h2 id="act-title">{title}</h2>
        {step !== "did" && (
          <div class="asked">
            <div class="intro">{intro}</div>
            {inputs(fields.filter(({ isFolded }) => !isFolded))}
            {folded.length > 0 && (
              <details open={wrong?.isFolded}>
                <summary>More settings, all optional</summary>
                {inputs(folded)}
              </details>
            )}
            {!isShownFirst && <ShellLines act={act} input={input} />}
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
