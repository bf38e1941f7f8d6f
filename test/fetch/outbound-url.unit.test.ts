import { expect } from 'chai';
import { OutboundError } from '../../infra/fetch/outbound-error.ts';
import { parseOutboundUrl } from '../../infra/fetch/outbound-url.ts';

const verdict = (url: string, allowPrivate = false): string => {
  try {
    return parseOutboundUrl(url, { allowPrivate }).href;
  } catch (error) {
    if (error instanceof OutboundError) return error.code;
    throw error;
  }
};

describe('the URL of an outbound call', () => {
  const loopback = [
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://0x7f.0.0.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://0/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
  ];
  for (const url of loopback) {
    it(`is refused for its address as ${url}`, () => {
      expect(verdict(url)).to.equal('address_not_public');
    });
  }

  const notAllowed: Record<string, string[]> = {
    'another protocol': [
      'http://example.org/',
      'ftp://example.org/',
      'file:///etc/passwd',
      'data:,a',
    ],
    'a user name or a password': ['https://a@example.org/', 'https://:b@example.org/'],
    'a port of another service': ['https://example.org:22/', 'https://example.org:80/'],
    'a host that is no public name': [
      'https://localhost/',
      'https://LOCALHOST./',
      'https://a.localhost/',
      'https://printer/',
      'https://nas.local/',
      'https://metadata.google.internal/',
      'https://router.home.arpa/',
      'https://ｌｏｃａｌｈｏｓｔ/',
    ],
    'text that is no URL': [
      '',
      'example.org',
      'https://',
      'https://a b/',
      'https://1.2.3.4.5/',
      'https://example.org:99999/',
      'https://[fe80::1%25eth0]/',
      `https://example.org/${'a'.repeat(2_048)}`,
    ],
  };
  for (const [what, urls] of Object.entries(notAllowed)) {
    it(`is refused with ${what}`, () => {
      expect(urls.filter((url) => verdict(url) !== 'url_not_allowed')).to.deep.equal([]);
    });
  }

  it('is taken on a public name or address, at 443 or from 1024 on, without its fragment', () => {
    expect(verdict('https://example.org/a?b=c#d')).to.equal('https://example.org/a?b=c');
    expect(verdict('https://example.org:8443/')).to.equal('https://example.org:8443/');
    expect(verdict('https://8.8.8.8:1024/')).to.equal('https://8.8.8.8:1024/');
    expect(verdict('https://bücher.example/')).to.equal('https://xn--bcher-kva.example/');
  });

  it('may be private and plain in development', () => {
    expect(verdict('http://localhost:80/a', true)).to.equal('http://localhost/a');
    expect(verdict('http://10.0.0.1:22/', true)).to.equal('http://10.0.0.1:22/');
    expect(verdict('file:///etc/passwd', true)).to.equal('url_not_allowed');
    expect(verdict('http://a:b@localhost/', true)).to.equal('url_not_allowed');
  });
});
