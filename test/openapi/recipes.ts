import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HERE, run, StepFailed } from "./tools.ts";

/* The recipes of `docs/clients.md` whose programs come from PyPI, carried out as a reader does. */

const EXAMPLES = fileURLToPath(new URL("../../docs/examples", import.meta.url));
const HOSTS = ["vm-1", "vm-2"];

/** Creates the pool that the recipes name. */
export const createLan = (url: string): Promise<void> =>
  createPool(url, "lan", { cidr: "10.1.0.0/24", kind: "subnet", gateway: "10.1.0.1" });

/**
 * Plays the playbook twice, and then with `state=absent`. Each host has the same address after the first two, and none
 * after the last.
 *
 * @param bin the folder with the programs of the virtual environment
 * @param home a folder for what Ansible keeps
 */
export async function playAnsible(url: string, bin: string, home: string): Promise<string> {
  const play = (...more: readonly string[]) => {
    const args = ["-i", `${HOSTS.join(",")},`, join(EXAMPLES, "ansible", "address.yml")];
    const env = { ANSIBLE_HOME: home, ANSIBLE_NOCOLOR: "true" };
    return run(join(bin, "ansible-playbook"), [...args, "-e", `plat=${url}`, ...more], { env });
  };
  const [first, second] = [await play(), await play()].map(shownIn);
  const held = await Promise.all(HOSTS.map((host) => heldBy(url, `ansible/${host}`)));
  await play("-e", "state=absent");
  const after = await Promise.all(HOSTS.map((host) => heldBy(url, `ansible/${host}`)));
  const shown = held.flat().map((cidr) => `${cidr} via 10.1.0.1`);
  expectSame("the addresses that it shows", first, shown.sort());
  expectSame("those of the second play", second, first);
  expectSame("those after the release", after.flat(), []);
  return held.flat().join(" and ");
}

/** Sends the requests that the Terraform provider makes of the example, and checks the path to the address. */
export async function replayTerraform(url: string, bin: string): Promise<string> {
  const example = join(EXAMPLES, "terraform", "main.tf");
  const args = [join("client", "terraform.py"), example, url];
  return (await run(join(bin, "python"), args, { cwd: HERE })).trim();
}

async function createPool(url: string, name: string, pool: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(pool);
  const { status } = await fetch(`${url}/v1/pools/${name}`, { method: "PUT", headers, body });
  if (status !== 201) throw new StepFailed(`the pool was answered with ${status}`);
}

const shownIn = (printed: string) => (printed.match(/10\.\S+ via [\d.]+/g) ?? []).sort();

/** Returns the addresses of a handle with their prefix lengths. */
async function heldBy(url: string, handle: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}/v1/handles/${handle}`);
  if (answer.status === 404) return [];
  const { addresses } = (await answer.json()) as { addresses: { cidr: string }[] };
  return addresses.map(({ cidr }) => cidr);
}

function expectSame(name: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new StepFailed(`${name} are ${found}, not ${wanted}`);
}
