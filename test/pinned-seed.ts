/**
 * Loaded before every test file. Properties draw the same cases in every run, so that a run fails only because of
 * a change. `TEST_SEED` chooses another seed, or `random`.
 */
import fc from 'fast-check';

const { TEST_SEED = '20261123' } = process.env;
if (TEST_SEED !== 'random')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(TEST_SEED) });
