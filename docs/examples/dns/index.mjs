import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { ChangeResourceRecordSetsCommand, Route53Client } from "@aws-sdk/client-route-53";
import { planOf } from "./plan.mjs";

const { TABLE, FORWARD_ZONE, REVERSE_ZONE, TTL = "60" } = process.env;
const dynamo = new DynamoDBClient();
const route53 = new Route53Client();

/**
 * Keeps the records of Route 53 from the events of Plat. The queue is first in, first out, and all messages are one
 * group, so no two of these functions run at a time. Lambda repeats a batch that failed, which changes nothing twice.
 */
export async function handler({ Records }) {
  const events = Records.map(({ body }) => JSON.parse(body).detail);
  const remembered = await remember(events);
  const { changes, remember: next } = planOf(remembered, events, Number(TTL));
  for (const isReverse of [false, true])
    await apply(
      isReverse ? REVERSE_ZONE : FORWARD_ZONE,
      changes.filter((change) => change.isReverse === isReverse),
    );
  for (const [key, { address, sequence, name }] of next)
    await dynamo.send(
      new PutItemCommand({
        TableName: TABLE,
        Item: {
          pk: { S: key },
          address: { S: address },
          sequence: { S: sequence },
          ...(name !== undefined && { name: { S: name } }),
        },
      }),
    );
}

async function remember(events) {
  const keys = new Set(events.map(({ space, address }) => `${space} ${address}`));
  const remembered = new Map();
  for (const key of keys) {
    const get = new GetItemCommand({
      TableName: TABLE,
      Key: { pk: { S: key } },
      ConsistentRead: true,
    });
    const { Item } = await dynamo.send(get);
    if (Item)
      remembered.set(key, {
        address: Item.address.S,
        sequence: Item.sequence.S,
        name: Item.name?.S,
      });
  }
  return remembered;
}

/** Changes records of a zone, all at once. A record that is not there any more makes Route 53 reject all of them. */
async function apply(HostedZoneId, changes) {
  if (HostedZoneId === "" || changes.length === 0) return;
  try {
    await send(HostedZoneId, changes);
  } catch (error) {
    if (error.name !== "InvalidChangeBatch") throw error;
    for (const change of changes)
      await send(HostedZoneId, [change]).catch((cause) => {
        if (cause.name !== "InvalidChangeBatch" || change.Action !== "DELETE") throw cause;
      });
  }
}

const send = (HostedZoneId, changes) =>
  route53.send(
    new ChangeResourceRecordSetsCommand({
      HostedZoneId,
      ChangeBatch: { Changes: changes.map(({ isReverse: _, ...change }) => change) },
    }),
  );
