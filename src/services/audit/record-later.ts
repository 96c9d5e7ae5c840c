import { getTableColumns, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { auditEvents } from '#src/db/schema/index.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { buildRow, type NewAuditEvent } from './record.ts';

type Row = ReturnType<typeof buildRow>;

/** Maximum number of events that one statement stores. */
const MAX_ROWS = 500;
/** Maximum number of events that wait in memory. Further ones go to the log of the service. */
const MAX_PENDING = 20_000;
/** Time in milliseconds during which events are collected, so that many requests cause one statement. */
const GATHER_MS = 250;
/**
 * Maximum time in milliseconds that a request spends storing events. Cloudflare ends a request 30 s after its
 * response, so the next request stores the rest.
 */
const MAX_WRITING_MS = 10_000;

let pending: Row[] = [];
/** Start of the request that stores events now, in milliseconds since 1970. Undefined if no request does. */
let writingSince: number | undefined;

/**
 * Stores an event after the response, together with the events of other requests. Bulk operations use it, so
 * that no upload waits for the audit log. If the isolate ends before, the events of the last moments are lost.
 */
export function recordEventLater(ctx: Context, event: NewAuditEvent): void {
  const now = Date.now();
  const row = buildRow(ctx, event);
  if (pending.length >= MAX_PENDING) {
    ctx.log.error('audit event not stored', { ...row, error: 'too many events are waiting' });
    return;
  }
  pending.push(row);
  if (writingSince !== undefined && now - writingSince < 2 * MAX_WRITING_MS) return;
  writingSince = now;
  ctx.defer(writePending(ctx, now));
}

async function writePending(ctx: Context, since: number): Promise<void> {
  try {
    while (pending.length > 0 && Date.now() - since < MAX_WRITING_MS) {
      await scheduler.wait(GATHER_MS);
      const rows = pending.slice(0, MAX_ROWS);
      pending = pending.slice(MAX_ROWS);
      await insertRows(ctx, rows);
    }
  } finally {
    if (writingSince === since) writingSince = undefined;
  }
}

/** Inserts events whose organization still exists. Events that cannot be stored go to the log of the service. */
async function insertRows(ctx: Context, rows: Row[]): Promise<void> {
  const columns = Object.entries(getTableColumns(auditEvents)) as [
    keyof Row,
    { mapToDriverValue(value: unknown): unknown },
  ][];
  const values = rows.map((row) =>
    columns.map(([name, column]) => (row[name] == null ? null : column.mapToDriverValue(row[name]))),
  );
  const selected = columns.map((_, place) => sql`value ->> ${sql.raw(String(place))}`);
  try {
    await ctx.db
      .insert(auditEvents)
      .select(
        sql`select ${sql.join(selected, sql`, `)} from json_each(${JSON.stringify(values)})
          where exists (select 1 from organizations where id = value ->> ${sql.raw(String(columns.findIndex(([name]) => name === 'organizationId')))})`,
      )
      .onConflictDoNothing();
  } catch (error) {
    for (const row of rows)
      ctx.log.error('audit event not stored', { ...row, error: getErrorMessage(error) });
  }
}
