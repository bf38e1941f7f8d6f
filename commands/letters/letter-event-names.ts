import { eventName } from '../../contract/event-name.ts';
import { letterEvents, letterStream } from '../../events/letter.ts';

/** The public names of all events of a letter. */
export const letterEventNames: readonly string[] = Object.keys(letterEvents).map((type) =>
  eventName(letterStream(''), type),
);
