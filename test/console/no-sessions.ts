/** Sessions for a console in which nobody signs in; a test replaces what it needs. */
export const noSessions = {
  begin: async (): Promise<string> => 'token',
  beginByLink: async () => undefined,
  beginByPasskey: async () => undefined,
  end: async () => {},
  find: async () => undefined,
};
