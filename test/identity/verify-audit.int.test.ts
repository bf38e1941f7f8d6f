import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { LetterEvent } from '../../events/letter.ts';
import { bundleFiles, signStatement } from '../../identity/audit-bundle.ts';
import type { PublishedKey } from '../../identity/audit-history.ts';
import { continuationsOf } from '../../identity/continuation.ts';
import { verifierKey } from '../../identity/note.ts';
import { packBundle } from '../../identity/pack-bundle.ts';
import { reattest } from '../../identity/reattestation.ts';
import type { IdentityKey } from '../../identity/service-document.ts';
import {
  auditedEvents,
  bundleOf,
  bundlePartsOf,
  credentialKey,
  earlierCheckpoint,
  historyOf,
  identity,
  letterId,
  logKey,
  serviceDid,
  signer,
  strangersKey,
  textsOf,
  verifierPath,
} from '../support/audit-history.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { queued, sampleTerms } from '../support/letter-samples.ts';

const letter: LetterEvent[] = [
  queued(),
  {
    type: 'LetterProcessingStarted',
    data: { partner: 'hotfolder', jobId: 'job-1', source: 'partner' },
  },
  { type: 'LetterPosted', data: { source: 'partner' } },
  {
    type: 'TrackingNumberAssigned',
    data: { trackingNumber: 'RR123456785FR', source: 'carrier' },
  },
  { type: 'LetterInTransit', data: { source: 'carrier' } },
  { type: 'LetterDelivered', data: { source: 'carrier', evidence: 'carrier_scan' } },
];

type Outcome = { code: number; output: string };

