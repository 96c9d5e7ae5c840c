import { env } from 'cloudflare:workers';
import { DAY_MS } from '#src/lib/day.ts';

/** Sets the timestamps of a project's rows in a table to the given number of days ago. */
export async function age(table: string, projectId: string, days: number): Promise<void> {
  const moment = Date.now() - days * DAY_MS;
  const columns = table.endsWith('_jobs')
    ? 'created_at = ?1, updated_at = ?1, finished_at = ?1'
    : 'created_at = ?1';
  const touched = ['files', 'webhook_deliveries'].includes(table) ? `${columns}, updated_at = ?1` : columns;
  await env.DB.prepare(`update ${table} set ${touched} where project_id = ?2`).bind(moment, projectId).run();
}
