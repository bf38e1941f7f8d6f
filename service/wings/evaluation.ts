/** How the service keeps its promises: SLA attainment, measured by the reports about letters. */
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { evaluationAssets } from '../../pages/evaluation/evaluation-page.ts';
import { evaluationOperations } from '../../read-api/negotiation/evaluation.ts';
import type { Wing } from '../foundation/wing.ts';

export const evaluation: Wing = {
  name: 'evaluation',
  open: ({ storage, clock, baseUrl }) => ({
    pages: () => [evaluationAssets()],
    read: () => evaluationOperations({ db: storage.readDb, clock, prefix: pathPrefixOf(baseUrl) }),
  }),
};
