// Calls the handler of one bundle in a process of Lambda's Node.js. Each message is a number of calls; the answer is the
// processor time that one of them took, in milliseconds.
const [, , bundle, name] = process.argv;
const { handler } = await import(bundle);
let pods = 0;

const CALLS = {
  async assign() {
    const path = "/v1/assign";
    const handle = `shop/web-${pods++}`;
    const { statusCode, body } = await handler({
      version: "2.0",
      routeKey: `POST ${path}`,
      rawPath: path,
      rawQueryString: "",
      headers: { "content-type": "application/json" },
      pathParameters: {},
      isBase64Encoded: false,
      requestContext: {
        authorizer: { iam: { userArn: "arn:aws:iam::123456789012:user/cni" } },
        http: { method: "POST", path, protocol: "HTTP/1.1", sourceIp: "192.0.2.7", userAgent: "" },
        requestId: handle,
        routeKey: `POST ${path}`,
        stage: "$default",
      },
      body: JSON.stringify({
        host: "node-1",
        ipv4: 1,
        handle,
        attributes: { pod: "web-0", namespace: "shop" },
      }),
    });
    if (statusCode !== 200) throw new Error(body);
  },
  getItem: () => handler({ pk: "SPACE#default", sk: "CONFIG" }),
};

process.on("message", async (calls) => {
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) await CALLS[name]();
  const { user, system } = process.cpuUsage(before);
  process.send((user + system) / 1_000 / calls);
});
process.send("ready");
