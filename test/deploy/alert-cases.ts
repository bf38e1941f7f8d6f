/** For every alert of `deploy/prometheus/alerts.yml`: series under which it fires, and then no longer. */

/** Values in the notation of promtool: `0x10` is eleven times 0, `0+5x10` rises by 5. */
export type AlertCase = {
  /** Time from one value to the next, and between evaluations of the rules. */
  every: '1m' | '1h';
  series: Record<string, string>;
  /** When the alert fires, and when it has cleared. */
  fires: string;
  clears: string;
};

/** A gauge that leaves its usual value for an hour, and comes back. */
const gauge = (series: string, bad: number | string, usual: number | string = 0): AlertCase => ({
  every: '1m',
  series: { [series]: `${usual}x9 ${bad}x59 ${usual}x30` },
  fires: '60m',
  clears: '75m',
});

/** A counter that rises for an hour, and then rests for longer than the rule looks back. */
const counter = (series: string, clears = '180m'): AlertCase => ({
  every: '1m',
  series: { [series]: '0x9 0+10x60 600x180' },
  fires: '60m',
  clears,
});

/** A command that succeeded at the start, and again `days` later. */
const command = (name: string, days: number): AlertCase => {
  const again = days * 24 + 6;
  return {
    every: '1h',
    series: {
      [`command_success_timestamp_seconds{command="${name}"}`]: `0x${again} ${again * 3_600}x4`,
    },
    fires: `${days * 24 + 3}h`,
    clears: `${again + 2}h`,
  };
};

const failed = (name: string): AlertCase => gauge(`command_failed{command="${name}"}`, 1);

const day = 86_400;

export const alertCases: Record<string, AlertCase> = {
  // Down at first, and then gone, as a pod that does not start again.
  LettersDown: {
    every: '1m',
    series: { 'up{job="letters"}': '1x9 0x19 _x39 1x30' },
    fires: '60m',
    clears: '75m',
  },
  LettersBackgroundDown: gauge('background_process_up', 0, 1),
  LettersBackgroundRestarts: counter('background_process_restarts_total'),
  LettersProcessesDiffer: {
    every: '1m',
    series: {
      'service_info{instance="a", version="2", prices="1", services="all"}': '1x100',
      'service_info{instance="b", version="1", prices="1", services="all"}': '1x9 _x59 1x30',
      'service_info{instance="b", version="1", prices="0", services="all"}': '_x9 1x59 _x30',
    },
    fires: '60m',
    clears: '75m',
  },
  LettersErrors: {
    every: '1m',
    series: {
      'http_requests_total{status="200"}': '0+1000x100',
      'http_requests_total{status="500"}': '0x9 0+100x40 4000x50',
    },
    fires: '40m',
    clears: '70m',
  },
  LettersSlow: {
    every: '1m',
    series: {
      'http_request_seconds_bucket{le="2.5"}': '0x9 0+50x40 2000+1000x50',
      'http_request_seconds_bucket{le="10"}': '0x9 0+100x40 4000+1000x50',
      'http_request_seconds_bucket{le="+Inf"}': '0x9 0+100x40 4000+1000x50',
    },
    fires: '40m',
    clears: '70m',
  },
  LettersEventLoopBlocked: gauge('event_loop_delay_seconds{process="main", quantile="0.99"}', 0.8),
  LettersWorkersOverloaded: counter('worker_tasks_refused_total'),
  LettersDiskLow: {
    every: '1m',
    series: {
      data_disk_free_bytes: '50x100',
      data_disk_bytes: '100x9 1000x59 100x30',
    },
    fires: '30m',
    clears: '75m',
  },
  LettersDiskFillsUp: {
    every: '1h',
    series: {
      data_disk_free_bytes: '1000-20x12 760x24',
      data_disk_bytes: '1000x36',
    },
    fires: '10h',
    clears: '30h',
  },
  LettersReadModelHalted: gauge('projection_halted{projection="letters"}', 1),
  LettersReadModelStuck: gauge('projection_stuck{projection="letters"}', 1),
  LettersReadModelBehind: gauge('projection_lag_seconds{projection="letters"}', 90),
  LettersReactorStuck: gauge('reactor_stuck{reactor="produce-letters"}', 1),
  LettersReactorFailing: gauge('reactor_failing{reactor="produce-letters"}', 3),
  LettersReactorParked: gauge('reactor_parked_streams{reactor="settle-wallets"}', 1),
  LettersReactorsUnowned: gauge('reactors_unowned', 2),
  LettersJobsFailed: gauge('jobs_failed', 1),
  LettersErasuresFail: {
    ...gauge('erasures_failing{kind="letter"}', 3),
    fires: '75m',
    clears: '140m',
    series: { 'erasures_failing{kind="letter"}': '0x9 3x99 0x60' },
  },
  LettersPublicationStuck: gauge('publication_stuck', 1),
  LettersPrintBacklog: gauge(
    'print_backlog_oldest_seconds{mode="live", stage="waiting_for_partner"}',
    2_000,
  ),
  LettersNotTaken: gauge('print_backlog_oldest_seconds{mode="live", stage="due"}', 6 * day),
  LettersNotProduced: gauge('letters_oldest_seconds{mode="live", status="processing"}', 4 * day),
  LettersPrintJobsRefused: counter('print_jobs_total{result="refused"}'),
  LettersStatusFilesRejected: counter('print_status_files_total{result="rejected"}'),
  LettersHtmlPrintingFails: gauge('html_printing_failing', 1),
  LettersManyReturned: {
    every: '1h',
    series: { 'letters_returned{mode="live"}': '0x9 0+5x12 60x60' },
    fires: '22h',
    clears: '60h',
  },
  LettersMailsFail: counter('mails_total{result="failed"}'),
  LettersMailsWait: gauge('mails_waiting', 60),
  LettersWebhooksWait: gauge('webhook_deliveries_waiting{kind="status"}', 20_000),
  LettersWebhooksFail: {
    every: '1m',
    series: {
      'webhook_deliveries_total{kind="status", result="delivered"}': '0+10x180',
      'webhook_deliveries_total{kind="status", result="retried"}': '0x9 0+30x80 2400x90',
    },
    fires: '80m',
    clears: '130m',
  },
  LettersWebhooksDisabled: {
    every: '1h',
    series: { 'webhook_deliveries_total{kind="audit", result="disabled"}': '0x9 0+1x2 2x60' },
    fires: '20h',
    clears: '60h',
  },
  LettersPaymentsOpen: {
    every: '1m',
    series: { 'payments{status="claimed"}': '0x9 2x80 0x30' },
    fires: '80m',
    clears: '100m',
  },
  LettersPaymentsReverted: {
    every: '1h',
    series: { 'payments{status="reverted"}': '0x9 1x60' },
    fires: '20h',
    clears: '60h',
  },
  LettersChainNodeDown: gauge('x402_node_up', 0, 1),
  LettersFacilitatorDown: gauge('x402_facilitator_up', 0, 1),
  LettersSignerNeedsGas: gauge('x402_settlements_left', 20, 500),
  LettersWalletsNegative: gauge('wallets_usd{mode="live", part="available"}', -1, 100),
  LettersReconcileDifferences: failed('reconcile'),
  LettersReconcileOld: command('reconcile', 8),
  LettersBackupOld: command('backup', 2),
  LettersDrillOld: command('restore-drill', 35),
  LettersVerifyOld: command('verify', 8),
  LettersVerifyFailed: failed('verify'),
  LettersCommandFailed: failed('restore-drill'),
};
