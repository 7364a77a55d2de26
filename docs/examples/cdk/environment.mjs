// A CDK app with an environment of Plat, a caller that may assign in one space, and a pool.
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { PlatEnvironment, PlatPool } from "plat-ipam/cdk";

const app = new App();
const stack = new Stack(app, "shop-ipam");
const plat = new PlatEnvironment(stack, "Ipam", { protection: "dev" });

const caller = new Role(stack, "Caller", { assumedBy: new ServicePrincipal("ec2.amazonaws.com") });
plat.grantAssign(caller, { space: "blue" });

new PlatPool(stack, "Lan", { api: plat.api("blue"), cidr: "10.1.0.0/24" });
new CfnOutput(stack, "Endpoint", { value: plat.endpoint });
