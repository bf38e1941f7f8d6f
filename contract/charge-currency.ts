/** The currencies in which a card is charged. The wallet is in dollars. */
export const chargeCurrencies = ['USD', 'EUR', 'CAD'] as const;

export type ChargeCurrency = (typeof chargeCurrencies)[number];
