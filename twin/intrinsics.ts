import { attributeOf, nameOf, type Resource, refOf, type Stack } from "./names.ts";

const PARTITION = "aws";
const URL_SUFFIX = "amazonaws.com";

/**
 * Resolves the intrinsics of a template as CloudFormation does during a deployment. The names and ARNs are made up, and
 * well-formed.
 */
export class Intrinsics {
  readonly #stacks: readonly Stack[];

  constructor(stacks: readonly Stack[]) {
    this.#stacks = stacks;
  }

  /** Returns the name of a resource. */
  nameOf(stack: Stack, id: string): string {
    const resource = resourceOf(stack, id);
    return nameOf(stack, id, resource.Type, this.#property(stack, resource));
  }

  /**
   * Returns a value of a template with its intrinsics resolved.
   *
   * @throws if it does not know an intrinsic or an attribute
   */
  resolve(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.resolve(stack, one));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = []] = entries;
    const isIntrinsic = entries.length === 1 && (name === "Ref" || name?.startsWith("Fn::"));
    if (isIntrinsic) return this.#intrinsic(stack, name as string, argument);
    return Object.fromEntries(entries.map(([key, one]) => [key, this.resolve(stack, one)]));
  }

  #intrinsic(stack: Stack, name: string, argument: unknown): unknown {
    switch (name) {
      case "Ref":
        return this.#ref(stack, String(argument));
      case "Fn::GetAtt": {
        const [id, attribute] = Array.isArray(argument) ? argument : String(argument).split(".");
        return this.#attribute(stack, String(id), String(attribute));
      }
      case "Fn::Join": {
        const [delimiter, parts] = this.resolve(stack, argument) as [string, readonly string[]];
        return parts.join(delimiter);
      }
      case "Fn::Select": {
        const [index, values] = this.resolve(stack, argument) as [number, readonly unknown[]];
        return values[Number(index)];
      }
      case "Fn::Split": {
        const [delimiter, text] = this.resolve(stack, argument) as [string, string];
        return text.split(delimiter);
      }
      case "Fn::Sub":
        return this.#sub(stack, argument);
      case "Fn::ImportValue":
        return this.#import(String(this.resolve(stack, argument)));
      default:
        throw new Error(`the intrinsic ${name} is not known`);
    }
  }

  #ref(stack: Stack, id: string): string {
    switch (id) {
      case "AWS::AccountId":
        return stack.account;
      case "AWS::Region":
        return stack.region;
      case "AWS::Partition":
        return PARTITION;
      case "AWS::URLSuffix":
        return URL_SUFFIX;
      case "AWS::StackName":
        return stack.name;
    }
    const named = stack.parameters?.[id];
    if (named !== undefined) return named;
    const resource = resourceOf(stack, id);
    return refOf(stack, id, resource.Type, this.#property(stack, resource));
  }

  #attribute(stack: Stack, id: string, attribute: string): string {
    const resource = resourceOf(stack, id);
    return attributeOf(stack, id, resource.Type, attribute, this.#property(stack, resource));
  }

  /** Resolves `${Name}`, `${Name.Attribute}`, and `${!Literal}`. */
  #sub(stack: Stack, argument: unknown): string {
    const [text, variables = {}] = Array.isArray(argument) ? argument : [argument];
    return String(text).replace(/\$\{([^}]*)\}/g, (_, named: string) => {
      if (named.startsWith("!")) return `\${${named.slice(1)}}`;
      if (Object.hasOwn(variables, named)) return String(this.resolve(stack, variables[named]));
      const [id = "", attribute] = named.split(".");
      return attribute === undefined ? this.#ref(stack, id) : this.#attribute(stack, id, attribute);
    });
  }

  #import(name: string): unknown {
    for (const stack of this.#stacks)
      for (const { Value, Export } of Object.values(stack.outputs))
        if (Export && this.resolve(stack, Export.Name) === name) return this.resolve(stack, Value);
    throw new Error(`no stack exports ${name}`);
  }

  #property(stack: Stack, { Properties = {} }: Resource) {
    return (name: string) => this.resolve(stack, Properties[name]);
  }
}

function resourceOf(stack: Stack, id: string): Resource {
  const resource = stack.resources[id];
  if (!resource) throw new Error(`the stack ${stack.name} has no resource ${id}`);
  return resource;
}
