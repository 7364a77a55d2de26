import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Rejection, rejectionOf } from "../api/rejection.ts";
import { Rejected } from "../parts/rejected.tsx";
import { type Act, type Input, InvalidInput } from "./act.ts";
import { FieldInput } from "./field-input.tsx";

/** The course of a dialog: it asks, it shows what would be done, and it says what was done. */
interface Course {
  readonly step: "asks" | "shows" | "did";
  readonly isBusy: boolean;
  readonly shown?: ComponentChildren;
  readonly rejection?: Rejection;
  readonly invalid?: string;
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
  const { step, isBusy, shown, rejection, invalid } = course;
  const end = () => close(step === "did" || rejection?.status === CHANGED);

  const run = async (next: "shows" | "did", work: () => Promise<ComponentChildren>) => {
    setCourse({ ...course, isBusy: true });
    try {
      setCourse({ step: next, isBusy: false, shown: await work() });
    } catch (error) {
      const told =
        error instanceof InvalidInput
          ? { invalid: error.message }
          : { rejection: rejectionOf(error) };
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

  const isTyped = typed === undefined || text === typed;
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
          else if (isTyped) void run("did", () => act.perform(input));
        }}
      >
        <h2 id="act-title">{title}</h2>
        {step !== "did" && (
          <>
            <div class="intro">{intro}</div>
            {fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={input[field.name] ?? ""}
                change={(value) => {
                  setInput({ ...input, [field.name]: value });
                  setCourse(START);
                }}
              />
            ))}
          </>
        )}
        <div aria-live="polite">
          {shown !== undefined && (
            <div class={step === "did" ? "done" : "preview"}>
              {step === "shows" && <h3>What it would do</h3>}
              {shown}
            </div>
          )}
        </div>
        {invalid !== undefined && (
          <p class="rejected" role="alert">
            {invalid}
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
              {isBusy ? "Waiting for Plat…" : isShownFirst ? "Show what it would do" : verb}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

/** The status of a rejection because somebody else changed the resource. */
const CHANGED = 412;
