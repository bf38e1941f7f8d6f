import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { startExample, until } from './example-app.ts';

describe('a server that stops', function () {
  this.timeout(180_000);
  const request = 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n';

  /** The text that a connection received, and whether it was reset. */
  const open = async (port: number) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const seen = { text: '', error: '', closed: false };
    socket.on('data', (chunk) => {
      seen.text += chunk;
    });
    socket.on('error', (error) => {
      seen.error = error.message;
    });
    socket.on('close', () => {
      seen.closed = true;
    });
    await new Promise((resolve) => socket.once('connect', resolve));
    return { socket, seen };
  };
  const answers = (text: string): number => text.split('HTTP/1.1 200').length - 1;

  it('answers the first request of a connection that it accepted before', async () => {
    const app = await startExample();
    const { socket, seen } = await open(Number(new URL(app.url).port));
    const stopped = app.stop();
    socket.write(request);
    await until(() => seen.closed);
    expect(seen).to.include({ error: '' });
    expect(answers(seen.text)).to.equal(1);
    expect(seen.text).to.match(/^connection: close\r$/im);
    await stopped;
  });

  it('answers a request on a kept connection that crosses its end', async () => {
    const app = await startExample();
    const { socket, seen } = await open(Number(new URL(app.url).port));
    socket.write(request);
    await until(() => answers(seen.text) === 1);
    const stopped = app.stop();
    socket.write(request);
    await until(() => seen.closed);
    expect(seen).to.include({ error: '' });
    expect(answers(seen.text)).to.equal(2);
    await stopped;
  });

  it('ends connections that stay silent', async () => {
    const app = await startExample();
    const { seen } = await open(Number(new URL(app.url).port));
    await app.stop();
    await until(() => seen.closed);
    expect(seen.text).to.equal('');
  });
});
