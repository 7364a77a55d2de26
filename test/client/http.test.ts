import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  InvalidCall,
  mayBeDone,
  NotPlat,
  NotSent,
  type PlatOptions,
  type Problem,
  path,
  platClient,
  type Request,
} from "../../src/client/index.ts";
import { knownTo } from "../signals.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answers in place of the API, in turn; the last one repeats. */
let answers: readonly (Answer | "hangs up")[];
let asked: {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}[];
let waits: number[];
let nowMs: number;
let endpoint: string;
let stop: () => void;

beforeEach(async () => {
  asked = [];
  waits = [];
  nowMs = 0;
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body: await text(request) });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer === undefined || answer === "hangs up") return response.destroy();
    return response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  stop = () => server.close();
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const world = {
  sleep: async (ms: number) => {
    waits.push(ms);
    nowMs += ms;
  },
  now: () => nowMs,
  random: () => 1,
};

const clientOf = (at: string, access: Partial<PlatOptions> = {}) =>
  platClient({ endpoint: at, space: "blue", ...access }, world);

const call = (request: Partial<Request> = {}, at = endpoint) =>
  clientOf(at).call({ method: "GET", path: path`/v1/pools`, ...request });

const failure = (request?: Partial<Request>, at?: string) =>
  call(request, at).then(
    () => expect.unreachable("it succeeded"),
    (error) => error,
  );

const well: Answer = { status: 200, body: '{"pools":[]}', headers: { etag: '"r1"' } };
const problem = (said: Partial<Problem>): Answer => ({
  status: said.status ?? 409,
  body: JSON.stringify({ code: "x", detail: "No.", retryable: false, requestId: "id", ...said }),
});
const throttled = problem({
  status: 429,
  code: "throttled",
  retryable: true,
  retryAfterSeconds: 1,
});
const unavailable = problem({
  status: 503,
  code: "unavailable",
  retryable: true,
  retryAfterSeconds: 2,
});
const put = { method: "PUT", path: path`/v1/pools/web`, body: { cidr: "10.0.0.0/16" } } as const;

