/** Yields the data of the messages of a stream of server-sent events, each of which is one line. */
export async function* messagesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const messages = (text + read.value).split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) yield message.replace(/^data: /, "");
  }
}
