import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Credentials } from "../api/credentials.ts";
import type { SignIn } from "../api/types.ts";
import { useLoad } from "../api/use-load.ts";
import { Head } from "../parts/head.tsx";
import { Shown } from "../parts/shown.tsx";

export interface SignInProps {
  /** The reason why the user has to sign in again, in a sentence. */
  readonly refused: string | undefined;
  /** The ways on without another sign-in. */
  readonly children?: ComponentChildren;
  signIn(credentials: Credentials): void;
}

/** Asks who the user is, in the way of the deployment. */
export function SignInPage({ refused, signIn, children }: SignInProps) {
  const loaded = useLoad<SignIn>({ key: "sign-in", isOnce: true }, async (signal) => {
    const response = await fetch("/console/config.json", { signal, cache: "no-store" });
    return ((await response.json()) as { readonly signIn: SignIn }).signIn;
  });
  const page = useRef<HTMLDivElement>(null);
  // The page below, which had the focus, is hidden.
  useEffect(() => page.current?.focus(), []);
  return (
    <div ref={page} tabIndex={-1}>
      <Head title="Sign in" />
      {refused !== undefined && (
        <p class="rejected" role="alert">
          {refused}
        </p>
      )}
      <Shown loaded={loaded} what="how to sign in">
        {(way) => <Way way={way} signIn={signIn} />}
      </Shown>
      {children}
    </div>
  );
}

function Way({ way, signIn }: { way: SignIn; signIn: SignInProps["signIn"] }) {
  switch (way.type) {
    case "token":
      return <ByToken signIn={signIn} />;
    case "iam":
      return <ByIam region={way.region} signIn={signIn} />;
    case "jwt":
      return <ByIssuer way={way} />;
  }
}

function ByToken({ signIn }: Pick<SignInProps, "signIn">) {
  const [token, setToken] = useState("");
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (token.trim() !== "") signIn({ type: "bearer", token: token.trim() });
      }}
    >
      <Secret label="Token" value={token} change={setToken} isRequired />
      <button type="submit" class="main">
        Sign in
      </button>
      <p class="hint">
        The server on a laptop reads its token from <code>--token-file</code> or{" "}
        <code>PLAT_TOKEN</code>. This page keeps the token in memory only: a reload forgets it.
      </p>
    </form>
  );
}

function ByIam({ region, signIn }: { region: string; signIn: SignInProps["signIn"] }) {
  const [accessKeyId, setAccessKeyId] = useState("");
  const [secretAccessKey, setSecretAccessKey] = useState("");
  const [sessionToken, setSessionToken] = useState("");
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        signIn({
          type: "iam",
          region,
          accessKeyId: accessKeyId.trim(),
          secretAccessKey: secretAccessKey.trim(),
          ...(sessionToken.trim() !== "" && { sessionToken: sessionToken.trim() }),
        });
      }}
    >
      <label>
        Access key ID
        <input
          autoComplete="off"
          spellcheck={false}
          required
          value={accessKeyId}
          onInput={(event) => setAccessKeyId(event.currentTarget.value)}
        />
      </label>
      <Secret
        label="Secret access key"
        value={secretAccessKey}
        change={setSecretAccessKey}
        isRequired
      />
      <Secret label="Session token" value={sessionToken} change={setSessionToken} />
      <button type="submit" class="main">
        Sign in
      </button>
      <p class="hint">
        Use temporary credentials, such as those that <code>aws configure export-credentials</code>{" "}
        prints. The browser signs each request with them for {region}. This page keeps them in
        memory only: a reload forgets them.
      </p>
    </form>
  );
}

function ByIssuer({ way }: { way: Extract<SignIn, { type: "jwt" }> }) {
  const [fault, setFault] = useState<string | undefined>(undefined);
  const leave = async () => {
    setFault(undefined);
    try {
      const { leaveForIssuer } = await import("./issuer.ts");
      await leaveForIssuer(way);
    } catch (error) {
      setFault(`${way.issuer} cannot be reached: ${(error as Error).message}.`);
    }
  };
  return (
    <div class="form">
      {fault !== undefined && (
        <p class="rejected" role="alert">
          {fault}
        </p>
      )}
      <button type="button" class="main" onClick={leave}>
        Sign in at {new URL(way.issuer).host}
      </button>
      <p class="hint">
        This page keeps the token of the issuer in memory only. After a reload, the issuer gives you
        another one.
      </p>
    </div>
  );
}

function Secret(props: {
  readonly label: string;
  readonly value: string;
  readonly isRequired?: boolean;
  change(value: string): void;
}) {
  const { label, value, isRequired = false, change } = props;
  return (
    <label>
      {label}
      <input
        type="password"
        autoComplete="off"
        required={isRequired}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
