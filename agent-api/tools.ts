/** The 21 tools: their purpose, their operations, and how agents should treat them. */

/** The effect of a tool, for agents. Stated for each tool, because the protocol's defaults are the worst case. */
export type Hints = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

export type ToolDefinition = {
  name: string;
  title: string;
  description: string;
  /** Method and path of the operations; the tool is there where all of them are. */
  endpoints: readonly string[];
  /** Which of several endpoints the arguments ask for, by its place in the list. */
  choose?: (args: Record<string, unknown>) => number;
  hints: Hints;
  /** Arguments that an operation knows under another name. */
  renamed?: Record<string, string>;
  /** Fields of the operations that the tool does not take. */
  without?: readonly string[];
  /** Fields that it takes and does not list, so that the list stays short. */
  unlisted?: readonly string[];
  /**
   * Lists `idempotency_key` as required, although a call without it is taken: frameworks repeat a call whose answer is
   * lost, with the same arguments, and a model can repeat only a key that it gave.
   */
  asksForKey?: boolean;
  /** Also for those who pick few tools. */
  core?: boolean;
};

/** As `R D I W`: reads only, destroys or spends, may be repeated, reaches the world outside. */
const hints = (marks: string): Hints => {
  const [
    readOnlyHint = false,
    destructiveHint = false,
    idempotentHint = false,
    openWorldHint = false,
  ] = [...marks].map((mark) => mark === '1');
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
};

const has =
  (...names: string[]) =>
  (args: Record<string, unknown>) =>
    names.some((name) => args[name] !== undefined) ? 1 : 0;

/** Whether it reads as a UCAN 0.10: its payload has `att` or `cap`, or names `ucv`. Or it is written as in Authorization. */
const isUcan = (token: unknown): boolean => {
  if (/^ucan:/i.test(String(token))) return true;
  try {
    const [header = '', payload = ''] = String(token).split('.');
    const parts = [header, payload].map((part) =>
      JSON.parse(Buffer.from(part, 'base64url').toString('utf8')),
    );
    return parts.some((part) => ['ucv', 'att', 'cap'].some((name) => Object.hasOwn(part, name)));
  } catch {
    return false;
  }
};

/** Programs send files as base64. The list leaves them out, because base64 has no place in what a model writes. */
const files = ['document', 'logo'];

const rarelyUsed = [
  ...['content_type', 'footer', 'accept_address_as_is', 'hold_without_funds'],
  ...['language', 'date'],
];

const address = ['name', 'line1', 'city', 'postal_code', 'country', 'company', 'line2', 'state'];

/** Fields that a quote accepts, so that the body of a send fits, but does not need. */
const ofSendOnly = [
  ...address
    .flatMap((part) => [`to_${part}`, `from_${part}`])
    .filter((name) => name !== 'to_country'),
  ...['reference', 'metadata', 'draft', 'quote_id', 'commitment_id', 'max_total', 'letter_id'],
  'dry_run',
];

/** Fields that an offer takes in addition to the number of pages. */
const ofPriceOnly = [
  ...['content', 'document_url', 'address_placement', 'auto_fix', 'service', 'send_date'],
  ...['color', 'duplex'],
];

/** Descriptions of fields whose own description does not begin with a short one. */
export const fieldTexts: Readonly<Record<string, string>> = {
  capabilities: 'As in the example',
  audience: 'A DID',
  audience_did: 'The DID that may use it',
  address_placement: 'PDF only: print the address on it, find it there, or add a page in front',
  auto_fix: 'Make a PDF fit the page',
  commitment_id: 'From accept_offer',
  committed_units: 'Letters in each period',
  expires_in: 'Seconds',
  intent: 'What the letter is for; some ask for proof or a deadline',
  max_total: 'US dollars; refused above it',
  metadata: 'Your key-value pairs',
  pay_now: 'usdc: pay in this call, by x402',
  present_to: 'Domain of the verifier',
  quantity: 'Letters',
  quote_id: 'From quote_letter; locks its price',
  reference: 'Your reference',
  service: 'From list_services; default: the cheapest that meets intent',
  status: 'Any of these',
  token: 'A compact JWT',
};

