/** More than a message may have: the service takes 2 MiB. */
const maxLineBytes = 8 * 1024 * 1024;

/** Text line by line. Of a line that is longer than a message may be the beginning comes, which is no JSON. */
export async function* lines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = '';
  for await (const chunk of input) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    for (const [at, part] of parts.entries()) {
      if (open.length < maxLineBytes) open += part;
      if (at === parts.length - 1) break;
      if (open.trim() !== '') yield open;
      open = '';
    }
  }
  if (open.trim() !== '') yield open;
}
