import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { metricsRead } from '../deploy/alerts.ts';
import { letterTo, type Sent, until } from '../support/client.ts';
import { useMailService } from '../support/mail-service.ts';
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

describe('the metrics of what an operator must see', function () {
  this.timeout(180_000);
  let receiver: WebhookReceiver;
  const api = useMailService({
    ALLOW_PRIVATE_FETCH: 'true',
    MAIL_FROM: 'Letters <post@letters.example.org>',
  });
  before(async () => {
    receiver = await startWebhookReceiver();
  });
  after(() => receiver.stop());

  const sampled = async (series: string): Promise<number | undefined> => {
    const { text } = await api.call('GET', '/metrics');
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  const reaches = (series: string, least: number) =>
    until(async () => ((await sampled(series)) ?? 0) >= least);

  for (const [file, metrics] of Object.entries(metricsRead)) {
    it(`has every metric of ${file}`, async () => {
      const { text } = await api.call('GET', '/metrics');
      const served = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
      // Prometheus itself makes `up`, and this service has no background process.
      const elsewhere = /^(up|background_process_\w+)$/;
      const read = new Set(metrics().map((name) => name.replace(/_bucket$/, '')));
      const missing = [...read].filter((name) => !elsewhere.test(name) && !served.has(name));
      expect(missing).to.deep.equal([]);
      expect(read.size).to.be.above(10);
    });
  }

  it('has every series from the start, at zero', async () => {
    for (const series of [
      'mails_total{result="failed"}',
      'webhook_deliveries_total{result="disabled",kind="status"}',
      'print_jobs_total{result="refused"}',
      'print_status_files_total{result="rejected"}',
      'letters_returned{mode="live"}',
      'topups{method="card",status="pending"}',
      'payments{status="claimed"}',
      'webhook_endpoints_failing{kind="audit"}',
    ]) {
      expect(await sampled(series), series).to.equal(0);
    }
    for (const status of ['delivered', 'cancelled', 'failed', 'in_transit']) {
      const series = `letters_oldest_seconds{mode="live",status="${status}"}`;
      expect(await sampled(series), series).to.equal(undefined);
    }
    expect(await sampled('data_disk_free_bytes')).to.be.above(0);
    expect(await sampled('data_disk_bytes')).to.be.above(0);
    expect(await sampled('worker_threads')).to.be.at.least(0);
    expect(await sampled('worker_tasks_refused_total')).to.equal(0);
    const delay = 'event_loop_delay_seconds{process="main",quantile="1"}';
    expect(await sampled(delay)).to.be.at.least(0);
  });

  it('counts mails, webhook deliveries, print jobs and status files by what came of them', async () => {
    const client = await api.register();
    await reaches('mails_total{result="sent"}', 1);
    receiver.answerWith(answering(503));
    await client.put('/api/settings', { webhook_url: receiver.url });
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(201);
    await reaches('webhook_deliveries_total{result="retried",kind="status"}', 1);
    const path = `/api/test/letters/${sent.body.letter_id}/advance`;
    const moved = await client.post(path, { to: 'processing' });
    expect(moved.status, moved.text).to.equal(200);
    await reaches('print_jobs_total{result="accepted"}', 1);
    const inbox = join(api.service().service.foundation.config.dataDir, 'inbox');
    await mkdir(inbox, { recursive: true });
    await writeFile(join(inbox, 'bad.json'), '{"job_id": 7}');
    await reaches('print_status_files_total{result="rejected"}', 1);
  });
});