export const toolDefinitions: readonly ToolDefinition[] = [
  {
    name: 'list_services',
    title: 'List postal services',
    description: 'Postal services of a country with tracking, proof, delivery time and price from.',
    endpoints: ['GET /api/services/{country}'],
    hints: hints('1010'),
    core: true,
  },
  {
    name: 'quote_letter',
    title: 'Price a letter',
    description:
      'Itemised price of a letter, paid from crypto and from other money. Mails and spends nothing. Use it before send_letter and pass its `quote_id`. Needs `to_country` and one of `pages`, `content`, `document_url`.',
    endpoints: ['POST /api/quote'],
    unlisted: [...files, ...rarelyUsed, ...ofSendOnly],
    hints: hints('1010'),
    core: true,
  },
  {
    name: 'negotiate_pricing',
    title: 'Negotiate a price',
    description:
      'A signed offer in three tiers (economy, standard, premium) for an intent class. Mails nothing.',
    endpoints: ['POST /api/anp/offer'],
    unlisted: [...files, ...rarelyUsed, ...ofSendOnly, ...ofPriceOnly],
    hints: hints('1000'),
    core: true,
  },
  {
    name: 'accept_offer',
    title: 'Accept an offer',
    description: 'Locks the price of one tier of an offer. Returns the commitment to send with.',
    endpoints: ['POST /api/anp/accept'],
    unlisted: ['offer', 'offer_hash'],
    hints: hints('0010'),
    core: true,
  },
  {
    name: 'send_letter',
    title: 'Print and post a letter',
    description:
      'Mails a real letter and spends money; it cannot be undone once printed. Quote first and get the user’s confirmation. Costs the total of quote_letter, from the wallet or by x402. Set `max_total` as a cap. Repeat an unanswered call with the same `idempotency_key`; give others a new one. Needs to_ and from_ name, line1, city, postal_code and country, and `content` or `document_url`; or the `letter_id` of a draft.',
    endpoints: ['POST /api/send'],
    unlisted: [...files, ...rarelyUsed],
    asksForKey: true,
    hints: hints('0101'),
    core: true,
  },
  {
    name: 'track_letter',
    title: 'Track a letter',
    description: 'Status of a letter, its steps and the expected days of delivery.',
    endpoints: ['GET /api/track/{letter_id}'],
    hints: hints('1011'),
    core: true,
  },
  {
    name: 'get_proof',
    title: 'Get proof of a letter',
    description: 'Proof of posting and delivery for an audit: signed credentials and hashes.',
    endpoints: ['GET /api/proof/{letter_id}'],
    hints: hints('1010'),
    core: true,
  },
  {
    name: 'get_balance',
    title: 'Get the balance',
    description: 'Balance in US dollars and the last transactions. Use it before a send.',
    endpoints: ['GET /api/balance'],
    hints: hints('1010'),
    core: true,
  },
  {
    name: 'list_letters',
    title: 'List letters',
    description: 'Finds letters; newest first, page by `cursor`.',
    endpoints: ['GET /api/letters'],
    unlisted: ['service', 'made_by'],
    hints: hints('1010'),
  },
  {
    name: 'get_letter',
    title: 'Get a letter',
    description: 'All details of one letter.',
    endpoints: ['GET /api/letters/{id}'],
    renamed: { letter_id: 'id' },
    hints: hints('1010'),
  },
  {
    name: 'update_letter',
    title: 'Correct a letter',
    description:
      'Corrects the recipient, reference or metadata of a draft or queued letter. An empty text removes a field, {} all metadata.',
    endpoints: ['PATCH /api/letters/{id}'],
    unlisted: rarelyUsed,
    renamed: { letter_id: 'id' },
    hints: hints('0110'),
  },
  {
    name: 'cancel_letter',
    title: 'Cancel a letter',
    description: 'Stops a letter before it is printed; its price goes back to the wallet in full.',
    endpoints: ['POST /api/letters/{id}/cancel'],
    renamed: { letter_id: 'id' },
    hints: hints('0110'),
  },
  {
    name: 'get_letter_history',
    title: 'Get the history of a letter',
    description: 'Each event of a letter, with its signed credential.',
    endpoints: ['GET /api/identity/audit/{letter_id}'],
    hints: hints('1010'),
  },
  {
    name: 'top_up_wallet',
    title: 'Top up the wallet',
    description:
      'Starts a top-up by USDC, Bitcoin Lightning or card. Returns where to pay; moves no money itself, unless `pay_now` and an x402 payment come with it.',
    endpoints: ['POST /api/topup'],
    hints: hints('0001'),
  },
  {
    name: 'list_notifications',
    title: 'List notifications',
    description: 'Events, newest first; with `letter_id` those of one letter.',
    endpoints: ['GET /api/notifications'],
    hints: hints('1010'),
  },
  {
    name: 'list_contracts',
    title: 'List volume contracts',
    description: 'Active volume contracts, or one in full with `contract_id`.',
    endpoints: ['GET /api/anp/contracts', 'GET /api/anp/contracts/{contract_id}'],
    choose: has('contract_id'),
    unlisted: ['customer_did', 'cursor', 'limit', 'state'],
    hints: hints('1010'),
  },
  {
    name: 'create_contract',
    title: 'Commit to a volume',
    description: 'Binds you to 51 letters or more in a period, for a discount.',
    endpoints: ['POST /api/anp/contracts'],
    unlisted: ['period_count', 'starts_at', 'time_zone'],
    hints: hints('0100'),
  },
  {
    name: 'get_my_did',
    title: 'Get my DID',
    description: 'Your DID. If you have none, one is made.',
    endpoints: ['POST /api/identity/did'],
    without: ['did', 'challenge', 'signature'],
    hints: hints('0010'),
  },
  {
    name: 'issue_capability',
    title: 'Issue a capability',
    description:
      'Issues a UCAN: with `scope` for yourself, with `audience_did` for a sub-agent; never more than you may do. The token is a secret: its holder can act with it. To limit a sub-agent, give `capabilities` instead of `scope`. The resource is `letters://<account_id>/` (see get_balance); abilities are letters/send, letters/read (to quote and track) and letters/*; caveats are countries, services, intents, max_total_minor (cents for one letter), max_letters and letter_id. Example: {"letters://acct_1/": {"letters/read": [{"countries": ["DE"]}], "letters/send": [{"countries": ["DE"], "max_total_minor": 1000, "max_letters": 10}]}}',
    endpoints: ['POST /api/identity/ucan', 'POST /api/identity/delegate'],
    // A token that is to be limited is never issued without its limits.
    choose: has('audience_did', 'capabilities', 'token', 'cid', 'proofs'),
    unlisted: ['cid', 'proofs'],
    renamed: { audience_did: 'audience' },
    hints: hints('0000'),
  },
  {
    name: 'verify_credential',
    title: 'Verify a credential',
    description:
      'Verifies a Verifiable Credential, a presentation or a UCAN as `token`, and detects which it is. `challenge` and `domain` are for presentations, `proofs` and `audience` for UCANs.',
    endpoints: ['POST /api/identity/verify-vc', 'POST /api/identity/verify-ucan'],
    choose: ({ token }) => (isUcan(token) ? 1 : 0),
    renamed: { token: 'credential' },
    hints: hints('1010'),
  },
  {
    name: 'list_credentials',
    title: 'List or present credentials',
    description:
      'Your Verifiable Credentials, newest first. With `present_to`, the domain of a verifier: a presentation of the 1 to 50 credentials in `credential_ids`, signed with your DID.',
    endpoints: ['GET /api/identity/credentials', 'POST /api/identity/presentation'],
    choose: has('present_to'),
    renamed: { present_to: 'domain' },
    without: ['credentials'],
    hints: hints('1010'),
  },
];
