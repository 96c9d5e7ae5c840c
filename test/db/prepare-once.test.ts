import { env } from 'cloudflare:workers';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { prepareOnce } from '#src/db/prepare-once.ts';
import { organizations } from '#src/db/schema/index.ts';
import { createTenant } from '#test/support/tenants.ts';

describe('a statement that is prepared once', () => {
  it('is built once for each database and takes the values of each call', async () => {
    let built = 0;
    const select = prepareOnce((db) => {
      built += 1;
      return db
        .select({ id: organizations.id })
        .from(organizations)
        .where(eq(organizations.id, sql.placeholder('id')))
        .prepare();
    });
    const db = openDatabase(env.DB);
    for (const { organizationId: id } of [await createTenant(), await createTenant()]) {
      expect(await select(db).execute({ id })).toEqual([{ id }]);
    }
    expect(built).toBe(1);
    const another = openDatabase(
      new Proxy(env.DB, { get: (target, name) => Reflect.get(target, name).bind(target) }),
    );
    expect(await select(another).execute({ id: 'none' })).toEqual([]);
    expect(built).toBe(2);
  });
});
