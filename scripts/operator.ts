import { ensureDevVars } from './dev-vars.ts';

/** Where the service is, and the operator's key: of the local service where nothing else is said. */
export const base = process.env.BASE_URL ?? 'http://127.0.0.1:8787';
export const key = process.env.SLUICE_API_KEY ?? ensureDevVars().BOOTSTRAP_API_KEY!;

/** What the service answers the operator. Throws what it says when it does not answer 200. */
export async function asked<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
