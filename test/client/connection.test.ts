import { describe, expect, it } from "vitest";
import { noConnection } from "../../src/client/connection.ts";

const LAPTOP = new URL("http://127.0.0.1:8787");
const AWAY = new URL("https://plat.example");

const failed = (cause: Error | undefined) => new TypeError("fetch failed", { cause });
const systemError = (fields: object) => Object.assign(new Error("because"), fields);
const refused = (address: string) =>
  systemError({ code: "ECONNREFUSED", syscall: "connect", address });

describe("a request that found no connection", () => {
  it.each(["127.0.0.1", "127.0.1.1", "::1"])(
    "on this machine, at %s, is not tried again, and says how to start a server",
    (address) => {
      const reason = noConnection(failed(refused(address)), LAPTOP);
      expect(reason?.mayPass).toBe(false);
      expect(reason?.message).toMatch(/^No server is listening at http:\/\/127\.0\.0\.1:8787 /);
      expect(reason?.message).toContain("`plat serve`");
      expect(reason?.message).toContain("name another endpoint");
    },
  );

  it("under a name with two addresses of this machine is of this machine too", () => {
    const both = new AggregateError([refused("::1"), refused("127.0.0.1")]);
    expect(noConnection(failed(both), new URL("http://localhost:8787"))?.mayPass).toBe(false);
  });

  it.each([
    ["of a server elsewhere that restarts", refused("192.0.2.1")],
    ["of a host without a route", systemError({ code: "EHOSTUNREACH", syscall: "connect" })],
    ["of a host that is slow to connect", systemError({ code: "UND_ERR_CONNECT_TIMEOUT" })],
    ["of a DNS that is busy", systemError({ code: "EAI_AGAIN", syscall: "getaddrinfo" })],
  ])("%s may find one later", (_, cause) => {
    const reason = noConnection(failed(cause), AWAY);
    expect(reason?.mayPass).toBe(true);
    expect(reason?.message).toMatch(
      /^https:\/\/plat\.example cannot be reached: because\.\nNothing was sent\./,
    );
  });

  it.each([
    [
      "whose host has no address",
      systemError({ code: "ENOTFOUND", syscall: "getaddrinfo" }),
      "The host plat.example of the endpoint has no address",
    ],
    [
      "whose server has an expired certificate",
      systemError({ code: "CERT_HAS_EXPIRED" }),
      "The certificate of https://plat.example is not accepted: because (CERT_HAS_EXPIRED).",
    ],
    [
      "whose server has a certificate for another name",
      systemError({ code: "ERR_TLS_CERT_ALTNAME_INVALID" }),
      "The certificate of https://plat.example is not accepted",
    ],
    [
      "whose server speaks plain HTTP",
      systemError({ code: "ERR_SSL_WRONG_VERSION_NUMBER" }),
      "https://plat.example does not speak TLS",
    ],
    ["of a port that no HTTP client calls", new Error("bad port"), "HTTP clients refuse"],
  ])("%s will not find one later", (_, cause, said) => {
    const reason = noConnection(failed(cause), AWAY);
    expect(reason?.mayPass).toBe(false);
    expect(reason?.message).toContain(said);
    expect(reason?.message).toContain("\nNothing was sent. ");
  });
});

describe("a request that may have been sent is not said to be without a connection", () => {
  it.each([
    ["whose connection was reset", systemError({ code: "ECONNRESET", syscall: "read" })],
    ["whose connection timed out", systemError({ code: "ETIMEDOUT", syscall: "read" })],
    ["whose other side closed", systemError({ code: "UND_ERR_SOCKET" })],
    ["whose TLS broke later", systemError({ code: "ERR_SSL_BAD_RECORD_MAC" })],
    ["of which nothing is known", undefined],
    ["one of whose addresses took it", new AggregateError([refused("::1"), new Error("reset")])],
  ])("%s", (_, cause) => {
    expect(noConnection(failed(cause), LAPTOP)).toBeUndefined();
  });
});
