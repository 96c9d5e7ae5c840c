import { call } from './client.ts';

export const BACKUP_KEY = `backup:${'D'.repeat(43)}=`;

/** A restore of a project that nobody has, begun. */
export async function begunRestore(
  project: string = crypto.randomUUID(),
): Promise<{ id: string; project: string }> {
  const body = { backup_id: crypto.randomUUID(), project };
  const answer = await call<{ id: string; project: string }>('POST', '/api/v1/admin/restores', { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}
