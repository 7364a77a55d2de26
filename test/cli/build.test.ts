import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND_BUILD } from "../../pack/command.ts";
import manifest from "../../package.json" with { type: "json" };
import { terminal } from "./terminal.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { server, space } = terminal();

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-"));
  // Outside of the clone, so that the file can import no other file and finds no package.json.
  await build({ ...COMMAND_BUILD, absWorkingDir: ROOT, outfile: join(folder, "plat") });
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a line in a shell that finds the built file as `plat`. */
async function shell(line: string, input = "") {
  const child = spawn("bash", ["-c", line], {
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      PLAT_ENDPOINT: server().url,
      PLAT_SPACE: space(),
    },
  });
  child.stdin.end(input);
  const [[code], out, err] = await Promise.all([
    once(child, "close"),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { exit: code as number, out, err };
}

describe("the built file", () => {
  it("is the command, alone, as one file", async () => {
    expect(await shell("plat --version")).toEqual({
      exit: 0,
      out: `${manifest.version}\n`,
      err: "",
    });
    const help = await shell("plat --help");
    expect(help).toMatchObject({ exit: 0, err: "" });
    expect(help.out).toMatch(/^Usage: plat /);
  });

  it("names its commit, keeps contexts, and applies a stream of events line by line", async () => {
    const { out } = await shell("plat version -o jsonpath='{.client.commit}'");
    expect(out).toMatch(/^[0-9a-f]{12}(-dirty)?\n$/);
    const set = `plat config set lab --endpoint ${server().url} --space ${space()}`;
    const listed = await shell(
      `${set} && env -u PLAT_ENDPOINT -u PLAT_SPACE plat pool get -o json`,
    );
    expect(listed).toMatchObject({ exit: 0, err: expect.stringContaining(`Space "${space()}"`) });
    const event = '{"type": "BOOKMARK", "object": {"kind": "Node"}}\n';
    const sent = await shell("plat event send - -o json", event.repeat(3));
    expect(sent.out.trimEnd().split("\n")).toHaveLength(3);
  });

  it("applies what it gets on stdin, and says how it ended", async () => {
    const stdin =
      "apiVersion: projectcalico.org/v3\nkind: IPPool\nmetadata: {name: web}\nspec: {cidr: 10.0.0.0/16}\n";
    expect(await shell("plat pool apply -f -", stdin)).toEqual({
      exit: 0,
      out: "ippool/web created\n",
      err: "",
    });
    expect((await shell("plat pool get web -o yaml")).out).toContain("cidr: 10.0.0.0/16\n");
    expect((await shell("plat pool get nope")).exit).toBe(1);
    expect((await shell("plat pool got")).exit).toBe(2);
    expect((await shell("plat pool get --endpoint http://127.0.0.1:1")).exit).toBe(3);
  });

  it("lets somebody who reads its help alone create a pool, assign three addresses, find one by the beginning of its handle and release them", async () => {
    /** Returns the line of an example in the help of a command that begins with these words. */
    const example = async (help: string, words: string): Promise<string> => {
      const { out } = await shell(help);
      const line = out.split("\n").find((one) => one.trim().startsWith(words));
      if (line === undefined) throw new Error(`"${help}" has no example of "${words}":\n${out}`);
      return line.trim();
    };
    expect(await shell(await example("plat --help", "plat pool create"))).toMatchObject({
      exit: 0,
      out: "ippool/default-ipv4 created\n",
    });
    const assign = await example("plat --help", "plat assign");
    for (const handle of ["web-0", "web-1", "web-2"])
      expect(await shell(assign.replace("web-0", handle))).toMatchObject({ exit: 0 });
    const find = await example("plat handle get --help", "plat handle get --prefix");
    expect((await shell(find)).out).toMatch(/^HANDLE\nweb-0\nweb-1\nweb-2\n$/);
    const show = await example("plat handle --help", "plat handle get web-0");
    expect((await shell(show.replace("web-0", "web-1"))).out).toMatch(/^ADDRESS .*\n10\.0\./);
    const release = await example("plat --help", "plat release --handle");
    for (const handle of ["web-0", "web-1", "web-2"])
      expect(await shell(release.replace("web-0", handle))).toMatchObject({ exit: 0 });
    expect((await shell("plat address get --state assigned -o name")).out).toBe("");
  });

  it("ends without a word when its reader has seen enough", async () => {
    const nodes = Array.from({ length: 60 }, (_, i) => ({
      name: `n${i}`,
      labels: Object.fromEntries(Array.from({ length: 60 }, (_, j) => [`l${j}`, "x".repeat(60)])),
    }));
    await shell("plat node apply -f -", JSON.stringify({ nodes }));
    const { exit, out, err } = await shell("set -o pipefail; plat node get -o json | head -1");
    expect({ exit, out, err }).toEqual({ exit: 0, out: "{\n", err: "" });
  });

  it("writes all that it was told to, also when the reader of its output is gone", async () => {
    const names = Array.from({ length: 30 }, (_, i) => `early-${i}`);
    const pools = names.map((name, i) => ({ name, cidr: `10.77.${i}.0/24` }));
    const line = "set -o pipefail; plat pool apply -f - 2>&1 | head -1";
    expect(await shell(line, JSON.stringify({ pools }))).toEqual({
      exit: 0,
      out: "ippool/early-0 created\n",
      err: "",
    });
    const { out } = await shell("plat pool get -o name");
    expect(out.split("\n")).toEqual(expect.arrayContaining(names));
  });

  it.runIf(existsSync("/dev/full"))(
    "says without a trace that stdout is full, with the output of a command that writes",
    async () => {
      const full = "stdout cannot be written: ENOSPC: no space left on device, write";
      const { exit, err } = await shell("plat pool create web --cidr 10.0.0.0/24 > /dev/full");
      expect({ exit, err }).toEqual({
        exit: 3,
        err: `Error: ${full}\n  It lacks this output, or a part of it:\n  ippool/web created\n`,
      });
      expect(await shell("plat pool get -o name > /dev/full")).toMatchObject({
        exit: 3,
        err: `Error: ${full}\n`,
      });
      expect((await shell("plat pool get -o name")).out).toBe("web\n");
    },
  );

  it.runIf(existsSync("/dev/full"))(
    "does all its work when the disk becomes full, and stderr has what stdout lacks",
    async () => {
      const names = Array.from({ length: 60 }, (_, i) => `late-${i}`);
      const pools = JSON.stringify({
        pools: names.map((name, i) => ({ name, cidr: `10.78.${i}.0/24` })),
      });
      const lines = names.map((name) => `ippool/${name} created`);
      const applied = await shell("plat pool apply -f - > /dev/full", pools);
      expect(applied.exit).toBe(3);
      expect(applied.err.match(/ippool\/.*/g)).toEqual(lines);
      // The limit of 1024 bytes cuts off a line, of which the program hears nothing.
      const asked = names.map((name) =>
        JSON.stringify({ assign: { host: "a", ipv4: 1, handle: name, pools: ["late-0"] } }),
      );
      const batch = "(ulimit -f 1; plat batch - > results); code=$?; cat results; exit $code";
      const { exit, out, err } = await shell(batch, asked.join("\n"));
      expect({ exit, length: out.length }).toEqual({ exit: 3, length: 1024 });
      const whole = new Set([...out.matchAll(/^{.*}$/gm), ...err.matchAll(/{.*}$/gm)].map(String));
      const handles = [...whole].map((line) => JSON.parse(line).assigned.handle as string);
      expect(handles.sort()).toEqual(names.toSorted());
      expect(err.match(/{.*}$/gm)?.length).toBeLessThan(names.length);
    },
  );

  it("keeps no data as a server, names the package that does, and serves no console", async () => {
    expect(await shell("plat serve --data ./data --port 0")).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/^Keeping data needs lmdb, .* npm install plat-ipam elsewhere,/),
    });
    const { out } = await shell(
      "plat serve --memory --port 0 > said & until grep -q Next said; do sleep 0.1; done; kill %1; cat said",
    );
    expect(out).toContain("Plat listens on http://127.0.0.1:");
    expect(out).not.toContain("The console is at");
  });

  it("shows colors where it is told to, and none where NO_COLOR is set", async () => {
    const bold = "\u001b[1mUsage:";
    expect((await shell("plat --help")).out).not.toContain(bold);
    expect((await shell("FORCE_COLOR=1 plat --help")).out).toContain(bold);
    expect((await shell("NO_COLOR=1 FORCE_COLOR=1 plat --help")).out).not.toContain(bold);
  });

  it("signs for API Gateway with the credentials of the environment, all in the one file", async () => {
    // A fake AWS. It answers with a pool whose name is the signature of the request.
    await writeFile(
      join(folder, "aws.mjs"),
      "globalThis.fetch = async ({ headers }) => Response.json({ pools: [{ name: headers.get('authorization') }] });",
    );
    const { exit, out } = await shell(
      "AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret NODE_OPTIONS='--import ./aws.mjs' plat pool get --endpoint https://abc.execute-api.eu-central-1.amazonaws.com",
    );
    expect(exit).toBe(0);
    expect(out).toMatch(
      /AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/execute-api\/aws4_request, /,
    );
  });
});

