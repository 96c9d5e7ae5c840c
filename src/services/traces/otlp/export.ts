import type { Context } from '#src/context/context.ts';
import { baseUrl } from '#src/lib/base-url.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { parseHeaderList } from '#src/lib/secrets/header-list.ts';
import { count } from '#src/metrics/meter.ts';
import { createUpstreamHttp } from '#src/upstream/http.ts';
import { toAttributes } from './attributes.ts';
import { buildSpans, type RecordedTrace } from './spans.ts';

/** Maximum number of traces per request. */
const MAX_BATCH = 50;
/** Maximum number of traces that wait in memory. Further ones are not exported. */
const MAX_PENDING = 500;
/** Time in milliseconds during which traces are collected, so that many answers cause one request. */
const GATHER_MS = 250;
/** Maximum time in milliseconds that one request of a client spends on exports. The next one continues. */
const MAX_EXPORT_MS = 20_000;
const SILENCE_SECONDS = 5;
const TOTAL_SECONDS = 12;

let pending: RecordedTrace[] = [];
/** Time in milliseconds at which the present export began. Undefined if nothing is being exported. */
let exportingSince: number | undefined;

/**
 * Sends a trace to OTEL_EXPORTER_OTLP_ENDPOINT after the response, together with other traces. Does nothing if no
 * endpoint is configured. A failure is counted and logged, and never affects an answer.
 */
export function exportTraceLater(ctx: Context, trace: RecordedTrace): void {
  if (!ctx.settings.OTEL_EXPORTER_OTLP_ENDPOINT) return;
  if (pending.length >= MAX_PENDING) {
    count('sluice_trace_exports_total', { outcome: 'dropped' });
    return;
  }
  pending.push(trace);
  const now = Date.now();
  if (exportingSince !== undefined && now - exportingSince < 2 * MAX_EXPORT_MS) return;
  exportingSince = now;
  ctx.defer(exportPending(ctx, now));
}

async function exportPending(ctx: Context, since: number): Promise<void> {
  try {
    while (pending.length > 0 && Date.now() - since < MAX_EXPORT_MS) {
      await scheduler.wait(GATHER_MS);
      const batch = pending.slice(0, MAX_BATCH);
      pending = pending.slice(MAX_BATCH);
      const isSent = await send(ctx, batch);
      count('sluice_trace_exports_total', { outcome: isSent ? 'sent' : 'failed' }, batch.length);
    }
  } finally {
    if (exportingSince === since) exportingSince = undefined;
    ctx.metrics.flush();
  }
}

/** Sends traces, with one retry if the failure is temporary. Returns whether the collector accepted them. */
async function send(ctx: Context, batch: RecordedTrace[]): Promise<boolean> {
  const { settings, log } = ctx;
  try {
    const headers = parseHeaderList(settings.OTEL_EXPORTER_OTLP_HEADERS);
    const http = createUpstreamHttp({
      name: 'The OpenTelemetry collector',
      settings,
      trusted: true,
      silenceSeconds: SILENCE_SECONDS,
      totalSeconds: TOTAL_SECONDS,
      retries: 1,
      maxBytes: 64 * 1024,
      secrets: headers.map(([, value]) => value),
    });
    const base = baseUrl(settings.OTEL_EXPORTER_OTLP_ENDPOINT!);
    const response = await http.request(`${base}/v1/traces`, {
      method: 'POST',
      headers: new Headers([...headers, ['content-type', 'application/json']]),
      body: JSON.stringify(buildRequest(batch)),
    });
    const rejected = countRejected(await http.text(response));
    if (rejected > 0) log.warn('the OpenTelemetry collector rejected spans', { rejected });
    return rejected === 0;
  } catch (error) {
    log.warn('exporting traces failed', { traces: batch.length, error: getErrorMessage(error) });
    return false;
  }
}

/** Builds the request of the OpenTelemetry protocol for several traces. */
export const buildRequest = (batch: readonly RecordedTrace[]) => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes({ 'service.name': 'sluice' }) },
      scopeSpans: [{ scope: { name: 'sluice.traces' }, spans: batch.flatMap(buildSpans) }],
    },
  ],
});

/** Returns the number of spans that a collector did not accept. An answer that is not JSON rejects none. */
function countRejected(answer: string): number {
  try {
    return Number(JSON.parse(answer)?.partialSuccess?.rejectedSpans ?? 0);
  } catch {
    return 0;
  }
}
