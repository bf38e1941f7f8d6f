import { oneOf } from '../config-parsers.ts';
import { group, plain } from '../group.ts';

export const accounts = group({
  settings: {
    REGISTRATION: plain(
      oneOf('open', 'closed'),
      '`open`',
      '`closed`: nobody can register; existing accounts keep working and can be recovered',
    ),
  },
  read: (set) => ({ registrationClosed: set.REGISTRATION === 'closed' }),
  describe: ({ registrationClosed }) =>
    registrationClosed ? ['registration: closed (REGISTRATION)'] : [],
});
