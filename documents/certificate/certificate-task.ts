/** Renders a certificate in a thread of the process. */
import { taskOf } from '../../limits/worker-pool.ts';

export const renderCertificate = taskOf<typeof import('./certificate-pdf.ts').renderCertificate>({
  module: new URL('./certificate-pdf.ts', import.meta.url),
  name: 'renderCertificate',
  timeoutMs: 10_000,
  brief: true,
});
