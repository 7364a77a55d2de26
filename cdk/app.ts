import { App } from "aws-cdk-lib";
import { ENVIRONMENT_NAMES } from "./environments.ts";
import { stageOfContext } from "./stage.ts";

const app = new App();
for (const name of ENVIRONMENT_NAMES) stageOfContext(app, name);
