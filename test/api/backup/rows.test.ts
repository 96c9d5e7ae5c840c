import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { dataSinks } from '#src/db/schema/index.ts';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import {
  ADMIN,
  BACKUP_KEY,
  begunProject,
  MOMENT,
  type Page,
  projectRow,
  type Refusal,
  readRows,
  writeRows,
} from '#test/support/backups.ts';
import { BASE, call } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

let owner: Tenant;
let stranger: Tenant;
beforeAll(async () => {
  owner = await createTenant();
  stranger = await createTenant();
});

const OTHER_KEY = `k2:${'B'.repeat(43)}=`;
const SECRET = 'a secret of a sink';

const asked = (method: string, path: string, body: unknown) =>
  new Request(`${BASE}${path}`, {
    method,
    headers: { authorization: `Bearer ${env.BOOTSTRAP_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('secrets in a backup', () => {
  it('are sealed with the backup key, and resealed with the key of the target', async () => {
    const body = { name: 'sink', sink_type: 'VENDOR_E', component: { api_key: SECRET, index_name: 'i' } };
    const { body: sink } = await call<{ id: string }>(
      'POST',
      `/api/v1/data-sinks?project_id=${owner.projectId}`,
      {
        key: owner.key,
        body,
      },
    );
    const { rows, unopened } = await readRows('data_sinks', owner.projectId);
    expect(unopened).toEqual([]);
    const text = JSON.stringify(rows);
    expect(text).toContain('sealed:v1:backup:');
    expect(text).not.toContain('sealed:v1:k1:');
    expect(text).not.toContain(SECRET);

    const order = await begunProject();
    const id = crypto.randomUUID();
    const ring = parseKeyRing(BACKUP_KEY);
    const place = `${sealedPlaces.dataSink(id)}/api_key`;
    const component = JSON.stringify({
      api_key: await ring.seal(JSON.stringify(SECRET), place),
      index_name: 'i',
    });
    const row = { ...rows.find((each) => each.id === sink.id)!, id, project_id: order.project, component };
    const elsewhere = startWith({ ENCRYPTION_KEY: OTHER_KEY });
    const sent = { table: 'data_sinks', rows: [row], backup_key: BACKUP_KEY };
    const answer = await elsewhere(asked('POST', `${ADMIN}/restores/${order.id}/rows`, sent));
    expect(await answer.json()).toEqual({ written: 1, left_out: [], unopened: [] });
    const stored = await openDatabase(env.DB).query.dataSinks.findFirst({
      where: (table, { eq }) => eq(table.id, id),
    });
    const sealed = (stored!.component as { api_key: string }).api_key;
    expect(await parseKeyRing(OTHER_KEY).open(sealed, place)).toBe(JSON.stringify(SECRET));
  });

  it('are reported and passed on if no key opens them', async () => {
    const id = crypto.randomUUID();
    const lost = parseKeyRing(`lost:${'C'.repeat(43)}=`);
    const component = { api_key: await lost.seal('"x"', `${sealedPlaces.dataSink(id)}/api_key`) };
    await openDatabase(env.DB)
      .insert(dataSinks)
      .values({ id, projectId: stranger.projectId, name: 'n', sinkType: 'VENDOR_E', component });
    const { rows, unopened } = await readRows('data_sinks', stranger.projectId);
    expect(unopened).toEqual([
      { place: sealedPlaces.dataSink(id), message: expect.stringContaining('lost') },
    ]);
    expect(rows).toHaveLength(1);
    await env.DB.prepare('delete from data_sinks where id = ?').bind(id).run();
  });

  it('are rejected without a valid backup key', async () => {
    for (const backup_key of ['', 'k:short', `k1:${'D'.repeat(43)}=`]) {
      const body = { table: 'projects', backup_key };
      const answer = await call<Refusal>('POST', `${ADMIN}/backup/rows`, { body });
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body.detail)).toContain('backup_key');
    }
  });
});

describe('rows of a backup', () => {
  it('are listed in pages without gaps or duplicates', async () => {
    const { projectId, key } = await createTenant();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const body = { name: `p${n}` };
      ids.push((await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body })).body.id);
    }
    const found: unknown[] = [];
    let page_token: string | null = null;
    do {
      const page: Page = await readRows('pipelines', projectId, { page_size: 2, page_token });
      expect(page.rows.length).toBeLessThanOrEqual(2);
      found.push(...page.rows.map(({ id }) => id));
      page_token = page.next_page_token;
    } while (page_token);
    expect(found).toEqual(ids.toSorted());
  });

  it('of two million bytes are split into smaller pages', async () => {
    const { projectId } = await createTenant();
    const db = openDatabase(env.DB);
    for (const name of ['a', 'b', 'c']) {
      const component = { text: 'x'.repeat(900_000) };
      await db
        .insert(dataSinks)
        .values({ id: crypto.randomUUID(), projectId, name, sinkType: 'VENDOR_E', component });
    }
    const first = await readRows('data_sinks', projectId);
    expect(first.rows).toHaveLength(2);
    const second = await readRows('data_sinks', projectId, { page_token: first.next_page_token });
    expect(second.rows).toHaveLength(1);
    expect(second.next_page_token).toBeNull();
  });

  it('are written once even if they are sent repeatedly', async () => {
    const { id, project } = await begunProject();
    const row = { ...projectRow(project), id: crypto.randomUUID() };
    const retriever = { id: row.id, project_id: project, name: 'r', pipelines: '[]' };
    for (let time = 0; time < 2; time += 1) {
      expect((await writeRows(id, 'retrievers', [retriever])).body).toEqual({
        written: 1,
        left_out: [],
        unopened: [],
      });
    }
    const count = await env.DB.prepare('select count(*) as n from retrievers where id = ?')
      .bind(row.id)
      .first();
    expect(count?.n).toBe(1);
    // Columns that the backup does not contain have their default values.
    expect(
      await env.DB.prepare('select created_at from retrievers where id = ?').bind(row.id).first('created_at'),
    ).toBeGreaterThan(MOMENT);
  });

  it('whose parent was deleted are skipped and reported', async () => {
    const { id } = await begunProject();
    const row = {
      id: crypto.randomUUID(),
      session_id: crypto.randomUUID(),
      position: 0,
      role: 'user',
      created_at: MOMENT,
    };
    const { body } = await writeRows(id, 'chat_messages', [row]);
    expect(body).toMatchObject({ written: 0, left_out: [row.id] });
  });
});
