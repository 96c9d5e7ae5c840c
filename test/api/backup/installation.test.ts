import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { derivedId } from '#src/lib/ids.ts';
import { ADMIN, BACKUP_KEY, MOMENT, type Refusal, type Written } from '#test/support/backups.ts';
import { call } from '#test/support/client.ts';
import { emptyService } from '#test/support/empty-service.ts';

it('an installation is restored with the names of its projects, including the default one', async () => {
  const backup_id = crypto.randomUUID();
  // A request of the previous file that is still under way may count once more after the service was emptied.
  const begin = async () => {
    const { status, body } = await call<Refusal>('POST', `${ADMIN}/restores`, { body: { backup_id } });
    if (status === 409) await emptyService();
    return { status, body };
  };
  await expect.poll(begin).toMatchObject({ status: 200 });
  const [first, organization_id] = await Promise.all([
    derivedId('bootstrap', 'project'),
    derivedId('bootstrap', 'organization'),
  ]);
  const times = { created_at: MOMENT, updated_at: MOMENT };
  // Sorts before the id of the default project.
  const other = `0000${crypto.randomUUID().slice(4)}`;
  const rows = [
    { id: other, organization_id, name: 'Default', is_default: 0, ...times },
    { id: first, organization_id, name: 'Renamed', is_default: 1, ...times },
  ];
  // Sends each row in a separate page.
  for (const row of rows) {
    const body = { table: 'projects', backup_key: BACKUP_KEY, rows: [row] };
    const written = await call<Written>('POST', `${ADMIN}/restores/${backup_id}/rows`, { body });
    expect(written.status, JSON.stringify(written.body)).toBe(200);
    expect(written.body).toMatchObject({ written: 1, left_out: [] });
  }
  const { results } = await env.DB.prepare('select id, name from projects order by id').all();
  expect(results).toEqual(rows.map(({ id, name }) => ({ id, name })));
});
