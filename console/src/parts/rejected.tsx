import type { Rejection } from "../api/rejection.ts";
import { useApi } from "../api/use-api.tsx";
import { Sentence } from "./moment.tsx";

/** A rejection as the API told it: its code, its sentence, the fields at fault, and the id of the request. */
export function Rejected({ rejection, retry }: { readonly rejection: Rejection; retry?(): void }) {
  const { status, code, problem, message, isDenied } = rejection;
  return (
    <div class="rejected" role="alert">
      <p>
        <code>{status > 0 ? `${status} ${code}` : code}</code>{" "}
        <strong>{problem?.title ?? (isDenied ? "Access denied" : "No answer from Plat")}</strong>
      </p>
      <p>
        <Sentence text={message} />
      </p>
      {problem?.fields && problem.fields.length > 0 && (
        <ul>
          {problem.fields.map(({ field, value, problem: fault }) => (
            <li key={field}>
              <code>{field}</code>
              {value !== undefined && ` is ${JSON.stringify(value)}:`} {fault}
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p class="soft">
          Request {problem.requestId}
          {problem.retryable && ". The same request may succeed later."}
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
      {isDenied && <SignInAgain />}
    </div>
  );
}

function SignInAgain() {
  const api = useApi();
  return (
    <button type="button" onClick={api.signInAgain}>
      Sign in again
    </button>
  );
}
