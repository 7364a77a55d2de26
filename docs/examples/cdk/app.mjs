// A CDK app whose stack has a pool and an address of it, and a prefix for its VPC.
// The context of the app, such as cdk.json, has {"plat": {"apiId": "abc123"}}.
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { CfnVPC } from "aws-cdk-lib/aws-ec2";
import { PlatAddress, PlatApi, PlatPool, PlatPrefix } from "plat-ipam/cdk";

const app = new App();
const stack = new Stack(app, "shop");
const api = new PlatApi(stack, "Plat", app.node.getContext("plat"));

const lan = new PlatPool(stack, "Lan", {
  api,
  cidr: "10.1.0.0/24",
  kind: "subnet",
  gateway: "10.1.0.1",
});
const web = new PlatAddress(stack, "Web", { pool: lan, handle: "web-0" });
new CfnOutput(stack, "WebAddress", { value: `${web.cidr} via ${web.gateway}` });

// This pool is there already, for the VPCs of all stacks.
const vpcs = PlatPool.fromPoolName(api, "vpcs");
const range = new PlatPrefix(stack, "Range", { pool: vpcs });
new CfnVPC(stack, "Vpc", { cidrBlock: range.cidr });
