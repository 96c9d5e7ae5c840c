import type { SinkDeps } from '#src/ports/sink.ts';
import { checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { databaseOf } from './database.ts';
import { DatabaseError } from './failures.ts';
import type { PgvectorSettings } from './settings.ts';
import { takeInventory, unfit, wrongWith } from './setup.ts';

const AVAILABLE = `select exists (select from pg_catalog.pg_available_extensions where name = 'vector') as available`;

/** Connects and looks at what is there, which may be nothing yet. Says which setting is wrong where the answer tells. */
export async function checkPgvector(
  settings: PgvectorSettings,
  deps: SinkDeps,
  dimension?: number,
): Promise<void> {
  checkDimension('embed_dim', settings.embed_dim, dimension);
  const wrong = wrongWith(settings);
  if (wrong) throw wrongSetting(wrong.field, wrong.message);
  try {
    await databaseOf(settings, deps)().run(async (ask) => {
      const there = await takeInventory(ask, settings);
      const problem = unfit(settings, there);
      if (problem) throw wrongSetting(problem.field, problem.message);
      if (there.has_extension) return;
      const available = (await ask(AVAILABLE))[0]?.available === true;
      if (available && settings.perform_setup !== false) return;
      throw wrongSetting(
        'perform_setup',
        available
          ? 'The vector extension is not in the database, and perform_setup is false, so it is not put there.'
          : 'The server does not have the vector extension, so the table cannot be made.',
      );
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.field && !error.retryable) {
      throw wrongSetting(error.field, error.message);
    }
    throw error;
  }
}
