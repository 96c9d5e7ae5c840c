import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPATIBILITY } from '#scripts/build-workers.ts';
import { Runtime } from '../runtime/runtime.ts';
import { readBindings } from './bindings.ts';

const FOLDER = 'migrations';
/**
 * Table in which wrangler records migrations. Using the same table means that both wrangler and this server
 * can migrate the database.
 */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

/** Returns the names of the migration files in the order in which they apply. */
export const migrationFiles = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .toSorted();

/**
 * Applies the migrations that a state folder's database lacks, each in its own transaction. Returns their
 * names.
 */
export async function migrate(stateDir: string): Promise<string[]> {
  const { DB } = readBindings().d1Databases;
  const runtime = await Runtime.start({
    name: 'migration',
    onOutput: () => {},
    stateDir,
    isStateful: true,
    workers: [
      {
        ...COMPATIBILITY,
        name: 'migration',
        modules: true,
        script: 'export default {}',
        d1Databases: { DB: DB! },
      },
    ],
  });
  try {
    const database: D1Database = await runtime.miniflare.getD1Database('DB');
    await database.prepare(RECORD).run();
    const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
    const applied = new Set(results.map(({ name }) => name));
    const missing = migrationFiles().filter((name) => !applied.has(name));
    for (const name of missing) {
      const statements = readFileSync(join(FOLDER, name), 'utf8').split('--> statement-breakpoint');
      const prepared = statements.filter((sql) => sql.trim() !== '').map((sql) => database.prepare(sql));
      const record = database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
      await database.batch([...prepared, record]);
    }
    return missing;
  } finally {
    await runtime.stop();
  }
}
