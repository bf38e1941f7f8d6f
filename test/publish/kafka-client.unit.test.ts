import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { openKafkaClient } from '../../infra/kafka/client.ts';

describe('the client of Kafka', function () {
  this.timeout(180_000);

  for (const [address, broker] of [
    ['::1', '[::1]'],
    ['127.0.0.1', '127.0.0.1'],
  ] as const) {
    it(`connects to a broker at ${broker}`, async () => {
      const server = createServer();
      server.on('error', () => undefined).listen(0, address);
      // A machine without IPv6 cannot listen there.
      if (!(await once(server, 'listening').catch(() => false))) return;
      const connected = once(server, 'connection');
      const { port } = server.address() as AddressInfo;
      const { kafka, cut } = openKafkaClient({ brokers: [`${broker}:${port}`] });
      const failed = kafka
        .admin()
        .connect()
        .catch((error: unknown) => error);
      const [socket] = await Promise.race([connected, failed.then(() => [])]);
      cut();
      socket?.destroy();
      server.close();
      expect(await failed).to.be.an('error');
      expect(socket, 'a connection').to.not.equal(undefined);
    });
  }
});
