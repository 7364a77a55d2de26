import { useState } from "preact/hooks";
import { Head } from "../parts/head.tsx";

/** Asks for the token of the API. */
export function SignIn(props: { readonly wasWrong: boolean; signIn(token: string): void }) {
  const { wasWrong, signIn } = props;
  const [token, setToken] = useState("");
  return (
    <>
      <Head title="Sign in" />
      {wasWrong && (
        <p class="rejected" role="alert">
          The API does not accept this token.
        </p>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") signIn(token.trim());
        }}
      >
        <label>
          Token
          <input
            type="password"
            autoComplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main">
          Sign in
        </button>
        <p class="hint">
          The server was started with <code>--token-file</code>, or with <code>PLAT_TOKEN</code>.
          The token stays in the memory of this page, and a reload forgets it.
        </p>
      </form>
    </>
  );
}
