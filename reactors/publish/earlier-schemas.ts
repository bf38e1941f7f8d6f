/**
 * Schemas that were served for versions of events that came before the present ones; they are served for
 * ever, since messages that name them are kept.
 */
export const earlierSchemas: Record<string, object> = {
  'letters.account_registered.v1': {
    type: 'object',
    required: ['accountId', 'kind', 'test'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      kind: {
        anyOf: [
          { type: 'string', const: 'email' },
          { type: 'string', const: 'agent' },
        ],
      },
      test: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  'letters.quotas_set.v1': {
    type: 'object',
    required: ['accountId'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      liveLettersPerDay: { type: 'integer', minimum: 0 },
      testLettersPerDay: { type: 'integer', minimum: 0 },
      draftsPerAccount: { type: 'integer', minimum: 0 },
    },
    additionalProperties: false,
  },
  'letters.key_created.v1': {
    type: 'object',
    required: ['accountId', 'test', 'keyId', 'scope'],
    properties: {
      accountId: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
      test: {
        type: 'boolean',
      },
      keyId: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
      scope: {
        anyOf: [
          {
            type: 'string',
            const: 'full',
          },
          {
            type: 'string',
            const: 'send',
          },
          {
            type: 'string',
            const: 'read',
          },
        ],
      },
      expiresAt: {
        type: 'string',
        minLength: 20,
        maxLength: 30,
      },
      rotatedFrom: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
    },
    additionalProperties: false,
  },
  'letters.funds_charged_back.v1': {
    type: 'object',
    required: ['receipt', 'bucket', 'amountMicro'],
    properties: {
      receipt: {
        type: 'object',
        required: ['method'],
        properties: {
          method: {
            anyOf: [
              {
                type: 'string',
                const: 'test_grant',
              },
              {
                type: 'string',
                const: 'operator',
              },
              {
                type: 'string',
                const: 'x402',
              },
              {
                type: 'string',
                const: 'usdc_transfer',
              },
              {
                type: 'string',
                const: 'lightning',
              },
              {
                type: 'string',
                const: 'card',
              },
              {
                type: 'string',
                const: 'mech',
              },
            ],
          },
        },
        additionalProperties: false,
      },
      bucket: {
        anyOf: [
          {
            type: 'string',
            const: 'crypto',
          },
          {
            type: 'string',
            const: 'fiat',
          },
        ],
      },
      amountMicro: {
        type: 'integer',
        minimum: 1,
        maximum: 9007199254740991,
      },
    },
    additionalProperties: false,
  },
  'letters.key_revoked.v1': {
    type: 'object',
    required: ['accountId', 'keyId', 'reason'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      keyId: { type: 'string', minLength: 1, maxLength: 64 },
      reason: {
        anyOf: [
          { type: 'string', const: 'revoked' },
          { type: 'string', const: 'rotated' },
        ],
      },
    },
    additionalProperties: false,
  },
  'letters.settings_changed.v1': {
    type: 'object',
    required: ['accountId', 'webhook', 'notificationEmail'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      webhook: { type: 'boolean' },
      notificationEmail: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  'letters.settings_changed.v2': {
    type: 'object',
    required: ['accountId', 'webhook', 'notificationEmail'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      webhook: { type: 'boolean' },
      notificationEmail: { type: 'boolean' },
      confirmed: { type: 'boolean', const: true },
    },
    additionalProperties: false,
  },
  'letters.audit_subscribed.v1': {
    type: 'object',
    required: ['accountId', 'subscriptionId'],
    properties: {
      accountId: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
      subscriptionId: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
      events: {
        type: 'array',
        items: {
          type: 'string',
          maxLength: 64,
        },
        maxItems: 50,
      },
      letterId: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
    },
    additionalProperties: false,
  },
  'letters.ucan_issued.v1': {
    type: 'object',
    required: ['cid', 'accountId', 'kind', 'expiresAt', 'proofs'],
    properties: {
      cid: {
        type: 'string',
        minLength: 10,
        maxLength: 128,
      },
      accountId: {
        type: 'string',
        minLength: 1,
        maxLength: 64,
      },
      kind: {
        anyOf: [
          {
            type: 'string',
            const: 'root',
          },
          {
            type: 'string',
            const: 'delegation',
          },
        ],
      },
      expiresAt: {
        anyOf: [
          {
            type: 'integer',
          },
          {
            type: 'null',
          },
        ],
      },
      proofs: {
        type: 'array',
        items: {
          type: 'string',
          minLength: 10,
          maxLength: 128,
        },
        maxItems: 32,
      },
    },
    additionalProperties: false,
  },
  'letters.service_identity_changed.v1': {
    type: 'object',
    required: ['did', 'reason', 'keys'],
    properties: {
      did: { type: 'string', minLength: 8, maxLength: 2048, pattern: '^did:(web|key):' },
      reason: {
        anyOf: [
          { type: 'string', const: 'established' },
          { type: 'string', const: 'rotated' },
          { type: 'string', const: 'revoked' },
          { type: 'string', const: 'moved' },
        ],
      },
      keys: {
        type: 'array',
        items: {
          type: 'object',
          required: ['keyId', 'purpose', 'publicKey', 'state', 'validFrom'],
          properties: {
            keyId: { type: 'string', minLength: 1, maxLength: 64 },
            purpose: {
              anyOf: [
                { type: 'string', const: 'credential' },
                { type: 'string', const: 'ucan' },
                { type: 'string', const: 'log' },
                { type: 'string', const: 'webhook' },
              ],
            },
            publicKey: { type: 'string', pattern: '^z6Mk[1-9A-HJ-NP-Za-km-z]{40,48}$' },
            state: {
              anyOf: [
                { type: 'string', const: 'active' },
                { type: 'string', const: 'retired' },
                { type: 'string', const: 'revoked' },
              ],
            },
            validFrom: { type: 'string', minLength: 20, maxLength: 30 },
            validUntil: { type: 'string', minLength: 20, maxLength: 30 },
            trustedLogSize: { type: 'integer', minimum: 0 },
          },
          additionalProperties: false,
        },
        minItems: 4,
        maxItems: 1000,
      },
    },
    additionalProperties: false,
  },
  'letters.funds_released.v2': {
    type: 'object',
    required: ['purpose', 'cryptoMicro', 'fiatMicro'],
    properties: {
      purpose: {
        type: 'object',
        required: ['kind', 'id'],
        properties: {
          kind: {
            anyOf: [
              {
                type: 'string',
                const: 'letter',
              },
              {
                type: 'string',
                const: 'order',
              },
              {
                type: 'string',
                const: 'volume-contract',
              },
            ],
          },
          id: {
            type: 'string',
            minLength: 1,
            maxLength: 64,
          },
        },
        additionalProperties: false,
      },
      cryptoMicro: {
        type: 'integer',
        minimum: 0,
        maximum: 9007199254740991,
      },
      fiatMicro: {
        type: 'integer',
        minimum: 0,
        maximum: 9007199254740991,
      },
    },
    additionalProperties: false,
  },
  'letters.funds_reserved.v2': {
    type: 'object',
    required: [
      'purpose',
      'attemptId',
      'cryptoMicro',
      'fiatMicro',
      'commissionCryptoMicro',
      'commissionFiatMicro',
    ],
    properties: {
      purpose: {
        type: 'object',
        required: ['kind', 'id'],
        properties: {
          kind: {
            anyOf: [
              { type: 'string', const: 'letter' },
              { type: 'string', const: 'order' },
              { type: 'string', const: 'volume-contract' },
            ],
          },
          id: { type: 'string', minLength: 1, maxLength: 64 },
        },
        additionalProperties: false,
      },
      attemptId: { type: 'string', minLength: 1, maxLength: 64 },
      cryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      fiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      commissionCryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      commissionFiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
    },
    additionalProperties: false,
  },
  'letters.reservations_carried_forward.v2': {
    type: 'object',
    required: ['reservations'],
    properties: {
      reservations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['purpose', 'attempts', 'state', 'since', 'cryptoMicro', 'fiatMicro'],
          properties: {
            purpose: {
              type: 'object',
              required: ['kind', 'id'],
              properties: {
                kind: {
                  anyOf: [
                    { type: 'string', const: 'letter' },
                    { type: 'string', const: 'order' },
                    { type: 'string', const: 'volume-contract' },
                  ],
                },
                id: { type: 'string', minLength: 1, maxLength: 64 },
              },
              additionalProperties: false,
            },
            attempts: {
              type: 'array',
              items: {
                type: 'object',
                required: [
                  'attemptId',
                  'cryptoMicro',
                  'fiatMicro',
                  'commissionCryptoMicro',
                  'commissionFiatMicro',
                ],
                properties: {
                  attemptId: { type: 'string', minLength: 1, maxLength: 64 },
                  cryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  fiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  commissionCryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  commissionFiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                },
                additionalProperties: false,
              },
              maxItems: 1000,
            },
            state: {
              anyOf: [
                { type: 'string', const: 'held' },
                { type: 'string', const: 'captured' },
              ],
            },
            since: { type: 'string', minLength: 20, maxLength: 30 },
            cryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
            fiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
          },
          additionalProperties: false,
        },
        maxItems: 500,
      },
    },
    additionalProperties: false,
  },
  'letters.payment_claimed.v1': {
    type: 'object',
    required: [
      ...['paymentId', 'network', 'asset', 'payTo', 'amountMicro', 'validBefore'],
      ...['accountId', 'operation'],
    ],
    properties: {
      paymentId: { type: 'string', minLength: 1, maxLength: 64 },
      network: { type: 'string', pattern: '^eip155:[1-9][0-9]{0,18}$' },
      asset: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
      payTo: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
      amountMicro: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
      validBefore: { type: 'integer', minimum: 0 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      operation: { type: 'string', maxLength: 64 },
    },
    additionalProperties: false,
  },
  'letters.payment_settled.v1': {
    type: 'object',
    required: ['paymentId', 'accountId', 'transfer', 'ours', 'feeWei'],
    properties: {
      paymentId: { type: 'string', minLength: 1, maxLength: 64 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      transfer: {
        type: 'object',
        required: ['network', 'asset', 'amountMicro'],
        properties: {
          network: { type: 'string', pattern: '^eip155:[1-9][0-9]{0,18}$' },
          asset: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
          amountMicro: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
        },
        additionalProperties: false,
      },
      ours: { type: 'boolean' },
      feeWei: { type: 'string', pattern: '^[0-9]{1,40}$' },
    },
    additionalProperties: false,
  },
  'letters.transfer_claimed.v1': {
    type: 'object',
    required: ['accountId', 'transfer'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      transfer: {
        type: 'object',
        required: ['network', 'asset', 'amountMicro'],
        properties: {
          network: { type: 'string', pattern: '^eip155:[1-9][0-9]{0,18}$' },
          asset: { type: 'string', pattern: '^0x[0-9a-f]{40}$' },
          amountMicro: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  },
  'letters.settlement_failed.v1': {
    type: 'object',
    required: ['payerId', 'paymentId', 'network', 'feeWei'],
    properties: {
      payerId: { type: 'string', minLength: 1, maxLength: 64 },
      paymentId: { type: 'string', minLength: 1, maxLength: 64 },
      network: { type: 'string', pattern: '^eip155:[1-9][0-9]{0,18}$' },
      feeWei: { type: 'string', pattern: '^[0-9]{1,40}$' },
    },
    additionalProperties: false,
  },
  'letters.top_up_requested.v1': {
    type: 'object',
    required: ['topUpId', 'accountId', 'amountMicro', 'expiresAt'],
    properties: {
      topUpId: { type: 'string', minLength: 1, maxLength: 64 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      amountMicro: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
      expiresAt: { type: 'string', minLength: 20, maxLength: 30 },
    },
    additionalProperties: false,
  },
  'letters.volume_contract_created.v1': {
    type: 'object',
    required: [
      ...['contractId', 'accountId', 'test', 'committedUnits', 'period', 'timeZone', 'periods'],
      ...['tiers', 'breachTerms'],
    ],
    properties: {
      contractId: { type: 'string', minLength: 1, maxLength: 64 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      test: { type: 'boolean' },
      committedUnits: { type: 'integer', minimum: 1 },
      period: {
        anyOf: [
          { type: 'string', const: 'month' },
          { type: 'string', const: 'quarter' },
          { type: 'string', const: 'year' },
        ],
      },
      timeZone: { type: 'string', minLength: 1, maxLength: 64 },
      periods: {
        type: 'array',
        items: {
          type: 'object',
          required: ['startsAt', 'endsAt'],
          properties: {
            startsAt: { type: 'string', minLength: 20, maxLength: 30 },
            endsAt: { type: 'string', minLength: 20, maxLength: 30 },
          },
          additionalProperties: false,
        },
        minItems: 1,
        maxItems: 100,
      },
      tiers: {
        type: 'array',
        items: {
          type: 'object',
          required: ['from', 'to', 'basisPoints'],
          properties: {
            from: { type: 'integer', minimum: 1 },
            to: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
            basisPoints: { type: 'integer', minimum: 1, maximum: 10000 },
          },
          additionalProperties: false,
        },
        minItems: 1,
        maxItems: 20,
      },
      breachTerms: {
        type: 'object',
        required: ['shortfall', 'graceDays'],
        properties: {
          shortfall: { type: 'string', const: 'rebill_at_undiscounted_price' },
          graceDays: { type: 'integer', minimum: 0, maximum: 366 },
        },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  },
  'letters.email_confirmed.v1': {
    type: 'object',
    required: ['accountId', 'address', 'by', 'keep'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      address: {
        anyOf: [
          { type: 'string', const: 'registered' },
          { type: 'string', const: 'notifications' },
        ],
      },
      by: {
        anyOf: [
          { type: 'string', const: 'link' },
          { type: 'string', const: 'recovery' },
          { type: 'string', const: 'operator' },
        ],
      },
      keep: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 64 },
        maxItems: 200,
      },
      endsIssued: { type: 'boolean', const: true },
    },
    additionalProperties: false,
  },
  'letters.key_revoked.v2': {
    type: 'object',
    required: ['accountId', 'keyId', 'reason'],
    properties: {
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      keyId: { type: 'string', minLength: 1, maxLength: 64 },
      reason: {
        anyOf: [
          { type: 'string', const: 'revoked' },
          { type: 'string', const: 'rotated' },
        ],
      },
      worksUntil: { type: 'string', minLength: 20, maxLength: 30 },
    },
    additionalProperties: false,
  },
  'letters.mail_attempted.v1': {
    type: 'object',
    required: ['mailId', 'accountId', 'kind', 'attempt'],
    properties: {
      mailId: { type: 'string', minLength: 1, maxLength: 64 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      kind: { type: 'string', minLength: 1, maxLength: 64 },
      letterId: { type: 'string', minLength: 1, maxLength: 64 },
      attempt: { type: 'integer', minimum: 1 },
    },
    additionalProperties: false,
  },
  'letters.funds_reserved.v3': {
    type: 'object',
    required: [
      'purpose',
      'attemptId',
      'cryptoMicro',
      'fiatMicro',
      'commissionCryptoMicro',
      'commissionFiatMicro',
    ],
    properties: {
      purpose: {
        type: 'object',
        required: ['kind', 'id'],
        properties: {
          kind: {
            anyOf: [
              { type: 'string', const: 'letter' },
              { type: 'string', const: 'order' },
              { type: 'string', const: 'volume-contract' },
            ],
          },
          id: { type: 'string', minLength: 1, maxLength: 64 },
        },
        additionalProperties: false,
      },
      attemptId: { type: 'string', minLength: 1, maxLength: 64 },
      cryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      fiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      commissionCryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      commissionFiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      commitmentId: { type: 'string', minLength: 1, maxLength: 64 },
    },
    additionalProperties: false,
  },
  'letters.reservations_carried_forward.v3': {
    type: 'object',
    required: ['reservations'],
    properties: {
      reservations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['purpose', 'attempts', 'state', 'since', 'cryptoMicro', 'fiatMicro'],
          properties: {
            purpose: {
              type: 'object',
              required: ['kind', 'id'],
              properties: {
                kind: {
                  anyOf: [
                    { type: 'string', const: 'letter' },
                    { type: 'string', const: 'order' },
                    { type: 'string', const: 'volume-contract' },
                  ],
                },
                id: { type: 'string', minLength: 1, maxLength: 64 },
              },
              additionalProperties: false,
            },
            attempts: {
              type: 'array',
              items: {
                type: 'object',
                required: [
                  'attemptId',
                  'cryptoMicro',
                  'fiatMicro',
                  'commissionCryptoMicro',
                  'commissionFiatMicro',
                ],
                properties: {
                  attemptId: { type: 'string', minLength: 1, maxLength: 64 },
                  cryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  fiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  commissionCryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  commissionFiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
                  commitmentId: { type: 'string', minLength: 1, maxLength: 64 },
                },
                additionalProperties: false,
              },
              maxItems: 1000,
            },
            state: {
              anyOf: [
                { type: 'string', const: 'held' },
                { type: 'string', const: 'captured' },
              ],
            },
            since: { type: 'string', minLength: 20, maxLength: 30 },
            cryptoMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
            fiatMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
          },
          additionalProperties: false,
        },
        maxItems: 500,
      },
    },
    additionalProperties: false,
  },
  'letters.letter_processing_started.v1': {
    type: 'object',
    required: ['partner', 'jobId', 'source'],
    properties: {
      partner: { type: 'string', minLength: 1, maxLength: 64 },
      jobId: { type: 'string', minLength: 1, maxLength: 64 },
      source: {
        anyOf: [
          { type: 'string', const: 'partner' },
          { type: 'string', const: 'carrier' },
          { type: 'string', const: 'operator' },
          { type: 'string', const: 'simulator' },
        ],
      },
      inferred: { type: 'boolean' },
      reportedAt: { type: 'string', minLength: 20, maxLength: 30 },
    },
    additionalProperties: false,
  },
  'letters.order_placed.v1': {
    type: 'object',
    required: [
      'orderId',
      'accountId',
      'letterId',
      'amountMicro',
      'commissionMicro',
      'currency',
      'amountMinor',
      'expiresAt',
    ],
    properties: {
      orderId: { type: 'string', minLength: 1, maxLength: 64 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      letterId: { type: 'string', minLength: 1, maxLength: 64 },
      amountMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      commissionMicro: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
      currency: {
        anyOf: [
          { type: 'string', const: 'USD' },
          { type: 'string', const: 'EUR' },
          { type: 'string', const: 'CAD' },
        ],
      },
      amountMinor: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
      expiresAt: { type: 'string', minLength: 20, maxLength: 30 },
    },
    additionalProperties: false,
  },
  'letters.offer_accepted.v1': {
    type: 'object',
    required: [
      'commitmentId',
      'offerId',
      'accountId',
      'test',
      'tier',
      'paymentMethod',
      'intent',
      'service',
      'country',
      'pages',
      'color',
      'duplex',
      'quantity',
      'price',
      'expiresAt',
      'commandId',
    ],
    properties: {
      commitmentId: { type: 'string', minLength: 1, maxLength: 64 },
      offerId: { type: 'string', minLength: 1, maxLength: 64 },
      accountId: { type: 'string', minLength: 1, maxLength: 64 },
      test: { type: 'boolean' },
      tier: { type: 'string', minLength: 1, maxLength: 64 },
      paymentMethod: {
        anyOf: [
          { type: 'string', const: 'crypto' },
          { type: 'string', const: 'fiat' },
        ],
      },
      intent: { type: 'string', minLength: 1, maxLength: 64 },
      service: { type: 'string', minLength: 1, maxLength: 64 },
      country: { type: 'string', minLength: 2, maxLength: 2 },
      pages: { type: 'integer', minimum: 1 },
      color: { type: 'boolean' },
      duplex: { type: 'boolean' },
      quantity: { type: 'integer', minimum: 1 },
      price: {
        type: 'object',
        required: [
          'postageCents',
          'printCents',
          'surchargeCents',
          'charge',
          'pricingVersion',
          'local',
        ],
        properties: {
          postageCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
          printCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
          surchargeCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
          charge: {
            type: 'object',
            required: [
              'subtotalCryptoCents',
              'commissionCryptoCents',
              'subtotalFiatCents',
              'commissionFiatCents',
            ],
            properties: {
              subtotalCryptoCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
              commissionCryptoCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
              subtotalFiatCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
              commissionFiatCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
            },
            additionalProperties: false,
          },
          pricingVersion: { type: 'string', minLength: 1, maxLength: 64 },
          discount: {
            type: 'object',
            required: ['contractId', 'basisPoints', 'amountCents'],
            properties: {
              contractId: { type: 'string', minLength: 1, maxLength: 64 },
              basisPoints: { type: 'integer', minimum: 1, maximum: 10000 },
              amountCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
            },
            additionalProperties: false,
          },
          local: {
            type: 'object',
            required: ['currency', 'postageCents', 'rate'],
            properties: {
              currency: { type: 'string' },
              postageCents: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
              rate: { type: 'string' },
            },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
      expiresAt: { type: 'string', minLength: 20, maxLength: 30 },
      commandId: { type: 'string', minLength: 1, maxLength: 64 },
    },
    additionalProperties: false,
  },
};
