import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { DomainEvent } from '../../events/definition.ts';
import { decodeEvent, encodeEvent, eventHash, openPersonal } from '../../events/envelope.ts';
import type { RecordedEvent } from '../../events/event-store.ts';
import { asPosition } from '../../events/position.ts';
import { registry, UnknownEventType } from '../../events/registry.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { drafted, queued } from '../support/letter-samples.ts';

const key = Buffer.alloc(32, 1);
const stream = 'letter-0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';
const id = uuidv5('0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11', 'one');
const cause = { id, at: '2026-03-01T12:00:00.000Z', command: 'c', actor: 'key:1' };

const store = (event: DomainEvent, prev = '', version = 0n): RecordedEvent & { hash: string } => {
  const { event: stored, hash } = encodeEvent(event, { stream, version, prev }, cause, key);
  return { ...stored, stream, version, position: asPosition(version + 1n), hash };
};

describe('a derived id', () => {
  it('is the UUIDv5 of RFC 9562', () => {
    const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    expect(uuidv5(dns, 'www.example.com')).to.equal('2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(uuidv5(dns, 'python.org')).to.equal('886313e1-3b8a-5372-9b90-0c9aee199e5d');
  });
});

describe('an event in its envelope', () => {
  it('comes back as it was', () => {
    for (const event of [drafted(), queued()]) {
      const decoded = openPersonal(decodeEvent(store(event)), key);
      expect(decoded).to.deep.include({ ...event, id, stream, version: 0n, position: 1n });
      expect(decoded.metadata).to.deep.include({
        at: cause.at,
        schema: registry.check(event).version,
        command: 'c',
        actor: 'key:1',
        prev: '',
      });
    }
  });

  it('shows nothing personal in what is stored', () => {
    const { data, metadata } = store(drafted());
    for (const secret of ['Ada', 'rue A', '75001', 'Bonjour', 'salt']) {
      expect(data + metadata).to.not.include(secret);
    }
  });

  it('is decoded without its personal part once the key is gone', () => {
    const stored = store(drafted());
    const decoded = openPersonal(decodeEvent(stored), undefined);
    expect(decoded).to.not.have.property('personal');
    expect(decoded.data).to.deep.equal(drafted().data);
    expect(eventHash(stored)).to.equal(stored.hash);
  });

  it('is not opened in the place of another event', () => {
    const decoded = decodeEvent(store(drafted()));
    const moved = { ...decoded, id: uuidv5(id, 'another') };
    expect(() => openPersonal(moved, key)).to.throw();
  });

  it('needs a key for what is personal, and none for what is not', () => {
    const place = { stream, version: 0n, prev: '' };
    expect(() => encodeEvent(drafted(), place, cause, undefined)).to.throw(
      /no data key to seal LetterDrafted/,
    );
    const plain = { type: 'LetterCancelled', data: { from: 'queued' } };
    expect(encodeEvent(plain, place, cause, undefined).event.metadata).to.not.include('sealed');
  });

  it('is hashed over its text in UTF-8, however long and odd', () => {
    const lengths = [0, 1, 100, 9_000, 10_875, 22_000, 70_000, 260_000];
    for (const character of ['a', 'é', 'ж', '字', '😀', '\ud83d', '\ude00']) {
      for (const length of lengths) {
        const texts = { data: character.repeat(length), metadata: `${length}${character}` };
        const event = { ...store(queued()), ...texts };
        const { version, type, data, metadata } = event;
        const text = [stream, version, id, type, data, metadata].join('\n');
        const expected = createHash('sha256').update(text, 'utf8').digest('base64url');
        expect(eventHash(event), `${length} of ${character}`).to.equal(expected);
      }
    }
  });

  it('is linked to the bytes of the one before: any change of any field breaks the link', () => {
    const first = store(drafted());
    const second = store({ type: 'LetterErased', data: { reason: 'deleted' } }, first.hash, 1n);
    expect(decodeEvent(second).metadata.prev).to.equal(eventHash(first));
    const changes = {
      stream: 'letter-x',
      version: 5n,
      id: uuidv5(id, 'x'),
      type: 'LetterQueued',
      data: first.data.replace('FR', 'DE'),
      metadata: first.metadata.replace('key:1', 'key:2'),
    };
    for (const [field, value] of Object.entries(changes)) {
      expect(eventHash({ ...first, [field]: value }), field).to.not.equal(first.hash);
    }
  });
});

describe('an event that does not fit its schema', () => {
  const refuse = (event: DomainEvent, message: RegExp): void => {
    expect(() => registry.check(event)).to.throw(message);
  };

  it('is refused with the path of what is wrong', () => {
    const event = drafted();
    const broken = structuredClone(event) as { type: string; data: Record<string, unknown> };
    (broken.data.terms as Record<string, unknown>).pages = 0;
    refuse(broken, /^LetterDrafted\/terms\/pages must be >= 1$/);
  });

  it('is refused with the path of what is wrong in its personal part', () => {
    const event = { ...drafted(), personal: { to: 1 } } as unknown as DomainEvent;
    refuse(event, /^LetterDrafted\.personal/);
  });

  it('is refused when it holds more than was agreed', () => {
    refuse({ type: 'LetterErased', data: { reason: 'deleted', name: 'Ada' } }, /additional prop/);
    refuse({ type: 'LetterErased', data: { reason: 'deleted' }, personal: {} }, /no personal part/);
  });

  it('is refused when an amount is more than a number holds exactly', () => {
    const data = { purpose: { kind: 'letter', id: 'L' }, cryptoMicro: 2 ** 53, fiatMicro: 0 };
    refuse({ type: 'FundsReleased', data }, /^FundsReleased\/cryptoMicro/);
    refuse({ type: 'FundsReleased', data: { ...data, cryptoMicro: -1 } }, /must be >= 0/);
    refuse({ type: 'FundsReleased', data: { ...data, cryptoMicro: 0.5 } }, /must be integer/);
  });

  it('is refused when nobody knows its type, whatever its name', () => {
    for (const type of ['Unheard', 'constructor', '__proto__', 'toString']) {
      expect(() => registry.check({ type, data: {} }), type).to.throw(UnknownEventType);
      const stored = { ...store(drafted()), type };
      expect(() => decodeEvent(stored), type).to.throw(UnknownEventType);
    }
  });

  it('is refused when it was written by a newer program', () => {
    const stored = store(drafted());
    const newer = { ...stored, metadata: stored.metadata.replace(/"schema":\d+/, '"schema":99') };
    expect(() => decodeEvent(newer)).to.throw(/LetterDrafted version 99 is newer/);
  });
});
