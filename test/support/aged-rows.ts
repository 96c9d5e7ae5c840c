import { env } from 'cloudflare:workers';
import { DAY_MS } from '#src/lib/day.ts';

/** Makes all rows of a table that are the project's as old as that. */
export async function age(table: string, projectId: string, days: number): Promise<void> {
  const moment = Date.now() - days * DAY_MS;
  const columns = table.endsWith('_jobs')
    ? 'created_at = ?1, updated_at = ?1, finished_at = ?1'
    : 'created_at = ?1';
  const touched = ['files', 'webhook_deliveries'].includes(table) ? `${columns}, updated_at = ?1` : columns;
  await env.DB.prepare(`update ${table} set ${touched} where project_id = ?2`).bind(moment, projectId).run();
}
