/** The process of one function on the Node.js of Lambda: it imports the bundle as Lambda does, then answers events one by one. */
const [, , file = ""] = process.argv;

try {
  const { handler } = await import(file);
  process.send?.({ ready: true });
  process.on("message", async (event) => {
    try {
      process.send?.({ result: await handler(event) });
    } catch (error) {
      process.send?.({ error: String(error) });
    }
  });
} catch (error) {
  process.send?.({ error: String(error) });
  process.disconnect?.();
}
