/** The official MCP clients against a running service. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export type ToolAnswer = {
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  content: { type: string; text: string }[];
  _meta?: Record<string, unknown>;
};

/**
 * Repeats calls that are refused while the read models are behind, as the service asks: on a busy machine
 * that takes seconds.
 */
const whenNotBehind = async (connect: () => Promise<void>): Promise<void> => {
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (!String(error).includes('HTTP 503') || Date.now() > end) throw error;
    }
  }
};

/** `modern`: speaks 2026-07-28; otherwise the revision before it. */
export const connectMcp = async (
  url: string,
  { key, modern = true, path = '/mcp' }: { key?: string; modern?: boolean; path?: string } = {},
) => {
  const client = new Client(
    { name: 'test', version: '1' },
    modern ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const headers: Record<string, string> =
    key === undefined ? {} : { Authorization: `Bearer ${key}` };
  await whenNotBehind(() =>
    client.connect(
      new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }),
    ),
  );
  const callTool = async (
    name: string,
    args: Record<string, unknown> = {},
    meta?: Record<string, unknown>,
  ): Promise<ToolAnswer> =>
    (await client.callTool({
      name,
      arguments: args,
      ...(meta === undefined ? {} : { _meta: meta }),
    })) as ToolAnswer;
  return { client, callTool, close: () => client.close() };
};

/** The problem document of a refusal. */
export const problemIn = (answer: ToolAnswer): Record<string, unknown> =>
  JSON.parse(answer.content[0]?.text ?? '{}');
