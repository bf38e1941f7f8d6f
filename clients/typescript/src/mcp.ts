#!/usr/bin/env node
/** MCP over stdio, for assistants that only start programs: `npx letters-client`. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lines } from './lines.ts';
import { createProxy } from './mcp-proxy.ts';
import { type ClientOptions, settingsOf } from './options.ts';

const usage = `Usage: letters-client [--url URL] [--tools core]

Speaks the Model Context Protocol over standard input and output, for the service at URL.

  --url URL      the service; default: SERVICE_URL, then http://localhost:3000
  --tools core   only the eight tools that most agents need

The API key comes from SERVICE_API_KEY. Diagnostics go to standard error.
`;

export type McpOptions = ClientOptions & { core?: boolean };

type Streams = {
  input: AsyncIterable<Uint8Array>;
  write(line: string): void;
  log(text: string): void;
};

/** Serves until the input ends and every answer was written. @throws ServiceError invalid_options */
export const serveStdio = async (
  { core = false, ...options }: McpOptions,
  { input, write, log }: Streams,
): Promise<void> => {
  const proxy = createProxy(settingsOf(options), { core, log });
  const underWay = new Set<Promise<void>>();
  for await (const line of lines(input)) {
    const answered = proxy(line).then((messages) => {
      for (const message of messages) write(`${JSON.stringify(message)}\n`);
    });
    underWay.add(answered);
    void answered.finally(() => underWay.delete(answered));
  }
  await Promise.all(underWay);
};

type Parsed = { options: McpOptions } | { help: true } | { mistake: string };

const parse = (args: readonly string[]): Parsed => {
  const options: McpOptions = { timeoutMs: 60_000 };
  const rest = args.flatMap((arg) => (/^--\w+=/.test(arg) ? arg.split(/=(.*)/s, 2) : [arg]));
  while (rest.length > 0) {
    const [name, value] = rest.splice(0, 2);
    if (name === '--help' || name === '-h') return { help: true };
    if (name === '--url' && value) options.baseUrl = value;
    else if (name === '--tools' && value === 'core') options.core = true;
    else return { mistake: `${name} ${value ?? ''} is not understood.` };
  }
  return { options };
};

const main = async (): Promise<void> => {
  const log = (text: string) => process.stderr.write(`letters-client: ${text}\n`);
  const parsed = parse(process.argv.slice(2));
  if ('help' in parsed) {
    process.stderr.write(usage);
    return;
  }
  if ('mistake' in parsed) {
    process.stderr.write(`${parsed.mistake}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  // The program that started it is gone.
  process.stdout.on('error', () => process.exit(0));
  try {
    const write = (line: string) => process.stdout.write(line);
    await serveStdio(parsed.options, { input: process.stdin, write, log });
    // Connections that are kept open would keep it alive for seconds.
    process.stdout.write('', () => process.exit(0));
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
};

const started = process.argv[1];
if (started && realpathSync(started) === fileURLToPath(import.meta.url)) void main();
