/** The public names of events. */
import { eventName } from '../contract/event-name.ts';
import { definitions } from './registry.ts';

/** Whether an event can have this name, such as `wallet.funds_reserved`. */
export const isEventName = (name: string): boolean => {
  const [kind = ''] = name.split('.', 1);
  return Object.keys(definitions).some((type) => eventName(`${kind}-`, type) === name);
};
