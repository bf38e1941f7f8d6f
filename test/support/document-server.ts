import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

type Page = Buffer | RequestListener;

/** A web server that gives documents by path, and counts how often each was asked for. */
export const startDocumentServer = async () => {
  const pages = new Map<string, Page>();
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const page = pages.get(path);
    asked.set(path, (asked.get(path) ?? 0) + 1);
    if (typeof page === 'function') page(request, response);
    else if (page) response.setHeader('Content-Type', 'application/pdf').end(page);
    else response.writeHead(404).end('not here');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    /** Puts a document at a path; its address. */
    serve(path: string, page: Page): string {
      pages.set(path, page);
      return `${origin}${path}`;
    },
    asked: (path: string): number => asked.get(path) ?? 0,
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
