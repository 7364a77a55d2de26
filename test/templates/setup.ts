export { makeEnvironment as setup } from "./python.ts";
