/**
 * Skips a test for want of something that this machine does not have. In CI nothing may be missing, so the
 * test fails there. No test calls `skip()` of mocha directly: `test/architecture` checks it.
 */
export function skip(test: Mocha.Context, reason: string): never {
  if (process.env.CI) throw new Error(`CI skips nothing, but ${reason}`);
  console.log(`      skipped: ${reason}`);
  return test.skip();
}
