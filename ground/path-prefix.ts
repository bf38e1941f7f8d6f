/** The path of a public address, which every path of the service stands behind there; usually empty. */
export const pathPrefixOf = (baseUrl: string): string =>
  new URL(baseUrl).pathname.replace(/\/$/, '');
