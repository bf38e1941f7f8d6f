import { parentPort, workerData } from 'node:worker_threads';
import { type Pdfium, startPdfium } from '../pdf/pdfium-module.ts';
import { checkPdf } from './check-pdf.ts';
import type { Answer, Job } from './messages.ts';
import { inkOfPages } from './page-ink.ts';
import { NoSuchPage, previewPage } from './preview.ts';

/** The thread that opens documents of strangers. It does one job at a time. */

async function answer(pdfium: Pdfium, job: Job): Promise<Answer> {
  try {
    if (job.kind === 'check') {
      const result = await checkPdf(pdfium, job.pdf, job.request);
      return { kind: 'checked', result, heapBytes: pdfium.HEAPU8.byteLength };
    }
    if (job.kind === 'ink') {
      const pages = inkOfPages(pdfium, job.document);
      return { kind: 'inked', pages, heapBytes: pdfium.HEAPU8.byteLength };
    }
    const png = previewPage(pdfium, job.pdf, job.request);
    return { kind: 'previewed', png, heapBytes: pdfium.HEAPU8.byteLength };
  } catch (error) {
    if (error instanceof NoSuchPage) {
      return { kind: 'no_such_page', heapBytes: pdfium.HEAPU8.byteLength };
    }
    return { kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' };
  }
}

const port = parentPort;
if (port === null) throw new Error('worker.ts runs as a worker thread');
const pdfium = await startPdfium(workerData as WebAssembly.Module);
const send = (message: Answer): void => port.postMessage(message);
port.on('message', async (job: Job) => send(await answer(pdfium, job)));
send({ kind: 'ready' });
