import { newNameProblem } from "../api/schema/field.ts";
import { CniError, CODE } from "./error.ts";

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

const COMMANDS = ["ADD", "DEL", "CHECK", "GC", "STATUS", "VERSION"] as const;

type Command = (typeof COMMANDS)[number];

/** A pod, as Kubernetes runtimes name it in `CNI_ARGS`. */
interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
}

/** The interface of a container that a network is attached to. */
export interface Container {
  readonly containerId: string;
  readonly ifName: string;
  /** Absent outside of Kubernetes. */
  readonly pod: Pod | undefined;
  /** The address that `IP` in `CNI_ARGS` asks for, as it is there. */
  readonly ip: string | undefined;
}

/** Returns the command of the runtime. @throws {CniError} */
export function commandOf({ CNI_COMMAND: sent }: Variables): Command {
  const command = COMMANDS.find((one) => one === sent);
  if (command) return command;
  throw invalid("CNI_COMMAND", sent, `must be one of ${COMMANDS.join(", ")}`);
}

/** Returns the container that an ADD, a DEL or a CHECK is for. @throws {CniError} */
export function containerOf(variables: Variables): Container {
  const { CNI_CONTAINERID: containerId = "", CNI_IFNAME: ifName = "", CNI_ARGS } = variables;
  if (!CONTAINER_ID.test(containerId))
    throw invalid(
      "CNI_CONTAINERID",
      containerId,
      "must begin with a letter or a digit, and have letters, digits, _, . and - only",
    );
  if (!IF_NAME.test(ifName) || newNameProblem(ifName) !== undefined)
    throw invalid(
      "CNI_IFNAME",
      ifName,
      "must be the name of an interface of at most 15 characters, without /, :, ?, %, # and spaces",
    );
  const args = argumentsOf(CNI_ARGS ?? "");
  return { containerId, ifName, pod: podOf(args), ip: args.get("IP") };
}

/** https://www.cni.dev/docs/spec/#parameters */
const CONTAINER_ID = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const IF_NAME = /^[^\s/:\p{Cc}]{1,15}$/u;

const invalid = (name: string, value: string | undefined, problem: string) =>
  new CniError(
    CODE.invalidEnvironment,
    `${name} is ${value === undefined ? "missing" : JSON.stringify(value)}; it ${problem}.`,
  );

/** Parses `K8S_POD_NAMESPACE=shop;K8S_POD_NAME=web-0`. */
const argumentsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(";")
      .map((pair) => pair.split("="))
      .map(([name = "", ...value]) => [name.trim(), value.join("=").trim()]),
  );

function podOf(args: ReadonlyMap<string, string>): Pod | undefined {
  const [namespace, name] = [args.get("K8S_POD_NAMESPACE"), args.get("K8S_POD_NAME")];
  if (!namespace || !name) return undefined;
  return { namespace, name, uid: args.get("K8S_POD_UID") || undefined };
}
