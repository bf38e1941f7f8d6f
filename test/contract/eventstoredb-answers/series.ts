/**
 * The series of calls whose answers by real servers are in the files next to this one. The log must be empty.
 */
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import { type AppendAnswer, createAppends, type ExpectedRevision } from './appends.ts';
import { createNames, failureOf, type Probe } from './names.ts';
import { createReads, type ReadOptions, type Subscribed } from './reads.ts';

type Send = (stream: string, expected: ExpectedRevision, events: Probe[]) => Promise<AppendAnswer>;

const outcomeOf = (answer: AppendAnswer): string => {
  if ('success' in answer) return 'success';
  if ('wrongExpectedVersion' in answer) return 'wrong expected version';
  if ('status' in answer) return `status ${answer.status.code} ${answer.status.message}`;
  return `${answer.error}: ${answer.details}`;
};

const outcomes = async (calls: Promise<AppendAnswer>[]): Promise<string[]> =>
  (await Promise.all(calls)).map(outcomeOf).sort();

const withoutRaw = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'raw' in answer
    ? { ...answer, raw: undefined }
    : answer;

const countOf = ({ checkpoints, ...rest }: Subscribed): object => ({
  ...rest,
  checkpoints: checkpoints.length,
});

/** @param address `host:port` of an insecure server */
export const recordAnswers = async (
  address: string,
  { quietMs }: { quietMs: number },
): Promise<Map<string, unknown>> => {
  const client = new streamsGrpc.StreamsClient(address, credentials.createInsecure());
  const features = new featuresGrpc.ServerFeaturesClient(address, credentials.createInsecure());
  const names = createNames();
  const { event, at } = names;
  const { append, batch, remove } = createAppends(client, names);
  const { read, learn, subscribe } = createReads(client, names, quietMs);
  const answers = new Map<string, unknown>();
  const record = async (name: string, answer: Promise<unknown>): Promise<void> => {
    // As it is once written and read again, like the recorded ones.
    answers.set(name, JSON.parse(JSON.stringify(withoutRaw(await answer))));
  };

  const appends = async (way: string, send: Send): Promise<void> => {
    const prefix = `${way.replace(' ', '-')}-`;
    const e = (name: string, data?: object) => event(`${way[0]}:${name}`, data);
    const test = (name: string, stream: string, expected: ExpectedRevision, events: Probe[]) =>
      record(`${way}: ${name}`, send(prefix + stream, expected, events));
    const race = (name: string, stream: string, one: Probe, other: Probe) => {
      const racing = [one, other].map((probe) => send(prefix + stream, 'none', [probe]));
      return record(`${way}: ${name}`, outcomes(racing));
    };
    const changed = (name: string) => e(name, { other: 1 });
    const letters = (count: number) => ({ text: 'x'.repeat(count) });
    const [one, two, three] = [e('1'), e('2'), e('3')];
    const all = [one, two, three];

    const first = send(`${prefix}a`, 'none', all).then(async (answer) => {
      await learn(`${prefix}a`);
      if (!('success' in answer)) return answer;
      const position = names.positionOf(answer.raw ?? '');
      return { success: { ...answer.success, position } };
    });
    const last = "the answer's position is that of the last";
    await record(`${way}: three events to a new stream; ${last}`, first);
    await test('the same again, no stream expected', 'a', 'none', all);
    const otherBytes = all.map((_, n) => changed(`${n + 1}`));
    await test('the same ids with other bytes, no stream expected', 'a', 'none', otherBytes);
    const firstTwo = 'the first two of the three ids again';
    await test(`${firstTwo}, no stream expected`, 'a', 'none', [one, two]);
    const lastTwo = 'the last two of the three ids again';
    await test(`${lastTwo}, revision 0 expected`, 'a', 0n, [two, three]);
    await test(`${lastTwo}, no stream expected`, 'a', 'none', [two, three]);
    await test('a known id and a new one, no stream expected', 'a', 'none', [one, e('4')]);
    const onThree = 'on a stream of three';
    await test(`a new id, no stream expected, ${onThree}`, 'a', 'none', [e('5')]);
    await test(`a new id, revision 1 expected, ${onThree}`, 'a', 1n, [e('6')]);
    await test(`a new id, revision 7 expected, ${onThree}`, 'a', 7n, [e('7')]);
    await test('a new id, revision 0 expected, on no stream', 'b', 0n, [e('8')]);
    await test('a new id, existing stream expected, on no stream', 'b', 'exists', [e('9')]);
    await test('the id of another stream, no stream expected', 'c', 'none', [one]);
    await test('a known id at the right next revision', 'a', 2n, [three]);
    await test('no events, no stream expected, on no stream', 'd', 'none', []);
    await test('one event of 1,100,000 bytes', 'e', 'none', [e('big', letters(1_100_000))]);
    const five = [1, 2, 3, 4, 5].map((n) => e(`big${n}`, letters(250_000)));
    await test('five events of 250,000 bytes', 'e', 'none', five);
    await test('an event without a type', 'f', 'none', [{ ...e('10'), type: undefined }]);
    const untyped = { ...e('11'), contentType: undefined };
    await test('an event without a content type', 'f', 'none', [untyped]);
    const malformed = { ...e('12'), data: Buffer.from('{bad') };
    await test('an event whose JSON is malformed', 'f', 'any', [malformed]);
    await race('two appends at once, each expecting no stream', 'g', e('g1'), e('g2'));
    await race('the same append twice at once', 'h', e('h1'), e('h1'));
    await race('an id with other bytes at once with the same id', 'i', e('i1'), changed('i1'));
  };

  const deletes = async (): Promise<void> => {
    await append('gone', 'none', [event('gone1')]);
    await record('delete (soft): the call', remove('delete', 'gone'));
    await record('delete (soft): read', read({ stream: 'gone' }));
    const again = append('gone', 'none', [event('gone2')]);
    await record('delete (soft): append, no stream expected', again);
    await learn('gone');
    await record('delete (soft): read after that append', read({ stream: 'gone' }));
    await append('tomb', 'none', [event('tomb1')]);
    await record('tombstone: the call', remove('tombstone', 'tomb'));
    await record('tombstone: read', read({ stream: 'tomb' }));
    await record('tombstone: append', append('tomb', 'any', [event('tomb2')]));
    await record('tombstone: batch append', batch('tomb', 'any', [event('tomb3')]));
  };

  const reads = async (): Promise<void> => {
    const test = (name: string, options: ReadOptions) => record(name, read(options));
    const five = ['r0', 'r1', 'r2', 'r3', 'r4'].map((name) => event(name));
    await append('r', 'none', five);
    await learn('r');
    const stream = 'r';
    await test('read: a stream that does not exist', { stream: 'nothing' });
    await test('read: from revision 3', { stream, from: 3n });
    await test('read: from beyond the last revision', { stream, from: 9n });
    await test('read: two of five', { stream, count: 2 });
    await test('read: count 0', { stream, count: 0 });
    const last = { stream, from: 'end', backwards: true, count: 2 } as const;
    await test('read: backwards from the end, two', last);
    await test('read: backwards from revision 2', { stream, from: 2n, backwards: true });
    const r2 = { commit: at('r2') };
    const forwards = 'read all: forwards from the position of r2 (the event at the position comes)';
    await test(forwards, { from: r2, count: 3 });
    const back = 'backwards from the position of r2 (the event at the position does not come)';
    await test(`read all: ${back}`, { from: r2, backwards: true, count: 2 });
    for (const [what, commit] of [...amid(), ['1', 1n] as const]) {
      const where = `from ${what}, where no event begins`;
      await test(`read all: forwards ${where}`, { from: { commit }, count: 3 });
      await test(`read all: backwards ${where}`, { from: { commit }, backwards: true, count: 3 });
    }
    const fromR2 = 'read all: forwards from the commit position of r2 with';
    await test(`${fromR2} prepare position 0`, { from: { ...r2, prepare: 0n }, count: 2 });
    const greater = { ...r2, prepare: at('r2') + 1n };
    await test(`${fromR2} a greater prepare position`, { from: greater, count: 2 });
    const beyond = { commit: 10n ** 12n };
    await test('read all: forwards from far beyond the end', { from: beyond });
    const one = { from: beyond, backwards: true, count: 1 };
    await test('read all: backwards from far beyond the end, one', one);
    const filtered = 'filtered to streams that begin with r, backwards from the end, two';
    const prefixes = { filter: { prefixes: ['r'] } };
    const lastTwo = { from: 'end', backwards: true, count: 2, ...prefixes } as const;
    await test(`read all: ${filtered}`, lastTwo);
  };

  const amid = () =>
    [
      ['one before r2', at('r2') - 1n],
      ['one after r2', at('r2') + 1n],
      ['half way from r2 to r3', (at('r2') + at('r3')) / 2n],
    ] as const;

  const subscriptions = async (): Promise<void> => {
    const test = (name: string, options: ReadOptions, during?: () => Promise<unknown>) =>
      record(name, subscribe(options, during).then(countOf));
    const r2 = { commit: at('r2') };
    const exclusive = 'from the position of r2 (the event at the position does not come)';
    await test(`subscribe to all: ${exclusive}`, { from: r2 });
    await test('subscribe to all: from the end', { from: 'end' });
    for (const [what, commit] of [...amid(), ['far beyond the end', 10n ** 12n] as const]) {
      const where = `from ${what}, where no event begins`;
      const from = { commit };
      await test(`subscribe to all: ${where}`, { from });
      const regex = '^[^$]';
      await test(`subscribe to all, filtered: ${where}`, { from, filter: { regex } });
    }
    const filter = { regex: '^nobody', window: 8 };
    const noise = async () => {
      for (let n = 0; n < 40; n++) await append('noise', 'any', [event(`n${n}`)]);
    };
    const others = 'filtered to other streams: from the position of r2, 40 events come';
    await test(`subscribe to all, ${others}`, { from: r2, filter }, noise);
    const { checkpoints } = await subscribe({ filter });
    const again = checkpoints.map(async (commit) => {
      const { ending, ...rest } = await subscribe({ from: { commit: BigInt(commit) }, filter });
      return 'error' in rest ? rest.error : ending;
    });
    const endings = Promise.all(again).then((all) => [...new Set(all)]);
    await record('subscribe to all: again from each checkpoint that was given', endings);
    const later = () => append('later', 'none', [event('later1')]);
    const stream = { stream: 'later' };
    await test('subscribe to a stream that does not exist, then it is written', stream, later);
    const live = () => append('live', 'none', [event('l1'), event('l2'), event('l3')]);
    const together = 'a live event of three appended together';
    await test(`subscribe to all: ${together}`, { from: 'end' }, live);
  };

  const serverFeatures = () =>
    new Promise<object>((resolve) => {
      const told = (error: ServiceError | null, response: featuresPb.SupportedMethods) => {
        if (error) return resolve(failureOf(error));
        const streams = response
          .getMethodsList()
          .filter((method) => method.getServiceName().includes('streams'))
          .map((method) => `${method.getMethodName()} [${method.getFeaturesList()}]`)
          .sort();
        resolve({ version: response.getEventStoreServerVersion(), streams });
      };
      features.getSupportedMethods(new sharedPb.Empty(), told);
    });

  await appends('append', append);
  await appends('batch append', batch);
  await deletes();
  await reads();
  await subscriptions();
  await record('server features', serverFeatures());
  client.close();
  features.close();
  return answers;
};
