import { expect } from 'chai';
import { createClientAddress, type Network, parseNetwork } from '../../http/client-address.ts';

const networks = (...texts: string[]): Network[] =>
  texts.map((text) => {
    const network = parseNetwork(text);
    if (network === undefined) throw new Error(`${text} is no network`);
    return network;
  });

describe('the address of a client', () => {
  const direct = createClientAddress([]);
  const behind = createClientAddress(networks('10.0.0.0/8', '2001:db8:ffff::/48', '192.0.2.7'));

  it('is that of the peer where no proxy is trusted, whatever the peer says', () => {
    expect(direct('198.51.100.1', '203.0.113.1')).to.equal('198.51.100.1');
    expect(direct('::ffff:198.51.100.1', '203.0.113.1')).to.equal('198.51.100.1');
    expect(behind('198.51.100.1', '203.0.113.1')).to.equal('198.51.100.1');
  });

  it('is the last one of X-Forwarded-For that is no trusted proxy', () => {
    const cases: [string, string, string][] = [
      ['10.1.2.3', '203.0.113.1', '203.0.113.1'],
      ['::ffff:10.1.2.3', '203.0.113.1', '203.0.113.1'],
      ['10.1.2.3', '1.1.1.1, 203.0.113.1, 10.9.9.9,192.0.2.7', '203.0.113.1'],
      ['2001:db8:ffff::1', '203.0.113.1, 203.0.113.2', '203.0.113.2'],
      ['10.1.2.3', '203.0.113.1:4711', '203.0.113.1'],
      ['10.1.2.3', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
      ['10.1.2.3', '::ffff:cb00:7101', '203.0.113.1'],
    ];
    for (const [peer, forwarded, client] of cases) {
      expect(behind(peer, forwarded), `${peer} for ${forwarded}`).to.equal(client);
    }
  });

  it('is the nearest proxy itself where nothing, or nothing sensible, stands before it', () => {
    expect(behind('10.1.2.3', undefined)).to.equal('10.1.2.3');
    expect(behind('10.1.2.3', '10.2.2.2, 10.3.3.3')).to.equal('10.2.2.2');
    for (const bad of ['', 'unknown', '203.0.113.1, x', '203.0.113.1,', '1', '0x7f.1', '[::1']) {
      expect(behind('10.1.2.3', bad), bad).to.equal('10.1.2.3');
    }
  });

  it('is the same for all addresses of an IPv6 /64, however they are written', () => {
    const written = [
      '2001:db8:1:2::1',
      '2001:0DB8:1:2:ffff:ffff:ffff:ffff',
      '2001:db8:1:2:0:0:0:9',
    ];
    const clients = written.flatMap((address) => [
      direct(address, undefined),
      behind('10.0.0.1', address),
    ]);
    expect(new Set(clients)).to.deep.equal(new Set(['2001:db8:1:2::/64']));
    expect(direct('2001:db8:1:3::1', undefined)).to.equal('2001:db8:1:3::/64');
  });

  it('survives any header', () => {
    for (const bad of [
      '%',
      ','.repeat(16_000),
      '::'.repeat(99),
      ':::::',
      '1.2.3.4.5',
      '%25',
      'é',
    ]) {
      expect(behind('10.0.0.1', bad)).to.be.a('string');
      expect(direct(bad, bad)).to.be.a('string');
    }
  });
});

describe('a network', () => {
  it('is read from CIDR notation or a single address, and from nothing else', () => {
    for (const good of ['10.0.0.0/8', '::/0', '192.0.2.1', 'fd00::/8', '::1', '0.0.0.0/0']) {
      expect(parseNetwork(good), good).to.not.equal(undefined);
    }
    for (const bad of ['', 'x', '10.0.0.0/33', '::/129', '10/8', '10.0.0/8', '1.2.3.4/', 'a/8']) {
      expect(parseNetwork(bad), bad).to.equal(undefined);
    }
    for (const bad of ['1.2.3.4/8/8', '256.1.1.1', '10.0.0.0/-1', '10.0.0.0/8.0', 'localhost']) {
      expect(parseNetwork(bad), bad).to.equal(undefined);
    }
  });
});
