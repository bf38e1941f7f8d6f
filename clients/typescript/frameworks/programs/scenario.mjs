/** What every framework is asked to do: calls that a model makes up, and what the tools of a choice are called. */
export const confirmed = [];
const letter = JSON.parse(process.env.LETTER ?? '{}');

export const options = {
  confirm: ({ name, args }) => {
    confirmed.push(name);
    return args.reference === 'confirmed';
  },
};

/** Tool calls in the order in which the model makes them. */
export const calls = [
  { id: 'quote', name: 'quote_letter', args: { to_country: 'DE', pages: 2, intent: null } },
  { id: 'invalid', name: 'quote_letter', args: { to_country: 'Mars', pages: 2 } },
  {
    id: 'wrong',
    name: 'track_letter',
    args: { letter_id: '00000000-0000-4000-8000-000000000000' },
  },
  { id: 'refused', name: 'send_letter', args: letter },
  { id: 'sent', name: 'send_letter', args: { ...letter, reference: 'confirmed' } },
];

/** The last line of the output. `results`: what the model was told, by the id of its call. */
export const tell = (names, results) => {
  const parsed = Object.fromEntries(
    Object.entries(results).map(([id, one]) => [
      id,
      typeof one === 'string' ? JSON.parse(one) : one,
    ]),
  );
  console.log(JSON.stringify({ ...names, results: parsed, confirmed }));
  process.exit(0);
};

/** A model of the AI SDK that makes the calls and then has done. */
export const madeUpTurns = () => {
  let turn = 0;
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const done = [{ type: 'text', text: 'Done.' }];
  const asked = calls.map(({ id, name, args }) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: JSON.stringify(args),
  }));
  return async () => {
    turn += 1;
    const [content, unified] = turn === 1 ? [asked, 'tool-calls'] : [done, 'stop'];
    return { content, finishReason: { unified }, usage, warnings: [] };
  };
};
