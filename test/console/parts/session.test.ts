import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { apiOf } from "../../../console/src/api/api.ts";
import { NotSignedIn, type Rejection } from "../../../console/src/api/rejection.ts";
import { type Asked, Session } from "../../../console/src/api/session.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The way in which API Gateway denies a wrong signature, and a caller whose policy allows no such route. */
const FORBIDDEN = new Response('{"message":"Forbidden"}', { status: 403 });
const UNAUTHORIZED = new Response('{"message":"Unauthorized"}', { status: 401 });
const DONE = new Response("{}", { status: 200 });
const ABSENT = new Response('{"code":"not_found","detail":"There is no pool main."}', {
  status: 404,
});

const CREDENTIALS = { type: "bearer", token: "old" } as const;
const OTHERS = { type: "bearer", token: "new" } as const;

/** Returns a session with its API, and all that it asked of the user. */
function signedIn() {
  const asked: (Asked | undefined)[] = [];
  const session = new Session((demand) => asked.push(demand));
  session.signIn(CREDENTIALS);
  asked.length = 0;
  return { session, api: apiOf("default", session), asked };
}

const rejectionOf = (sent: Promise<unknown>): Promise<Rejection> =>
  sent.then(
    () => expect.fail("the request was answered"),
    (error) => error,
  );

const assign = { method: "POST", path: "assign", body: {} } as const;

beforeEach(() => {
  vi.stubGlobal("location", { origin: "http://127.0.0.1:8787" });
});

const answering = (...answers: readonly Response[]) => {
  const left = [...answers];
  const sent: Headers[] = [];
  vi.stubGlobal("fetch", async (_: string, { headers }: { readonly headers: Headers }) => {
    sent.push(headers);
    return left.shift()?.clone();
  });
  return sent;
};

describe("a session", () => {
  it.each([
    ["an answer", DONE],
    ["a rejection by Plat", ABSENT],
  ])("asks for nothing when a route is denied after %s", async (_, first) => {
    const { api, asked } = signedIn();
    answering(first, FORBIDDEN);
    await api.get("pools/main").catch(() => {});
    const rejection = await rejectionOf(api.send(assign));
    expect(rejection).not.toBeInstanceOf(NotSignedIn);
    expect(rejection).toMatchObject({ status: 403, code: "forbidden", isDenied: true });
    expect(rejection.message).toBe(
      "The API denied the request: Forbidden. Your role does not allow it, or your credentials are wrong or have expired.",
    );
    expect(asked).toEqual([]);
  });

  it("asks for other credentials when these are denied at once, and lets the user go on with them", async () => {
    const { session, api, asked } = signedIn();
    const sent = answering(FORBIDDEN, DONE);
    const rejection = await rejectionOf(api.get("spaces"));
    expect(rejection).toBeInstanceOf(NotSignedIn);
    expect(asked).toMatchObject([{ canProceed: true }]);
    session.proceed();
    await (rejection as NotSignedIn).signedIn;
    expect(asked.at(-1)).toBeUndefined();
    await api.get("alarms");
    expect(sent[1]?.get("authorization")).toBe("Bearer old");
  });

  it("withdraws its question when another route accepts the credentials that one denied", async () => {
    const { api, asked } = signedIn();
    answering(FORBIDDEN, DONE);
    const rejection = await rejectionOf(api.get("spaces"));
    await api.get("alarms");
    await (rejection as NotSignedIn).signedIn;
    expect(asked.at(-1)).toBeUndefined();
  });

  it("asks once when credentials end, and lets what was read be read again with the next ones", async () => {
    const { session, api, asked } = signedIn();
    const sent = answering(DONE, UNAUTHORIZED, UNAUTHORIZED, DONE);
    await api.get("alarms");
    const ended = [await rejectionOf(api.get("alarms")), await rejectionOf(api.send(assign))];
    expect(asked).toMatchObject([{ canProceed: false }]);
    expect(ended[1]?.message).toBe(
      "The API did not accept your credentials: Unauthorized. This request changed nothing.",
    );
    session.signIn(OTHERS);
    for (const rejection of ended) await (rejection as NotSignedIn).signedIn;
    await api.get("alarms");
    expect(sent.at(-1)?.get("authorization")).toBe("Bearer new");
    expect(asked.at(-1)).toBeUndefined();
  });

  it("asks nobody about an answer to credentials that were replaced meanwhile", async () => {
    const { session, api, asked } = signedIn();
    vi.stubGlobal("fetch", async () => {
      session.signIn(OTHERS);
      asked.length = 0;
      return UNAUTHORIZED.clone();
    });
    const rejection = await rejectionOf(api.get("alarms"));
    await (rejection as NotSignedIn).signedIn;
    expect(asked).toEqual([]);
  });

  it("asks on request of the user, until the next sign-in or the way back", async () => {
    const { session, api, asked } = signedIn();
    answering(DONE, DONE);
    await api.get("alarms");
    api.signInAgain();
    await api.get("alarms");
    expect(asked).toEqual([{ refused: undefined, canProceed: true }]);
    session.proceed();
    expect(asked.at(-1)).toBeUndefined();
  });

  it("asks for credentials where the API requires them and there are none", async () => {
    const asked: (Asked | undefined)[] = [];
    const api = apiOf("default", new Session((demand) => asked.push(demand)));
    answering(FORBIDDEN);
    await rejectionOf(api.get("alarms"));
    expect(asked).toEqual([{ refused: undefined, canProceed: false }]);
  });
});
