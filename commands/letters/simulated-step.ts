/** The steps of a test letter, as the simulator of a print house reports them. */
import type { liveFlow } from '../../contract/letter-status.ts';
import { services } from '../../postal/services.ts';
import { simulatedTrackingNumber } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';
import type { ReportProgress } from './letter-production.ts';

/** The simulator reports every step, so that none is inferred. */
export const simulatedStep = (
  to: (typeof liveFlow)[number],
  serviceId: string,
  letterId: string,
): ReportProgress => {
  const type = 'ReportProgress' as const;
  const source = 'simulator' as const;
  if (to === 'delivered') return { type, source, step: to, evidence: 'simulated' };
  const step = to === 'in_transit' ? to : 'posted';
  const service = services[serviceId as ServiceId];
  // Sync: numbered at posting; async: some time after it.
  const numbered = service.tracking === 'sync' || (service.tracking === 'async' && to !== 'posted');
  if (!numbered) return { type, source, step };
  const seed = Buffer.from(letterId.replaceAll('-', ''), 'hex');
  return { type, source, step, trackingNumber: simulatedTrackingNumber(service.id, seed) };
};
