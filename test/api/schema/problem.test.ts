import { describe, expect, it } from "vitest";
import {
  invalid,
  PROBLEMS,
  Problem,
  problemAnswer,
  problemOf,
} from "../../../src/api/schema/problem.ts";
import {
  ContentionError,
  Rejection,
  ThrottledError,
  UnavailableError,
} from "../../../src/base/outcome.ts";

describe("a problem", () => {
  it("is RFC 9457 with a stable code, and carries the ids and numbers of its rejection", () => {
    const rejection = new Rejection("address_cooling", "Address 10.0.0.7 …", {
      address: "10.0.0.7",
    });
    expect(problemAnswer(problemOf(rejection), "request-1")).toEqual({
      status: 409,
      headers: { "content-type": "application/problem+json" },
      body: {
        type: "urn:plat:problem:address_cooling",
        title: "The address is cooling",
        status: 409,
        detail: "Address 10.0.0.7 …",
        code: "address_cooling",
        retryable: true,
        requestId: "request-1",
        address: "10.0.0.7",
      },
    });
  });

  it.each([
    [new ContentionError("others were faster"), 503, "contended", "Others were faster."],
    [new ThrottledError("not now"), 429, "throttled", "Not now."],
    [new UnavailableError("no answer"), 503, "unavailable", "No answer."],
  ])("of %s says when to come again", (error, status, code, detail) => {
    const answer = problemAnswer(problemOf(error), "r");
    expect(answer).toMatchObject({ status, body: { code, detail, retryable: true } });
    expect(answer.headers).toHaveProperty("retry-after");
    expect(String(answer.body.retryAfterSeconds)).toBe(answer.headers["retry-after"]);
  });

  it.each([new ThrottledError("not now"), new UnavailableError("no answer")])(
    "of %s names the handle of an assign that was cut short",
    (error) => {
      expect(problemAnswer(problemOf(error), "r").body).not.toHaveProperty("handle");
      error.handle = "pod-7";
      expect(problemAnswer(problemOf(error), "r").body).toMatchObject({ handle: "pod-7" });
    },
  );

  it("of a request in progress says how long it may be", () => {
    const rejection = new Rejection("request_in_progress", "…", { retryAfterSeconds: 9 });
    const { headers, body } = problemAnswer(problemOf(rejection), "r");
    expect(headers["retry-after"]).toBe("9");
    expect(body.retryAfterSeconds).toBe(9);
  });

  it("that nobody expected gives nothing away", () => {
    const { status, body } = problemAnswer(problemOf(new TypeError("secret")), "request-1");
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(body.requestId).toBe("request-1");
  });

  it("of a nonsense body lists what is wrong up to a maximum", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({
      field: `f${i}`,
      problem: "is wrong",
    }));
    const { detail, members } = invalid(...many);
    expect(detail).toBe("f0 is wrong; f1 is wrong; f2 is wrong; and 9997 more.");
    expect(members.fields).toHaveLength(50);
  });

  it.each(Object.entries(PROBLEMS))("%s is an error by its status", (code, { status, title }) => {
    const { body } = problemAnswer(new Problem(code as keyof typeof PROBLEMS, "…"), "r");
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).not.toBe("");
    expect(body).toMatchObject({ code, status });
  });
});
