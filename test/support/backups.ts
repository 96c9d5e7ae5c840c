import type { Row } from '#src/services/backup/restore-rules.ts';
import { call } from './client.ts';

export interface Page {
  rows: Row[];
  unopened: { place: string }[];
  next_page_token: string | null;
}
export interface Written {
  written: number;
  left_out: string[];
  unopened: { place: string }[];
}
export interface Refusal {
  detail: { loc: unknown[]; msg: string }[] | string;
}

export const ADMIN = '/api/v1/admin';
export const BACKUP_KEY = `backup:${'D'.repeat(43)}=`;

export async function readRows(table: string, project: string, more: object = {}): Promise<Page> {
  const body = { table, project, backup_key: BACKUP_KEY, ...more };
  return (await call<Page>('POST', `${ADMIN}/backup/rows`, { body })).body;
}

export const writeRows = <Body = Written>(restore: string, table: string, rows: object[]) =>
  call<Body>('POST', `${ADMIN}/restores/${restore}/rows`, { body: { table, rows, backup_key: BACKUP_KEY } });

/** Begins a restore of a project that does not exist. */
export async function begunRestore(
  project: string = crypto.randomUUID(),
): Promise<{ id: string; project: string }> {
  const body = { backup_id: crypto.randomUUID(), project };
  const answer = await call<{ id: string; project: string }>('POST', `${ADMIN}/restores`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Creation time of everything in a test backup, in milliseconds. */
export const MOMENT = 1_700_000_000_000;

export const projectRow = (id: string): Row => ({
  id,
  organization_id: 'any',
  name: `restored ${id}`,
  is_default: 1,
  created_at: MOMENT,
  updated_at: MOMENT,
});

/** Begins a restore of a project and restores the row of the project. */
export async function begunProject(): Promise<{ id: string; project: string }> {
  const order = await begunRestore();
  const { body } = await writeRows(order.id, 'projects', [projectRow(order.project)]);
  if (body.written !== 1) throw new Error(JSON.stringify(body));
  return order;
}

interface FinishStep {
  syncs: number;
  jobs: number;
  next_page_token: string | null;
}

/** Finishes a restore and returns how many syncs and jobs it restarted. */
export async function finishRestore(restore: string): Promise<{ syncs: number; jobs: number }> {
  const total = { syncs: 0, jobs: 0 };
  let page_token: string | null = null;
  do {
    const path = `${ADMIN}/restores/${restore}/finish`;
    const answer: { status: number; body: FinishStep } = await call<FinishStep>('POST', path, {
      body: { page_token },
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    total.syncs += answer.body.syncs;
    total.jobs += answer.body.jobs;
    page_token = answer.body.next_page_token;
  } while (page_token);
  return total;
}
