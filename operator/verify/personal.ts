import { type DataKeys, subjectOf } from '../../events/data-keys.ts';
import { type DecodedEvent, openPersonal } from '../../events/envelope.ts';
import { registry } from '../../events/registry.ts';
import { messageOf } from '../../ground/message-of.ts';
import type { Findings } from './findings.ts';

type Keys = Awaited<ReturnType<DataKeys['getMany']>>;

/** Opens every personal part whose key is there; a key may only be gone where the log says so. */
export const createPersonalCheck = (options: { dataKeys: DataKeys; findings: Findings }) => {
  const { dataKeys, findings } = options;
  /** Streams whose key is gone, with the first position that misses it. */
  const keyless = new Map<string, bigint>();
  let opened = 0;
  let erased = 0;

  const checkOne = (event: DecodedEvent, keys: Keys): void => {
    if (event.type === 'LetterErased') keyless.delete(event.stream);
    if (event.metadata.sealed === undefined) return;
    const key = keys.get(subjectOf(event.stream));
    if (!key) {
      erased++;
      // Kept to repeat an answer, for minutes.
      if (event.type === 'UcanRequested') return;
      if (!keyless.has(event.stream)) keyless.set(event.stream, event.position);
      return;
    }
    try {
      const { type, data, personal } = openPersonal(event, key);
      registry.check({ type, data, personal });
      opened++;
    } catch (error) {
      const why = messageOf(error);
      findings.add(event.position, `${event.stream}: the personal part does not open: ${why}`);
    }
  };

  return {
    async check(events: DecodedEvent[]): Promise<void> {
      const sealed = events.filter(({ metadata }) => metadata.sealed !== undefined);
      const subjects = sealed.map(({ stream }) => subjectOf(stream));
      const keys: Keys = subjects.length > 0 ? await dataKeys.getMany(subjects) : new Map();
      for (const event of events) checkOne(event, keys);
    },
    /** @param isErased whether the stream says so after where the walk ended */
    async finish(isErased: (stream: string) => Promise<boolean>): Promise<void> {
      for (const [stream, position] of keyless) {
        if (await isErased(stream)) continue;
        findings.add(
          position,
          `the data key of ${subjectOf(stream)} is gone, but nothing was erased`,
        );
      }
    },
    totals: () => ({ opened, erased }),
  };
};