describe('verify-audit.mjs', () => {
  let folder: string;
  let made = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-audit-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Unpacks a bundle and runs the program that is in it, without an environment. */
  const verify = async (files: Map<string, string>, ...args: string[]): Promise<Outcome> => {
    const path = join(folder, String(made++));
    await mkdir(path);
    for (const [name, text] of files) await writeFile(join(path, name), text);
    return run(join(path, 'verify-audit.mjs'), ...args);
  };

  const run = (program: string, ...args: string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], { env: {} }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
      });
    });

  type Stored = { position: string; version: number; data: string; metadata: string; id: string };
  type Entry = { sequence: number; log_index: number; jwt: string };

  const changed = (
    files: Map<string, string>,
    change: (parts: { events: Stored[]; credentials: Entry[] }) => void,
  ): Map<string, string> => {
    const history = JSON.parse(files.get('history.json') ?? '');
    const credentials = JSON.parse(files.get('credentials.json') ?? '');
    change({ events: history.events, credentials });
    return new Map(files)
      .set('history.json', JSON.stringify(history))
      .set('credentials.json', JSON.stringify(credentials));
  };

  const verifierText = async () => (await good()).get('verify-audit.mjs') ?? '';
  const good = () => bundleOf(auditedEvents(letter));

  it('finds nothing wrong in a good bundle and shows the history', async () => {
    const { code, output } = await verify(await good());
    expect(output).to.match(
      /^6 +125 +2026-03-01T12:05:00.000Z +letter.delivered +delivered +yes$/m,
    );
    expect(output).to.contain('OK: everything holds.');
    expect(output).to.contain('Keys: from this bundle,');
    expect(code).to.equal(0);
  });

  it('says that a letter is a test letter, as its credentials do', async () => {
    const sent = queued('attempt-1', sampleTerms({ test: true }));
    const files = await bundleOf(auditedEvents([sent, ...letter.slice(1)]));
    const said = 'TEST: this is a test letter. Nothing was printed or posted.';
    expect(files.get('README.txt')).to.contain(said);
    const { code, output } = await verify(files);
    expect(output).to.contain(said).and.to.contain('OK: everything holds. TEST letter.');
    expect(code).to.equal(0);
    const live = await good();
    expect(live.get('README.txt')).not.to.contain('TEST');
    expect((await verify(live)).output).not.to.contain('TEST');
  });

  it('reads the zip file as well as the folder, and the same history makes the same zip', async () => {
    const events = auditedEvents(letter);
    const files = await bundleOf(events);
    const zip = packBundle(await bundlePartsOf(events));
    expect(Buffer.from(packBundle(await bundlePartsOf(events))).equals(zip)).to.equal(true);
    const path = join(folder, 'bundle.zip');
    await writeFile(path, zip);
    const program = join(folder, 'verify-audit.mjs');
    await writeFile(program, files.get('verify-audit.mjs') ?? '');
    const { code, output } = await run(program, path);
    expect(output).to.contain('OK');
    expect(code).to.equal(0);
  });

  const names = async (files: Map<string, string>, finding: RegExp, ...args: string[]) => {
    const { code, output } = await verify(files, ...args);
    expect(output).to.match(finding);
    expect(code).to.equal(1);
    return output;
  };

  /** Files of its own, and the options that name them. */
  const given = async (parts: Record<string, string | object>): Promise<string[]> => {
    const options: string[] = [];
    for (const [option, content] of Object.entries(parts)) {
      const path = join(folder, `given-${made++}`);
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
      options.push(`--${option}`, path);
    }
    return options;
  };

  it('trusts the log for events from a clock that was set back after a rotation', async () => {
    const rotated = {
      ...identity,
      keys: identity.keys.flatMap((key) =>
        key.purpose === 'credential'
          ? [
              { ...key, kids: [`${serviceDid}#credential-0`], publicKeyMultibase: logKey.multikey },
              // An hour after the first event says that it happened.
              { ...key, validFrom: '2026-03-01T13:00:00.000Z' },
            ]
          : [key],
      ),
    };
    const events = auditedEvents(letter);
    const { code, output } = await verify(await bundleOf(events, { keys: rotated }));
    expect(output).to.contain('OK: everything holds.');
    expect(code).to.equal(0);
    const outside = await bundleOf(events, { keys: rotated });
    outside.set(
      'inclusion.json',
      (await bundleOf(auditedEvents(letter.slice(0, 2)))).get('inclusion.json') ?? '',
    );
    await names(outside, /not in the log/);
  });

  it('compares its checkpoint with one that was kept, of every size', async () => {
    const events = auditedEvents(letter);
    const size = 3 * letter.length + 3;
    for (let first = 1; first < size; first++) {
      const { note, proof } = earlierCheckpoint(events, first);
      const options = await given({ checkpoint: note, consistency: proof });
      const { code, output } = await verify(await bundleOf(events), ...options);
      expect(output, `of ${first}`).to.contain(`Log: grew from ${first} to ${proof.second}`);
      expect(code).to.equal(0);
    }
    const { note } = earlierCheckpoint(events, 4);
    const json = await given({
      checkpoint: { note },
      consistency: earlierCheckpoint(events, 4).proof,
    });
    expect((await verify(await bundleOf(events), ...json)).code).to.equal(0);
    const same = (await bundleOf(events)).get('checkpoint.txt') ?? '';
    expect(
      (await verify(await bundleOf(events), ...(await given({ checkpoint: same })))).code,
    ).to.equal(0);
  });

  it('names a log that was rewritten since a checkpoint was kept', async () => {
    const before = auditedEvents(letter);
    const rewritten = auditedEvents(
      letter.with(2, { type: 'LetterPosted', data: { source: 'carrier' } }),
    );
    expect((await verify(await bundleOf(rewritten))).code).to.equal(0);
    for (const size of [16, 17, 20]) {
      const { note } = earlierCheckpoint(before, size);
      for (const { proof } of [
        earlierCheckpoint(before, size),
        earlierCheckpoint(rewritten, size),
      ]) {
        const options = await given({ checkpoint: note, consistency: proof });
        await names(await bundleOf(rewritten), /checkpoint: the log did not only grow/, ...options);
      }
    }
    const last = (await bundleOf(before)).get('checkpoint.txt') ?? '';
    const options = await given({ checkpoint: last });
    await names(await bundleOf(rewritten), /the log did not only grow/, ...options);
  });

  describe('after a move of the service', () => {
    const keyed = (n: string, purpose: 'credential' | 'log', key: typeof logKey): IdentityKey => ({
      keyId: n,
      purpose,
      publicKey: key.multikey,
      state: 'active',
      validFrom: '2026-01-01T00:00:00.000Z',
    });
    const keys = [keyed('c', 'credential', credentialKey), keyed('l', 'log', logKey)];
    const before = { did: credentialKey.did, keys };
    const moved = (did = serviceDid, by = { c: credentialKey, l: logKey }) =>
      continuationsOf([before, { did, keys }], identity.logOrigin, (keyId) =>
        keyId === 'c' ? by.c : by.l,
      );

    it('takes a checkpoint that was kept under the former origin, if its key says so', async () => {
      const events = auditedEvents(letter);
      const former = 'letters.local';
      const under = (formerLogOrigins: ReturnType<typeof moved>['origins']) =>
        bundleOf(events, { keys: { ...identity, formerLogOrigins } });
      const { note, proof } = earlierCheckpoint(events, 5, logKey, former);
      const options = await given({ checkpoint: note, consistency: proof });
      const { code, output } = await verify(await under(moved().origins), ...options);
      expect(output).to.contain('Log: grew from 5 to');
      expect(code).to.equal(0);
      const stranger = strangersKey();
      const byStranger = earlierCheckpoint(events, 5, stranger, former);
      const ofStranger = await given({
        checkpoint: byStranger.note,
        consistency: byStranger.proof,
      });
      const claimed = moved(serviceDid, { c: credentialKey, l: stranger }).origins;
      await names(await under([]), /one of the log letters.local, not of this one/, ...options);
      await names(
        await under(moved('did:web:elsewhere.example').origins),
        /one of the log letters.local, not of this one/,
        ...options,
      );
      await names(await under(moved().origins), /no key of the log signed it/, ...ofStranger);
      await names(await under(claimed), /no key of the log signed it/, ...ofStranger);
      await names(await under(claimed), /no key of the log signed it/, ...options);
    });

    it('takes a bundle of before, if the key of its did:key says so', async () => {
      const kid = `${credentialKey.did}#${credentialKey.multikey}`;
      const events = auditedEvents(letter, { by: { key: credentialKey, kid } });
      const ofBefore = {
        ...identity,
        did: credentialKey.did,
        keys: identity.keys.map((key) =>
          key.purpose === 'credential' ? { ...key, kids: [kid] } : key,
        ),
      };
      const files = await bundleOf(events, { keys: ofBefore, by: { ...signer, kid } });
      const pinnedTo = (former_dids: object[]) =>
        given({
          'did-document': {
            didDocument: identity.document,
            retired_keys: [],
            log_public_key: logKey.multikey,
            former_dids,
          },
        });
      const { code, output } = await verify(files, ...(await pinnedTo(moved().dids)));
      expect(output).to.contain('Keys: checked against what you gave.');
      expect(code, output).to.equal(0);
      const stranger = strangersKey();
      for (const wrong of [
        [],
        moved('did:web:elsewhere.example').dids,
        moved(serviceDid, { c: stranger, l: logKey }).dids,
        moved().origins,
      ]) {
        await names(
          files,
          /wrong service: the DID document is the one of/,
          ...(await pinnedTo(wrong)),
        );
      }
    });
  });

  describe('pinned to a service that names the keys of another one as its own', () => {
    const dishonest = 'did:web:dishonest.example';
    const own = strangersKey();
    const ownKid = `${dishonest}#own`;
    const methods = { own, theirs: credentialKey, log: logKey };
    const document = {
      id: dishonest,
      verificationMethod: Object.entries(methods).map(([name, { multikey }]) => ({
        id: `${dishonest}#${name}`,
        publicKeyMultibase: multikey,
      })),
      assertionMethod: [ownKid, `${dishonest}#theirs`],
    };
    const ownKey: PublishedKey = {
      kids: [ownKid],
      purpose: 'credential',
      publicKeyMultibase: own.multikey,
      state: 'active',
      validFrom: '2026-01-01T00:00:00.000Z',
    };
    /** The bundle of another service under its own name, with a statement of the length by its own key. */
    const claimed = (kid?: string, theirs: object = {}, stating = { ...signer }) => {
      const events = auditedEvents(letter, kid ? { by: { key: credentialKey, kid } } : {});
      const keys = identity.keys.map((key) =>
        key.purpose === 'credential' && kid ? { ...key, kids: [kid], ...theirs } : key,
      );
      return bundleOf(events, {
        keys: { ...identity, did: dishonest, document, keys: [...keys, ownKey] },
        by: stating,
      });
    };
    const byOwn = { ...signer, kid: ownKid, sign: own.sign };
    const pins = (more: object = {}) =>
      given({
        'did-document': {
          didDocument: document,
          retired_keys: [],
          log_public_key: logKey.multikey,
          former_dids: [],
          ...more,
        },
      });
    const keyKid = `${credentialKey.did}#${credentialKey.multikey}`;

    it('does not take the bundle of the other one as one of this service', async () => {
      const theirs =
        /wrong service: the statement of the length is one of did:web:letters\.example/;
      await names(await claimed(), theirs, ...(await pins()));
    });

    it('takes credentials of a did:key only if that key says so', async () => {
      const wrong = /wrong service: there are credentials of did:key:\S+, whose key does not say/;
      await names(await claimed(keyKid, {}, byOwn), wrong, ...(await pins()));
      const bare = await given({ 'did-document': document });
      await names(await claimed(keyKid, {}, byOwn), /give the answer of/, ...bare);
      const foreign = { publicKeyMultibase: own.multikey };
      const notIts = /its key is not the one that did:key:\S+ names/;
      await names(await claimed(keyKid, foreign, byOwn), notIts, ...(await pins()));

      const keys = (['c', 'l'] as const).map(
        (keyId): IdentityKey => ({
          keyId,
          purpose: keyId === 'c' ? 'credential' : 'log',
          publicKey: (keyId === 'c' ? credentialKey : logKey).multikey,
          state: 'active',
          validFrom: '2026-01-01T00:00:00.000Z',
        }),
      );
      const { dids } = continuationsOf(
        [
          { did: credentialKey.did, keys },
          { did: dishonest, keys },
        ],
        identity.logOrigin,
        (keyId) => (keyId === 'c' ? credentialKey : logKey),
      );
      const said = await pins({ former_dids: dids });
      const { code, output } = await verify(await claimed(keyKid, {}, byOwn), ...said);
      expect(output).to.match(/^OK: everything holds\.$/m);
      expect(code).to.equal(0);
    });

    it('says that nothing shows whether a did:web or a revoked key was the service', async () => {
      const web = await verify(await claimed(undefined, {}, byOwn), ...(await pins()));
      expect(web.output).to.contain(
        `Issuer: there are credentials of ${serviceDid}. Only ${dishonest} says`,
      );
      expect(web.output).to.contain(`Not proven: that ${serviceDid} was this service.`);
      expect(web.output).not.to.match(/^OK/m);
      expect(web.code).to.equal(3);
      const revoked = await pins({
        retired_keys: [
          {
            publicKeyMultibase: credentialKey.multikey,
            purpose: 'credential',
            revoked: true,
            trusted_log_size: 1_000,
          },
        ],
      });
      const keyed = await verify(await claimed(keyKid, {}, byOwn), ...revoked);
      expect(keyed.output).to.contain(`Not proven: that ${credentialKey.did} was this service.`);
      expect(keyed.code).to.equal(3);
    });

    it('takes the document of a former did:web, as it was fetched there, as proof of that name', async () => {
      const files = await claimed(undefined, {}, byOwn);
      const told = async (former: object) =>
        verify(files, ...(await pins()), ...(await given({ 'former-document': former })));
      const proven = await told(identity.document);
      expect(proven.output).to.match(/^OK: everything holds\.$/m);
      expect(proven.output).to.contain('That it is the same service is what you and');
      expect(proven.code).to.equal(0);

      const { multikey } = strangersKey();
      const [method, ...others] = (identity.document as { verificationMethod: object[] })
        .verificationMethod;
      for (const wrong of [
        { id: 'did:web:elsewhere.example' },
        { assertionMethod: [] },
        { verificationMethod: [{ ...method, publicKeyMultibase: multikey }, ...others] },
        { verificationMethod: [{ ...method, revoked: '2026-04-01T00:00:00Z' }, ...others] },
      ]) {
        const { code, output } = await told({ ...identity.document, ...wrong });
        expect(code, output).to.equal(3);
      }
      const alone = await verify(files, ...(await given({ 'former-document': identity.document })));
      expect(alone.code).to.equal(2);
    });

    it('takes a bundle from before the move with the document of that did:web', async () => {
      const former = await given({ 'former-document': identity.document });
      await names(await good(), /wrong service: the DID document is the one of/, ...(await pins()));
      const { code, output } = await verify(await good(), ...(await pins()), ...former);
      expect(code, output).to.equal(0);
    });
  });

  it('takes no checkpoint that another key signed, and says where to get the proof', async () => {
    const events = auditedEvents(letter);
    const forged = earlierCheckpoint(events, 5, strangersKey());
    const options = await given({ checkpoint: forged.note, consistency: forged.proof });
    await names(await bundleOf(events), /the checkpoint that you gave does not count/, ...options);
    const { note } = earlierCheckpoint(events, 5);
    const { code, output } = await verify(
      await bundleOf(events),
      ...(await given({ checkpoint: note })),
    );
    expect(output).to.contain('/api/identity/log/proof/consistency?first=5&second=21');
    expect(code).to.equal(2);
    const wrong = await given({
      checkpoint: note,
      consistency: earlierCheckpoint(events, 6).proof,
    });
    expect((await verify(await bundleOf(events), ...wrong)).code).to.equal(2);
  });

  it('names an event whose bytes were edited', async () => {
    const files = changed(await good(), ({ events }) => {
      const [, , posted] = events as [Stored, Stored, Stored];
      posted.data = posted.data.replace('partner', 'carrier');
    });
    await names(files, /edited at event 3, position 110: its bytes are not those that were signed/);
  });

  it('names positions that were changed, though no credential holds them', async () => {
    const files = changed(await good(), ({ events }) => {
      const [, , third] = events as [Stored, Stored, Stored];
      third.position = String(Number(third.position) + 1);
    });
    await names(files, /edited: the positions of the events are not those that the service stated/);
  });

  it('does not read a bundle that says something twice', async () => {
    for (const name of ['history.json', 'credentials.json', 'service-did.json']) {
      const files = await good();
      const text = files.get(name) ?? '';
      files.set(name, text.replace(/"(did|letter_id|jwt)": ?/, '"$1":"another",$&'));
      const { code, output } = await verify(files);
      expect(output).to.match(/has the name "(did|letter_id|jwt)" twice in one object/);
      expect(code).to.equal(2);
    }
  });

  it('names an event that was taken out', async () => {
    const files = changed(await good(), ({ events }) => events.splice(2, 1));
    await names(files, /dropped at event 3, after position 105: it is missing/);
  });

  it('names an event and its credential that were taken out together', async () => {
    const files = changed(await good(), ({ events, credentials }) => {
      events.splice(2, 1);
      credentials.splice(2, 1);
    });
    await names(files, /dropped at event 3, after position 105: it is missing/);
  });

  it('names a gap that was closed by renumbering what follows', async () => {
    const files = changed(await good(), ({ events, credentials }) => {
      events.splice(2, 1);
      credentials.splice(2, 1);
      events.forEach((event, index) => {
        event.version = index;
      });
      credentials.forEach((entry, index) => {
        entry.sequence = index + 1;
      });
    });
    await names(files, /swapped at event 3, position 115: its credential is the one of event 4/);
  });

  it('names events that changed places', async () => {
    const files = changed(await good(), ({ events }) => {
      const [, second, third] = events as [Stored, Stored, Stored];
      events.splice(1, 2, third, second);
    });
    await names(files, /swapped at event 2, position 105: it stands after event 3/);
  });

  it('names events that changed places and numbers', async () => {
    const files = changed(await good(), ({ events }) => {
      const [, second, third] = events as [Stored, Stored, Stored];
      [second.version, third.version] = [third.version, second.version];
      [second.position, third.position] = [third.position, second.position];
      events.splice(1, 2, third, second);
    });
    await names(files, /swapped at event 2, position 105: the event here is event 3/);
  });

  it('names an end that was cut off, event and credential', async () => {
    const files = changed(await good(), ({ events, credentials }) => {
      events.pop();
      credentials.pop();
    });
    await names(
      files,
      /truncated at event 6, after position 120: the history ends after event 5; there are 6/,
    );
  });

  it('does not hold a history without its signed length', async () => {
    const files = changed(await good(), ({ events, credentials }) => {
      events.pop();
      credentials.pop();
    });
    files.delete('statement.jwt');
    await names(files, /truncated: .*cannot be told/);
  });

  it('names two histories that were signed for the same place', async () => {
    const other = auditedEvents([
      ...letter.slice(0, 2),
      {
        type: 'LetterFailed',
        data: { code: 'jam', stage: 'print', retryable: false, detail: '', source: 'partner' },
      },
    ])[2];
    const files = changed(await good(), ({ events, credentials }) => {
      if (!other?.credential) throw new Error('nothing to fork with');
      const { stored, credential } = other;
      events.splice(3, 0, { ...stored, version: 2, position: '111' });
      credentials.splice(3, 0, {
        sequence: 3,
        log_index: credential.logIndex,
        jwt: credential.jwt,
      });
    });
    const output = await names(files, /forked at event 3, position 11\d: there are two events/);
    expect(output).to.match(
      /forked at event 3, position 11\d: there are two credentials for it, both signed/,
    );
  });

  it('names a history that another event was put into and signed for again', async () => {
    // Sealing is random: without it both histories begin alike.
    const { type, data } = queued() as Extract<LetterEvent, { type: 'LetterQueued' }>;
    const begin: LetterEvent[] = [{ type, data }, ...letter.slice(1, 2)];
    const events = auditedEvents([...begin, ...letter.slice(2)]);
    const forked = auditedEvents([
      ...begin,
      { type: 'LetterPosted', data: { source: 'operator' } },
    ])[2];
    if (!forked) throw new Error('nothing to fork with');
    const files = await bundleOf([...events.slice(0, 2), forked, ...events.slice(3)]);
    await names(files, /forked at event 4, position 115: its link leads to another event/);
  });

  it('names a credential whose content was edited', async () => {
    const files = changed(await good(), ({ credentials }) => {
      const entry = credentials[5] as Entry;
      const [header, payload, signature] = entry.jwt.split('.') as [string, string, string];
      const text = Buffer.from(payload, 'base64url')
        .toString()
        .replace('carrier_scan', 'signature');
      entry.jwt = `${header}.${Buffer.from(text).toString('base64url')}.${signature}`;
    });
    await names(
      files,
      /edited at event 6, position 125: its credential does not count: its signature/,
    );
  });

  it('names a credential by a key that is not one of the service', async () => {
    const key = strangersKey();
    const events = auditedEvents(letter, { by: { key, kid: `${serviceDid}#credential-9` } });
    await names(
      await bundleOf(events),
      /unknown key at event 1, position 100: .*#credential-9 is no key/,
    );
  });

  it('names credentials that a key signed after it was retired', async () => {
    const keys = identity.keys.map((key) =>
      key.purpose === 'credential'
        ? { ...key, state: 'retired' as const, validUntil: '2026-02-01T00:00:00.000Z' }
        : key,
    );
    const files = await bundleOf(auditedEvents(letter), { keys: { ...identity, keys } });
    await names(files, /unknown key at event 1, position 100: .* was not in use at the time/);
  });

  it('trusts a revoked key below the size of the log that it is trusted for only', async () => {
    const fresh = strangersKey();
    const keys = [
      ...identity.keys.map((key) =>
        key.purpose === 'credential'
          ? {
              ...key,
              state: 'revoked' as const,
              validUntil: '2026-04-01T00:00:00.000Z',
              trustedLogSize: 10,
            }
          : key,
      ),
      {
        kids: [`${serviceDid}#credential-2`],
        purpose: 'credential' as const,
        publicKeyMultibase: fresh.multikey,
        state: 'active' as const,
        validFrom: '2026-04-01T00:00:00.000Z',
      },
    ];
    const by = {
      kid: `${serviceDid}#credential-2`,
      validFrom: '2026-04-01T00:00:00.000Z',
      sign: (data: string) => fresh.sign(data),
    };
    const files = await bundleOf(auditedEvents(letter), { keys: { ...identity, keys }, by });
    const anew = await verify(files);
    expect(anew.output)
      .to.match(/^4 +115 .* yes, attested anew$/m)
      .and.to.match(/^3 +110 .* yes$/m);
    expect(anew.code, anew.output).to.equal(0);

    const attested: string[] = JSON.parse(files.get('reattestations.json') ?? '');
    expect(attested).to.have.length(3);
    const [, ...others] = attested;
    const without = new Map(files).set('reattestations.json', JSON.stringify(others));
    const output = await names(without, /unknown key at event 4, position 115: .* revoked before/);
    expect(output).not.to.match(/ at event [12356],/);

    const thief = { ...by, kid: signer.kid, validFrom: signer.validFrom, sign: signer.sign };
    const { history } = historyOf(auditedEvents(letter));
    const forged = JSON.stringify(await reattest(history, keys, thief));
    const stolen = new Map(files).set('reattestations.json', forged);
    await names(stolen, /unknown key at event 4, position 115: .* revoked before/);

    const swapped = attested.map((jwt) =>
      jwt.replace(/^[^.]+/, (attested[1] ?? '').split('.')[0] ?? ''),
    );
    swapped[0] = attested[1] ?? '';
    const mixed = new Map(files).set('reattestations.json', JSON.stringify(swapped));
    await names(mixed, /unknown key at event 4, position 115: .* revoked before/);
  });

  it('takes the word of the log for events of a clock that was ahead when their key was revoked', async () => {
    // An hour before the first event says that it happened.
    const at = '2026-03-01T11:00:00.000Z';
    const kid = `${serviceDid}#credential-2`;
    const fresh = strangersKey();
    const bundleTrusting = (trustedLogSize: number) => {
      const keys = [
        ...identity.keys.map((key) =>
          key.purpose === 'credential'
            ? { ...key, state: 'revoked' as const, validUntil: at, trustedLogSize }
            : key,
        ),
        {
          kids: [kid],
          purpose: 'credential' as const,
          publicKeyMultibase: fresh.multikey,
          state: 'active' as const,
          validFrom: at,
        },
      ];
      const by = { kid, validFrom: at, sign: (data: string) => fresh.sign(data) };
      return bundleOf(auditedEvents(letter), { keys: { ...identity, keys }, by });
    };
    const key = { publicKeyMultibase: credentialKey.multikey, valid_until: at, revoked: true };
    const document = await pinned((service) => {
      const method = { publicKeyMultibase: fresh.multikey, purpose: 'credential', revoked: false };
      service.retired_keys = [
        { ...key, trusted_log_size: 1_000 },
        { ...method, valid_until: null, trusted_log_size: null },
      ];
    });
    for (const [trusted, options] of [
      [1_000, []],
      [1_000, document],
      [0, []],
    ] as const) {
      const { code, output } = await verify(await bundleTrusting(trusted), ...options);
      expect(code, output).to.equal(0);
    }
    const none = new Map(await bundleTrusting(0)).set('reattestations.json', '[]');
    await names(none, /unknown key at event 1, position 100: .* revoked before/);
  });

  it('names a credential that the log does not hold', async () => {
    const files = await good();
    const inclusion = JSON.parse(files.get('inclusion.json') ?? '');
    inclusion.paths['9'][0] = Buffer.alloc(32).toString('base64');
    files.set('inclusion.json', JSON.stringify(inclusion));
    await names(files, /not in the log at event 3, position 110: its proof does not lead/);
  });

  it('refuses a checkpoint that the log did not sign', async () => {
    const files = await good();
    const { history } = historyOf(auditedEvents(letter), strangersKey());
    files.set('checkpoint.txt', history.checkpoint?.note ?? '');
    await names(files, /checkpoint: the checkpoint does not count: no key of the log signed it/);
  });

  it('tells a bundle of another service from the one that was expected', async () => {
    const other = strangersKey();
    const pins = ['--did', 'did:web:elsewhere.example'];
    await names(await good(), /wrong service: .*not of did:web:elsewhere\.example/, ...pins);
    await names(
      await good(),
      /wrong service: the checkpoint is signed by/,
      '--log-key',
      other.multikey,
    );
    const document = join(folder, 'did.json');
    const verificationMethod = [{ publicKeyMultibase: other.multikey }];
    await writeFile(document, JSON.stringify({ id: serviceDid, verificationMethod }));
    await names(await good(), /which the DID document does not name/, '--did-document', document);
  });

  /** Pins what the service answers about itself, changed. */
  const pinned = async (change: (service: Record<string, unknown>) => void): Promise<string[]> => {
    const service: Record<string, unknown> = {
      did: serviceDid,
      didDocument: identity.document,
      retired_keys: [],
      log_public_key: logKey.multikey,
    };
    change(service);
    const path = join(folder, `service-${made++}.json`);
    await writeFile(path, JSON.stringify(service));
    return ['--did-document', path];
  };

  it('goes by what the service says now of a key that the bundle says is in use', async () => {
    const key = { publicKeyMultibase: credentialKey.multikey, valid_until: '2026-02-01T00:00:00Z' };
    const retired = await pinned((service) => {
      service.retired_keys = [{ ...key, revoked: false, trusted_log_size: null }];
    });
    await names(await good(), /unknown key at event 1, .* out of use by then/, ...retired);
    const revoked = await pinned((service) => {
      const until = '2026-04-01T00:00:00Z';
      service.retired_keys = [{ ...key, valid_until: until, revoked: true, trusted_log_size: 10 }];
    });
    const output = await names(await good(), /unknown key at event 4, .* was revoked/, ...revoked);
    expect(output).to.match(/truncated: the statement of the length is by a key that was revoked/);
    expect(output).not.to.match(/unknown key at event [123],/);
    const same = await pinned(() => {});
    expect((await verify(await good(), ...same)).code).to.equal(0);
  });

  /** Pins a service that has revoked the key of its log. */
  const pinnedRevoked = (trustedLogSize: number): Promise<string[]> =>
    pinned((service) => {
      service.log_public_key = strangersKey().multikey;
      service.retired_keys = [
        {
          publicKeyMultibase: logKey.multikey,
          purpose: 'log',
          valid_until: '2026-04-01T00:00:00Z',
          revoked: true,
          trusted_log_size: trustedLogSize,
        },
      ];
    });

  it('takes no checkpoint above the trusted size by a key of the log that was revoked', async () => {
    const size = 3 * letter.length + 3;
    const revoked = /checkpoint: the checkpoint is signed by a key that was revoked, as the DID/;
    await names(await good(), revoked, ...(await pinnedRevoked(size - 1)));
    const within = await verify(await good(), ...(await pinnedRevoked(size)));
    expect(within.output).to.contain('OK: everything holds.');
    expect(within.code).to.equal(0);

    const bare = await given({
      'did-document': {
        ...identity.document,
        verificationMethod: [
          { id: `${serviceDid}#credential-1`, publicKeyMultibase: credentialKey.multikey },
          {
            id: `${serviceDid}#log-1`,
            publicKeyMultibase: logKey.multikey,
            revoked: '2026-04-01T00:00:00Z',
          },
        ],
      },
    });
    await names(
      await good(),
      /checkpoint is signed by a key that was revoked, .* give the/,
      ...bare,
    );

    const fresh = strangersKey();
    const events = auditedEvents(letter);
    const files = await withNewLogKey(events, fresh, size);
    const pins = await pinned((service) => {
      service.log_public_key = fresh.multikey;
      service.retired_keys = [
        { publicKeyMultibase: logKey.multikey, purpose: 'log', revoked: true, trusted_log_size: 4 },
      ];
    });
    const { note, proof } = earlierCheckpoint(events, 5);
    const kept = await given({ checkpoint: note, consistency: proof });
    await names(
      files,
      /checkpoint: the checkpoint that you gave is signed by a key that was revoked/,
      ...pins,
      ...kept,
    );
  });

  /** A bundle under a checkpoint by a new key of the log; the one before it was revoked. */
  const withNewLogKey = async (
    events: ReturnType<typeof auditedEvents>,
    fresh: ReturnType<typeof strangersKey>,
    trustedLogSize: number,
  ): Promise<Map<string, string>> => {
    const since = '2026-04-01T00:00:00.000Z';
    const keys: PublishedKey[] = [
      ...identity.keys.map(
        (key): PublishedKey =>
          key.purpose === 'log'
            ? { ...key, state: 'revoked', validUntil: since, trustedLogSize }
            : key,
      ),
      {
        kids: [`${serviceDid}#log-2`],
        purpose: 'log',
        publicKeyMultibase: fresh.multikey,
        state: 'active',
        validFrom: since,
      },
    ];
    const files = await bundleOf(events, { keys: { ...identity, keys } });
    return files.set('checkpoint.txt', historyOf(events, fresh).history.checkpoint?.note ?? '');
  };

  it('compares with a checkpoint that was kept up to the trusted size of a revoked key of the log', async () => {
    const events = auditedEvents(letter);
    const files = await withNewLogKey(events, strangersKey(), 10);
    expect((await verify(files)).code).to.equal(0);
    const kept = (size: number, tree = events) => {
      const { note, proof } = earlierCheckpoint(tree, size);
      return given({ checkpoint: note, consistency: proof });
    };
    for (const size of [5, 10]) {
      const { code, output } = await verify(files, ...(await kept(size)));
      expect(output).to.contain(`Log: grew from ${size} to`);
      expect(code).to.equal(0);
    }
    await names(
      files,
      /the checkpoint that you gave does not count: its key was revoked, .* up to 10 cred/,
      ...(await kept(11)),
    );
    const rewritten = auditedEvents(
      letter.with(1, { type: 'LetterPosted', data: { source: 'carrier' } }),
    );
    await names(files, /the log did not only grow from 9/, ...(await kept(9, rewritten)));
  });

  it('says where to fetch what a bare DID document or an old copy does not tell', async () => {
    const method = { id: `${serviceDid}#credential-1`, publicKeyMultibase: credentialKey.multikey };
    const pinnedDocument = async (found: object) => {
      const path = join(folder, `document-${made++}.json`);
      const assertionMethod = [method.id];
      await writeFile(
        path,
        JSON.stringify({ id: serviceDid, verificationMethod: [found], assertionMethod }),
      );
      return ['--did-document', path];
    };
    const revoked = { ...method, revoked: '2026-04-01T00:00:00Z' };
    await names(
      await good(),
      /its key was revoked, .* give the answer of \/api\/identity\/service-did instead/,
      ...(await pinnedDocument(revoked)),
    );
    const older = { ...method, publicKeyMultibase: strangersKey().multikey };
    await names(
      await good(),
      /if yours is older than this bundle, the key may be newer: fetch it again/,
      ...(await pinnedDocument(older)),
    );
  });

  it('takes a key of the service for nothing but its purpose', async () => {
    const webhook = strangersKey();
    const kid = `${serviceDid}#webhook-1`;
    const by = { ...signer, kid, sign: (data: string) => webhook.sign(data) };
    const [credential, log] = identity.keys as [PublishedKey, PublishedKey];
    const forgedKey = { ...credential, kids: [kid], publicKeyMultibase: webhook.multikey };
    const named = { id: kid, publicKeyMultibase: webhook.multikey };
    const pins = await pinned((service) => {
      const { verificationMethod = [] } = identity.document as { verificationMethod?: object[] };
      service.didDocument = {
        ...identity.document,
        verificationMethod: [...verificationMethod, named],
      };
      service.webhook_public_key = webhook.multikey;
    });
    const events = auditedEvents(letter, { by: { key: webhook, kid } });
    const forged = await bundleOf(events, { keys: { ...identity, keys: [forgedKey, log] }, by });
    await names(forged, /credentials are signed by the key \S+, which is not for that/, ...pins);
    const length = await bundleOf(auditedEvents(letter).slice(0, 5), {
      keys: { ...identity, keys: [credential, forgedKey, log] },
      by,
    });
    await names(length, /statement of the length is signed by the key \S+, which is not/, ...pins);
    const { history, paths } = historyOf(auditedEvents(letter), webhook);
    const keys = [credential, { ...log, publicKeyMultibase: webhook.multikey }];
    const files = await bundleFiles({
      history,
      paths,
      identity: { ...identity, keys },
      verifier: await verifierText(),
      statement: signStatement(history, signer),
      reattestations: [],
    });
    await names(
      textsOf(files),
      /checkpoint is signed by the key \S+, which is not for that/,
      ...pins,
    );
  });

  it('takes the length from no key that was out of use when it was stated', async () => {
    const key = { publicKeyMultibase: credentialKey.multikey, purpose: 'credential' };
    const until = { valid_until: '2026-03-01T18:00:00Z', revoked: false, trusted_log_size: null };
    const pins = await pinned((service) => {
      service.retired_keys = [{ ...key, ...until }];
    });
    await names(
      await good(),
      /truncated: the statement of the length is by a key .* out of use/,
      ...pins,
    );
  });

  it('prints nothing of a bundle that a terminal would act on', async () => {
    const files = await good();
    const service = JSON.parse(files.get('service-did.json') ?? '');
    service.did = `${serviceDid}\n\nOK: everything holds.\u001b[8m\u202e`;
    files.set('service-did.json', JSON.stringify(service));
    const { code, output } = await verify(files, '--did', serviceDid);
    expect(code).to.equal(1);
    for (const text of ['\u001b', '\u202e', '\nOK']) expect(output).to.not.include(text);
    const name = '\u009b8m\u202e';
    const twice = new Map(files).set('history.json', `{"${name}":1,"${name}":2}`);
    const unread = await verify(twice);
    expect(unread.code).to.equal(2);
    expect(unread.output)
      .to.contain('twice in one object')
      .and.not.match(/[\u009b\u202e]/);
  });

  it('unpacks what it needs of a zip file and nothing else', async () => {
    const { zipSync } = await import('fflate');
    const zeros = new Uint8Array(64 * 1024 * 1024);
    const packed = Buffer.from(zipSync({ 'history.json': zeros }, { level: 9 }));
    const end = packed.lastIndexOf(Buffer.from('504b0506', 'hex'));
    const listed = packed.subarray(packed.readUInt32LE(end + 16), end);
    const others = Array.from({ length: 100 }, (_, index) => {
      const entry = Buffer.from(listed);
      entry.write(`other-${index}`.padEnd(12, '-'), 46, 'latin1');
      return entry;
    });
    const tail = Buffer.from(packed.subarray(end));
    tail.writeUInt16LE(100, 10);
    tail.writeUInt32LE(end, 16);
    const path = join(folder, 'bomb.zip');
    await writeFile(path, Buffer.concat([packed.subarray(0, end), ...others, tail]));
    const unpack = async (): Promise<void> => {
      expect((await run(verifierPath, path)).output).to.contain('history.json is missing');
    };
    expect(await leastOf(2_000, () => tookMs(unpack))).to.be.below(2_000);
  });

  it('takes the length from no key but those of the expected service', async () => {
    const key = strangersKey();
    const kid = `${serviceDid}#credential-9`;
    const keys = {
      ...identity,
      keys: [
        ...identity.keys,
        { ...identity.keys[0], kids: [kid], publicKeyMultibase: key.multikey } as never,
      ],
    };
    const by = { ...signer, kid, sign: (data: string) => key.sign(data) };
    const files = await bundleOf(auditedEvents(letter).slice(0, 5), { keys, by });
    expect((await verify(files)).code).to.equal(0);
    const pins = await pinned(() => {});
    await names(
      files,
      /the statement of the length is signed by the key .* does not name/,
      ...pins,
    );
    const cut = await verify(files, '--log-key', logKey.multikey);
    expect(cut.output).to.contain('Length: stated by a key that the log does not vouch for');
    expect(cut.output).to.contain('Not proven: that the service stated the length');
    expect(cut.code).to.equal(3);
  });

  it('holds a bundle of the service that was expected', async () => {
    const document = join(folder, 'own.json');
    await writeFile(document, JSON.stringify(identity.document));
    const pins = ['--did', serviceDid, '--did-document', document, '--log-key', logKey.multikey];
    const { code, output } = await verify(await good(), ...pins);
    expect(output).to.contain('Keys: checked against what you gave.');
    expect(code).to.equal(0);
    const vkey = verifierKey(identity.logOrigin, logKey.publicKey);
    expect((await verify(await good(), '--log-key', vkey)).code).to.equal(0);
  });

  it('says that a did:web alone does not vouch for the keys', async () => {
    const { code, output } = await verify(await good(), '--did', serviceDid);
    expect(output).to.contain('the keys are those of this bundle');
    expect(code).to.equal(0);
  });

  it('says that credentials are still to come', async () => {
    const events = auditedEvents(letter);
    const waiting = events.map((event) =>
      event.sequence === 6 ? { ...event, credential: undefined } : event,
    );
    const files = await bundleOf(waiting);
    const { history } = historyOf(waiting);
    files.set('statement.jwt', signStatement({ ...history, complete: false }, signer));
    await names(files, /incomplete at event 6, position 125: credentials were not issued yet/);
  });

  it('answers 2 to what is no bundle and to a command line that is not understood', async () => {
    const files = await good();
    expect((await verify(files, '--wat')).code).to.equal(2);
    expect((await verify(files, join(folder, 'nothing-here'))).code).to.equal(2);
    expect((await verify(new Map(files).set('history.json', '{'))).code).to.equal(2);
    const problem = join(folder, 'problem.json');
    await writeFile(problem, '{"title":"Too many requests","detail":"Wait a moment."}');
    for (const option of ['--did-document', '--former-document']) {
      const { code, output } = await verify(files, option, problem);
      expect(output).to.contain('problem.json is not a DID document: Wait a moment.');
      expect(code).to.equal(2);
    }
    files.delete('credentials.json');
    const { code, output } = await verify(files);
    expect(output).to.contain('credentials.json is missing');
    expect(code).to.equal(2);
  });

  it('holds nothing personal in the clear', async () => {
    const text = [...(await good()).values()].join('\n');
    for (const personal of ['Ada', 'rue A', 'Bonjour', '75001']) {
      expect(text).not.to.contain(personal);
    }
    expect(text).to.contain(letterId);
    expect(text).to.contain(credentialKey.multikey);
  });
});