describe("completion in bash", () => {
  /** Returns the words that bash offers for a line when the tab key is pressed. */
  const offered = async (...words: readonly string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(" ");
    // Functions that bash-completion defines, if it is installed.
    const line = `
      _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; prev=\${words[cword-1]}; }
      compopt() { :; }
      source <(plat completion bash)
      COMP_WORDS=(plat ${quoted}); COMP_CWORD=${words.length}
      __plat_complete
      printf '%s\\n' "\${COMPREPLY[@]}"
    `;
    const { out, err } = await shell(line);
    expect(err).toBe("");
    return out.split("\n").filter(Boolean);
  };

  it("offers commands, options and their values", async () => {
    expect(await offered("poo")).toEqual(["pool"]);
    expect(await offered("pool", "")).toEqual(expect.arrayContaining(["get", "apply", "drain"]));
    expect(await offered("pool", "get", "--out")).toEqual(["--output"]);
    expect(await offered("pool", "get", "-o", "y")).toEqual(["yaml"]);
    expect(await offered("configure", "--strictaffinity", "")).toEqual(["true", "false"]);
  });

  it("is registered for the command", async () => {
    const { out } = await shell("source <(plat completion bash); complete -p plat");
    expect(out).toBe("complete -F __plat_complete plat\n");
  });
});
