import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { UNNAMED } from "./environments.ts";
import { Service, type ServiceProps } from "./service.ts";

export interface StatelessStackProps extends ServiceProps {
  readonly env?: StackProps["env"];
}

/**
 * The stack that can be deployed again at any time: functions, API, schedules and alarms. With policies for many spaces
 * its template would be near the size that CloudFormation takes, if half of it were indentation.
 */
export class StatelessStack extends Stack {
  constructor(scope: Construct, id: string, { env, ...props }: StatelessStackProps) {
    super(scope, id, { ...(env && { env }), suppressTemplateIndentation: true });
    const { endpoint, alarms, eventQueue, publishing } = new Service(this, UNNAMED, props);
    new CfnOutput(this, "Endpoint", { value: endpoint });
    new CfnOutput(this, "AlarmTopic", { value: alarms.topic.topicArn });
    new CfnOutput(this, "EventQueue", { value: eventQueue.queueUrl });
    if (publishing) new CfnOutput(this, "EventBus", { value: publishing.bus.eventBusName });
  }
}
