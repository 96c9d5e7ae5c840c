import { expect, it } from 'vitest';
import { count, observe, restorePending, takePending } from '#src/metrics/meter.ts';
import { CONTENT_TYPES, chooseFormat, formatMetrics } from '#src/metrics/text.ts';

function counted() {
  takePending();
  count('sluice_syncs_total', { status: 'SUCCESS' });
  count('sluice_syncs_total', { status: 'SUCCESS' }, 2);
  count('sluice_syncs_total', { status: 'a "quoted"\nstatus\\' });
  for (const seconds of [0.004, 0.005, 0.2, 4000]) observe('sluice_job_seconds', { kind: 'parse' }, seconds);
  return takePending();
}

it('sums counts and fills cumulative buckets', () => {
  const text = formatMetrics(counted(), 'prometheus');
  const about = (name: string) => text.split('\n').filter((line) => line.includes(name));
  expect(about('sluice_syncs_total')).toEqual([
    '# HELP sluice_syncs_total Sync runs that ended, by status.',
    '# TYPE sluice_syncs_total counter',
    'sluice_syncs_total{status="SUCCESS"} 3',
    'sluice_syncs_total{status="a \\"quoted\\" status\\\\"} 1',
  ]);
  const job = about('sluice_job_seconds');
  expect(job).toContain('sluice_job_seconds_bucket{kind="parse",le="0.005"} 2');
  expect(job).toContain('sluice_job_seconds_bucket{kind="parse",le="0.1"} 2');
  expect(job).toContain('sluice_job_seconds_bucket{kind="parse",le="0.25"} 3');
  expect(job).toContain('sluice_job_seconds_bucket{kind="parse",le="1800"} 3');
  expect(job).toContain('sluice_job_seconds_bucket{kind="parse",le="+Inf"} 4');
  expect(job).toContain('sluice_job_seconds_count{kind="parse"} 4');
  expect(Number(job.find((line) => line.includes('_sum'))?.split(' ')[1])).toBeCloseTo(4000.209);
});

it('uses OpenMetrics if the client accepts it', () => {
  const accept = 'application/openmetrics-text; version=1.0.0,text/plain;version=0.0.4;q=0.5';
  expect([chooseFormat(accept), chooseFormat('text/plain'), chooseFormat(null)]).toEqual([
    'openmetrics',
    'prometheus',
    'prometheus',
  ]);
  expect(CONTENT_TYPES.prometheus).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = formatMetrics(counted(), 'openmetrics').split('\n');
  expect(lines).toContain('# TYPE sluice_syncs counter');
  expect(lines).toContain('sluice_syncs_total{status="SUCCESS"} 3');
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
});

it('counts failed deliveries again, once', () => {
  const first = counted();
  count('sluice_syncs_total', { status: 'SUCCESS' });
  restorePending(first);
  const text = formatMetrics(takePending(), 'prometheus');
  expect(text).toContain('sluice_syncs_total{status="SUCCESS"} 4\n');
  expect(text).toContain('sluice_job_seconds_count{kind="parse"} 4\n');
  expect(takePending()).toEqual([]);
});

it('ignores values that are not positive numbers', () => {
  takePending();
  for (const by of [Number.NaN, -1, 0, Number.POSITIVE_INFINITY]) {
    count('sluice_syncs_total', { status: 'SUCCESS' }, by);
  }
  expect(takePending()).toEqual([]);
});
