import { useApi } from "../api/use-api.tsx";
import { Copy } from "../parts/copy.tsx";
import { type Act, type Input, type InShell, InvalidInput } from "./act.ts";

/** The lines of a shell that do what a dialog does, each with a button that copies it. */
export function ShellLines(props: {
  readonly act: Act;
  readonly input: Input;
  /** The `Idempotency-Key` of the dialog. */
  readonly idempotencyKey: string;
}) {
  const { act, input, idempotencyKey } = props;
  const api = useApi();
  const same = inShell(act, input, idempotencyKey);
  if (!same) return null;
  const { plat, request } = same;
  return (
    <details class="shell">
      <summary>The same in a shell</summary>
      {plat && <Line what="plat" line={api.platLineOf(plat)} />}
      <Line what="curl" line={api.curlOf(request)} />
    </details>
  );
}

/** Returns the act in a shell; nothing if it has none, or none with this input. */
function inShell(act: Act, input: Input, key: string): InShell | undefined {
  try {
    return act.inShell?.(input, key);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

function Line({ what, line }: { readonly what: string; readonly line: string }) {
  return (
    <div class="shell-line">
      <pre>
        <code>{line}</code>
      </pre>
      <Copy label={`Copy the ${what} command`} text={line} />
    </div>
  );
}