describe("a call", () => {
  it("names the space, encodes what is in the path, and answers body and ETag", async () => {
    answers = [well];
    const reply = await call({
      path: path`/v1/handles/${"a/b c"}`,
      query: { limit: 3, pool: ["x", "y"], cursor: undefined },
    });
    expect(reply).toEqual({ status: 200, etag: '"r1"', body: { pools: [] } });
    expect(asked[0]?.url).toBe("/v1/spaces/blue/handles/a%2Fb%20c?limit=3&pool=x&pool=y");
  });

  it("without a space goes to the path that names none, and acts in the default one", async () => {
    answers = [well];
    const client = platClient({ endpoint }, world);
    await client.call({ method: "GET", path: path`/v1/pools` });
    expect(asked[0]?.url).toBe("/v1/pools");
    expect(client.space).toBe("default");
  });

  it.each(["", "..", "Blue", "a/b", "a".repeat(64)])("has no space %j", (space) => {
    expect(() => clientOf(endpoint, { space })).toThrow(
      expect.objectContaining({
        name: "InvalidCall",
        message: expect.stringContaining(`The space is ${JSON.stringify(space)}; it must `),
      }),
    );
  });

  it.each([".", "..", ""])("cannot name %j, which no path has as a part of its own", (name) => {
    expect(() => path`/v1/pools/${name}`).toThrow(
      expect.objectContaining({
        name: "InvalidCall",
        message: expect.stringContaining(`"${name}"`),
      }),
    );
    expect(path`/v1/pools/${`${name}.a`}`).toBe(`/v1/pools/${name}.a`);
  });

  it.each(["web?1", "100%41", "web#1"])(
    "cannot name %j, which does not arrive as it is",
    (name) => {
      expect(() => path`/v1/handles/${name}`).toThrow(
        expect.objectContaining({
          name: "InvalidCall",
          message: expect.stringMatching(/^".*" must not contain \?, % or #, .* POST …\/release/),
        }),
      );
    },
  );

  it("keeps the path of the endpoint, such as a stage of API Gateway", async () => {
    answers = [well];
    await call({}, `${endpoint}/prod/`);
    expect(asked[0]?.url).toBe("/prod/v1/spaces/blue/pools");
  });

  it("carries the token of the server, and says so where it cannot be one", async () => {
    answers = [well];
    const token = "0123456789abcdef";
    const get = { method: "GET", path: path`/v1/pools` } as const;
    await clientOf(endpoint, { token }).call(get);
    await call();
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${token}`,
      undefined,
    ]);
    const broken = clientOf(endpoint, { token: "a\nb" }).call(get);
    await expect(broken).rejects.toThrow("The token must have visible ASCII characters only.");
  });

  it("leaves nothing in its signal, which may be that of a whole program", async () => {
    answers = [well];
    const { signal } = new AbortController();
    for (let n = 0; n < 3; n++) await call({ signal });
    expect(knownTo(signal)).toBe(0);
  });

  it("sends a body as JSON", async () => {
    answers = [well];
    await call({ ...put, headers: { "If-Match": '"r0"' } });
    expect(asked[0]).toMatchObject({
      method: "PUT",
      body: '{"cidr":"10.0.0.0/16"}',
      headers: { "content-type": "application/json", "if-match": '"r0"' },
    });
  });

  it("that is rejected throws the problem, its fields among it, and is not repeated", async () => {
    const fields = [{ field: "cidr", value: "x", problem: "is no CIDR" }];
    answers = [
      problem({ status: 400, code: "invalid_request", detail: "cidr is no CIDR.", fields }),
    ];
    const error = await failure(put);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      message: "cidr is no CIDR.",
      code: "invalid_request",
      problem: { fields, requestId: "id" },
    });
    expect(asked).toHaveLength(1);
  });
});

describe("a call is repeated", () => {
  it("after as long as the answer asks for", async () => {
    answers = [throttled, unavailable, well];
    expect(await call()).toMatchObject({ status: 200 });
    expect(waits).toEqual([1_000, 2_000]);
  });

  it("as long as the waits fit its time, which is 30 s unless its caller says another", async () => {
    const waiting = (retryAfterSeconds: number) =>
      problem({ code: "request_in_progress", retryable: true, retryAfterSeconds });
    answers = [waiting(12), waiting(12), well];
    expect(await call()).toMatchObject({ status: 200 });
    expect(waits).toEqual([12_000, 12_000]);

    answers = [waiting(12), waiting(12), waiting(7), well];
    asked = [];
    waits = [];
    expect(await failure()).toMatchObject({ code: "request_in_progress" });
    expect(waits).toEqual([12_000, 12_000]);

    answers = [waiting(40), waiting(40), well];
    const get = { method: "GET", path: path`/v1/pools` } as const;
    asked = [];
    waits = [];
    await clientOf(endpoint, { retryMs: 80_000 }).call(get);
    expect(waits).toEqual([40_000, 40_000]);
    asked = [];
    waits = [];
    await expect(clientOf(endpoint, { retryMs: 0 }).call(get)).rejects.toThrow("No.");
    expect(waits).toEqual([]);
  });

  it("within its time, of which slow answers take a part", async () => {
    const slow = {
      ...world,
      fetch: async (...sent: Parameters<typeof fetch>) => {
        nowMs += 10_000;
        return fetch(...sent);
      },
    };
    answers = [{ ...throttled, body: throttled.body.replace(":1}", ":12}") }];
    const client = platClient({ endpoint }, slow as never);
    await expect(client.call({ method: "GET", path: path`/v1/pools` })).rejects.toThrow("No.");
    expect(waits).toEqual([12_000]);
  });

  it("never after its signal, whose reason is thrown, also out of a wait", async () => {
    const [reason, ending] = [new Error("enough"), new AbortController()];
    // The client asks for chance right before it waits.
    const random = () => {
      ending.abort(reason);
      return 1;
    };
    answers = ["hangs up"];
    const reading = platClient({ endpoint }, { random }).listPools({ signal: ending.signal });
    await expect(reading).rejects.toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it.each([-1, 600_001, Number.NaN])("never for %s ms, which is no time for it", (retryMs) => {
    expect(() => clientOf(endpoint, { retryMs })).toThrow(
      `retryMs is ${retryMs}; it must be a number of milliseconds from 0 to 600000.`,
    );
  });

  it("a few times, and then says what was said last, without another wait", async () => {
    answers = [unavailable];
    expect(await failure()).toMatchObject({ code: "unavailable" });
    expect(asked).toHaveLength(5);
    expect(waits).toHaveLength(4);
  });

  it("where it got no answer and reads only, or has a key, or is said to be repeatable", async () => {
    const harmless: readonly Partial<Request>[] = [
      {},
      { method: "POST", path: path`/v1/assign`, headers: { "Idempotency-Key": "k" }, body: {} },
      { method: "POST", path: path`/v1/release`, body: {}, isRepeatable: true },
    ];
    for (const request of harmless) {
      asked = [];
      answers = ["hangs up", well];
      await call(request);
      expect(asked).toHaveLength(2);
    }
  });

  it("also as a write where it was throttled: nothing was done", async () => {
    answers = [throttled, well];
    await call(put);
    expect(asked).toHaveLength(2);
  });
});

describe("a call is not repeated", () => {
  it("where a write got no answer, or failed: it may have happened", async () => {
    const assign = { method: "POST", path: path`/v1/assign`, body: {} } as const;
    for (const answer of ["hangs up", unavailable, { status: 502, body: "" }] as const)
      for (const request of [put, assign]) {
        asked = [];
        answers = [answer];
        expect(mayBeDone(await failure(request))).toBe(true);
        expect(asked).toHaveLength(1);
      }
  });

  it("where a release may be done, or half done: what was assigned under the name since would go with it", async () => {
    const release = { method: "POST", path: path`/v1/release`, body: { handle: "h" } } as const;
    const releases = [
      release,
      { ...release, path: path`/v1/prefixes/release` },
      { method: "DELETE", path: path`/v1/handles/${"h"}` },
    ] as const;
    for (const request of releases)
      for (const answer of [
        "hangs up",
        throttled,
        unavailable,
        { status: 503, body: "" },
      ] as const) {
        asked = [];
        answers = [answer, well];
        await failure(request);
        expect(asked).toHaveLength(1);
      }
    answers = [{ status: 429, body: '{"message":"Too Many Requests"}' }, well];
    asked = [];
    expect(await call(release)).toMatchObject({ status: 200 });
  });

  it("where the wait does not fit its time, or nobody says how long", async () => {
    for (const retryAfterSeconds of [60, undefined]) {
      asked = [];
      answers = [
        problem({
          code: "address_cooling",
          retryable: true,
          ...(retryAfterSeconds && { retryAfterSeconds }),
        }),
      ];
      expect(await failure()).toMatchObject({ code: "address_cooling" });
      expect(asked).toHaveLength(1);
    }
    expect(waits).toEqual([]);
  });
});

describe("an endpoint", () => {
  it("on this machine where nobody listens is told at the first try, with what to do", async () => {
    stop();
    const release = { method: "POST", path: path`/v1/release`, body: { handle: "h" } } as const;
    for (const request of [{}, put, release]) {
      const error = await failure(request);
      expect(error).toBeInstanceOf(NotSent);
      expect(mayBeDone(error)).toBe(false);
      expect(error.message).toMatch(
        /^No server is listening at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)\.\nNothing was sent\. Start a server with `plat serve`/,
      );
    }
    expect(waits).toEqual([]);
  });

  it("that speaks no TLS is told at the first try", async () => {
    const error = await failure(put, endpoint.replace("http:", "https:"));
    expect(error.message).toContain("does not speak TLS");
    expect(error).toBeInstanceOf(NotSent);
    expect(waits).toEqual([]);
  });

  it("elsewhere where nobody listens is tried a few times, writes too: nothing was sent", async () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 192.0.2.1:443"), {
      code: "ECONNREFUSED",
      syscall: "connect",
      address: "192.0.2.1",
    });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed", { cause })));
    const error = await failure(put, "https://plat.example");
    expect(error.message).toMatch(
      /^https:\/\/plat\.example cannot be reached: connect ECONNREFUSED 192\.0\.2\.1:443\.\nNothing was sent\./,
    );
    expect(mayBeDone(error)).toBe(false);
    expect(waits).toHaveLength(4);
  });

  it("that stops answering and then is gone may have carried the request out", async () => {
    answers = ["hangs up"];
    const keyed = { ...put, headers: { "Idempotency-Key": "k" } };
    const sleep = async () => {
      stop();
    };
    const client = platClient({ endpoint }, { ...world, sleep });
    const error = await client.call(keyed).catch((thrown) => thrown);
    expect(asked).toHaveLength(1);
    expect(error.message).toMatch(
      / does not answer: .*\nThe last try failed otherwise: No server /,
    );
    expect(mayBeDone(error)).toBe(true);
  });

  it.each([
    [
      "a page",
      { status: 200, body: "<html>\n  <body>\u001b[31mHi" },
      "answers 200, but not as Plat does: <html> <body> [31mHi",
    ],
    ["other JSON", { status: 200, body: '"ok"' }, 'answers 200, but not as Plat does: "ok"'],
    [
      "a redirection",
      { status: 301, body: "", headers: { location: "https://plat.example/" } },
      "answers 301 with a redirection.\nUse https://plat.example/ as the endpoint.",
    ],
    [
      "a redirection of its route",
      { status: 308, body: "", headers: { location: "/prod/v1/spaces/blue/pools/web?x=1" } },
      `answers 308 with a redirection.\nUse ENDPOINT/prod as the endpoint.`,
    ],
    ["nothing", { status: 200, body: " " }, "answers 200, but not as Plat does: its body is empty"],
  ])("that answers with %s is not Plat", async (_, answer, said) => {
    answers = [answer];
    const error = await failure(put);
    expect(error.message).toBe(`${endpoint} ${said.replace("ENDPOINT", endpoint)}`);
    expect(asked).toHaveLength(1);
  });

  it.each([
    [401, '{"message":"Unauthorized"}', "Check the AWS credentials"],
    [403, '{"message":"Forbidden"}', "Check the AWS credentials and their permissions"],
    [403, "<html>blocked", "or a Region is given"],
    [404, '{"message":"Not Found"}', "Check the endpoint, with the stage or the path"],
  ])("whose gateway says %i is a no: Plat was not asked", async (status, body, said) => {
    answers = [{ status, body }];
    for (const request of [{}, put]) {
      asked = [];
      const error = await failure(request);
      expect(error).toBeInstanceOf(NotPlat);
      expect(error).toMatchObject({ status, isDenied: true });
      expect(error.message).toMatch(
        `${endpoint} answers ${status}, but not as Plat does: ${body}\n`,
      );
      expect(error.message).toContain(said);
      expect(error.message).toMatch(/Plat did not get the request\.$/);
      expect(asked).toHaveLength(1);
    }
  });

  it("of API Gateway that is too busy, or does not get an answer of Plat, is asked again", async () => {
    answers = [
      { status: 429, body: '{"message":"Too Many Requests"}' },
      { status: 503, body: '{"message":"Service Unavailable"}' },
      well,
    ];
    expect(await call()).toMatchObject({ status: 200 });
    answers = [{ status: 429, body: '{"message":"Too Many Requests"}' }, well];
    asked = [];
    expect(await call(put)).toMatchObject({ status: 200 });
  });

  it.each(["plat.example", "ftp://plat.example"])(
    "such as %s is rejected before anything is sent",
    (at) => {
      expect(() => clientOf(at)).toThrow(
        expect.objectContaining({ name: "InvalidCall", message: expect.stringContaining(at) }),
      );
    },
  );
});

describe("an endpoint with what may be secret is rejected, and only its origin is told", () => {
  it.each([
    ["a user and a password", "http://user:secret@plat.example/prod", "http://plat.example"],
    ["a user", "http://secret@plat.example:8787", "http://plat.example:8787"],
    ["a password", "https://:secret@plat.example", "https://plat.example"],
    ["a query", "https://plat.example?key=secret", "https://plat.example"],
    ["a fragment", "https://plat.example#secret", "https://plat.example"],
    ["a user, and no host", "user:secret@plat.example", ""],
    ["a user, and another scheme", "ftp://user:secret@plat.example", ""],
    ["a user, and no scheme", "//user:secret@plat.example", ""],
  ])("%s", (_, at, origin) => {
    const rejection = (() => {
      try {
        clientOf(at);
      } catch (error) {
        return error as Error;
      }
    })();
    expect(rejection).toBeInstanceOf(InvalidCall);
    expect(rejection?.message).toContain(origin);
    expect(rejection?.message).toContain("without user, password, query or fragment");
    expect(rejection?.message).not.toMatch(/secret|user:/);
  });
});

describe("an endpoint of API Gateway", () => {
  let sent: globalThis.Request[];
  beforeEach(() => {
    sent = [];
    vi.stubGlobal("fetch", async (input: globalThis.Request | string, init?: RequestInit) => {
      sent.push(new globalThis.Request(input, init));
      return Response.json({ pools: [] });
    });
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI");
    vi.stubEnv("AWS_SESSION_TOKEN", "a-session");
  });

  it.each([
    ["https://abc123.execute-api.eu-central-1.amazonaws.com", "eu-central-1"],
    ["https://abc123.execute-api.cn-north-1.amazonaws.com.cn", "cn-north-1"],
    ["https://abc123.execute-api.us-east-1.api.aws", "us-east-1"],
  ])("%s is called with signed requests of its Region", async (at, region) => {
    await call(put, at);
    const [request] = sent;
    expect(request?.url).toBe(`${at}/v1/spaces/blue/pools/web`);
    expect(request?.headers.get("authorization")).toMatch(
      new RegExp(
        `^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\\d{8}/${region}/execute-api/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$`,
      ),
    );
    expect(request?.headers.get("x-amz-security-token")).toBe("a-session");
    expect(await request?.json()).toEqual(put.body);
  });

  it("behind a domain name of its own is called with signed requests of the Region that is said", async () => {
    const at = "https://plat.example/ipam";
    await clientOf(at, { region: "eu-west-1", token: "0123456789abcdef" }).call(put);
    const [request] = sent;
    expect(request?.url).toBe(`${at}/v1/spaces/blue/pools/web`);
    expect(request?.headers.get("authorization")).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request, /,
    );
    await call({}, at);
    expect(sent[1]?.headers.get("authorization")).toBeNull();
  });

  it("is asked with other credentials when they have expired, as they do while a job is waited for", async () => {
    vi.stubEnv("AWS_CREDENTIAL_EXPIRATION", "2026-01-01T00:00:00Z");
    const client = clientOf("https://a.execute-api.eu-central-1.amazonaws.com");
    const get = { method: "GET", path: path`/v1/pools` } as const;
    await client.call(get);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDANOTHER");
    await client.call(get);
    const [first, second] = sent.map(({ headers }) => headers.get("authorization"));
    expect(first).toContain("Credential=AKIDEXAMPLE/");
    expect(second).toContain("Credential=AKIDANOTHER/");
  });

  it("without credentials is rejected before anything is sent", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"])
      vi.stubEnv(name, "");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    const error = await failure({}, "https://a.execute-api.eu-central-1.amazonaws.com");
    expect(error).toBeInstanceOf(InvalidCall);
    expect(error.message).toMatch(/^No AWS credentials to sign requests with: /);
    for (const way of ["aws sso login", "AWS_PROFILE", "PLAT_TOKEN"])
      expect(error.message).toContain(way);
    expect(sent).toEqual([]);
  });

  it("is sent the token in place of a signature, unless a Region is said", async () => {
    const at = "https://a.execute-api.eu-central-1.amazonaws.com";
    const token = "0123456789abcdef";
    await clientOf(at, { token }).call(put);
    await clientOf(at, { token, region: "eu-central-1" }).call(put);
    const [withToken, signed] = sent.map(({ headers }) => headers.get("authorization"));
    expect(withToken).toBe(`Bearer ${token}`);
    expect(signed).toMatch(/^AWS4-HMAC-SHA256 /);
  });

  it("is sent the key of a usage plan beside a signature or a token", async () => {
    const at = "https://a.execute-api.eu-central-1.amazonaws.com/live";
    await clientOf(at, { apiKey: "a-key" }).call(put);
    await clientOf(at, { apiKey: "a-key", token: "0123456789abcdef" }).call(put);
    await clientOf(at).call(put);
    expect(sent.map(({ headers }) => headers.get("x-api-key"))).toEqual(["a-key", "a-key", null]);
    const broken = clientOf(at, { apiKey: "a\nb" }).call(put);
    await expect(broken).rejects.toThrow("The API key must have visible ASCII characters only.");
  });

  it("is one by its name only: nobody else is sent a signature", async () => {
    await call({}, "https://execute-api.eu-central-1.amazonaws.com.example");
    expect(sent[0]?.headers.get("authorization")).toBeNull();
  });
});
