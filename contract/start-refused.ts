/** The service does not start as it is set up. The message is one sentence that names what to mend. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartRefused';
  }
}
