import { expect } from 'chai';
import fc from 'fast-check';
import { isPublicAddress } from '../../infra/fetch/public-address.ts';

const notPublic: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '0.255.255.255', '::'],
  loopback: ['127.0.0.1', '127.0.0.53', '127.255.255.255', '::1'],
  'private networks': ['10.0.0.0', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'carrier-grade NAT': ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  'link-local, with the metadata of clouds': [
    '169.254.0.1',
    '169.254.169.254',
    'fe80::1',
    'febf::1',
  ],
  'unique local': ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1'],
  'site-local': ['fec0::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'protocol assignments': ['192.0.0.1', '192.0.0.192', '192.0.0.255', '2001:1::1', '2001:10::1'],
  'relays and sinks': ['192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '100::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.254', '255.255.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'private IPv4 inside of IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
  ],
  'tunnels, whatever they lead to': ['2002:7f00:1::', '2002:808:808::1', '2001:0:808:808::1'],
  'IPv6 that is not assigned': ['4000::1', '5f00::1', 'e000::1', '200::1'],
  "a cloud's host agent": ['168.63.129.16'],
  'text that is no plain address': [
    '',
    'localhost',
    '0x7f.1',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '08.8.8.8',
    '8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '[2606:4700::1111]',
    '2606:4700::1111%eth0',
    'fe80::1%eth0',
  ],
};

describe('a public address', () => {
  for (const [what, addresses] of Object.entries(notPublic)) {
    it(`is not one of ${what}`, () => {
      expect(addresses.filter(isPublicAddress)).to.deep.equal([]);
    });
  }

  it('is what the public internet routes', () => {
    const routed = [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '168.63.129.17',
      '169.253.255.255',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '223.255.255.255',
      '2606:4700:4700::1111',
      '2a00:1450::1',
      '::ffff:8.8.8.8',
      '64:ff9b::8.8.8.8',
    ];
    expect(routed.filter((address) => !isPublicAddress(address))).to.deep.equal([]);
  });

  it('has the same verdict in IPv4 and mapped to IPv6, in every notation', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const bytes = address.split('.').map(Number);
        const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
        const verdict = isPublicAddress(address);
        expect(isPublicAddress(`::ffff:${address}`)).to.equal(verdict);
        expect(isPublicAddress(`::ffff:${hex.slice(0, 4)}:${hex.slice(4)}`)).to.equal(verdict);
        expect(isPublicAddress(`0:0:0:0:0:FFFF:${address}`)).to.equal(verdict);
      }),
    );
  });
});
