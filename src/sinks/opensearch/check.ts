import { Upstream } from '#src/lib/errors.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { attributeRefusals, createSettingError } from '#src/sinks/external/store-http.ts';
import { createSearchClient } from './client.ts';
import { describeOldVersion, findEngine } from './engine.ts';
import { getFields } from './fields.ts';
import { describeMismatch, findIndex } from './search-index.ts';
import { getCredentials, type OpenSearchSettings, PRODUCT } from './settings.ts';
import type { IndexState } from './wire.ts';
import { deleteNothing } from './write.ts';

/** Largest dimension that any supported version of either product accepts. */
const MAX_DIMENSION = 16_000;

/**
 * Validates the settings and the connection. The index does not have to exist yet. Errors name the wrong setting if
 * the response reveals it.
 */
export async function checkOpenSearch(
  settings: OpenSearchSettings,
  deps: SinkDeps,
  dimension?: number,
): Promise<void> {
  const client = createSearchClient(settings, deps);
  const names = { credentials: getCredentials(settings).blamed, address: 'url' };
  const info = await attributeRefusals(names, () => client.readInfo());
  const engine = findEngine(info);
  if (!engine) throw createSettingError('url', `${PRODUCT}: another product answers at url.`);
  const old = describeOldVersion(engine, info);
  if (old) throw createSettingError('url', `${engine.product}: ${old}`);
  const existing = await attributeRefusals(names, async (): Promise<IndexState | undefined> => {
    const index = await blameName(() => findIndex(client));
    if (index) await deleteNothing(client, client.name);
    return index;
  });
  const fields = getFields(settings);
  const problem = existing && describeMismatch(client.name, existing, { engine, fields, dimension });
  if (problem) throw createSettingError('index_name', problem);
  if (dimension !== undefined && dimension > MAX_DIMENSION) {
    throw createSettingError(
      'index_name',
      `${engine.product} stores vectors of at most ${MAX_DIMENSION} dimensions.`,
    );
  }
}

/** Turns a rejection of the index's name into an error of the setting. */
async function blameName<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Upstream && error.status === 400)) throw error;
    throw createSettingError('index_name', error.message);
  }
}
