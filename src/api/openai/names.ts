import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { findSearchablesByName, getSearchable, type Searchable } from '#src/retrieval/searchable.ts';

/** Error for a model name that matches no pipeline or retriever that the caller can access. */
export class ModelNotFound extends NotFound {
  constructor(name: string) {
    super(`The model ${name}`);
  }
}

/** Schema of a model name. The maximum length is that of a retriever's name in characters. */
export const modelName = z
  .string()
  .min(1)
  .max(3000)
  .describe('Name of a pipeline or retriever of the project, or `pipeline-<id>` or `retriever-<id>`.');

const BY_ID = /^(pipeline|retriever)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Returns a model name that contains the id. The name stays valid when the pipeline or retriever is renamed,
 * and never refers to another one.
 */
export const getStableName = ({ kind, id }: Searchable) => `${kind}-${id}`;

/**
 * Finds the pipeline or retriever that a model name refers to. A name such as `pipeline-<id>` is looked up by
 * its id.
 */
export async function findSearchable(ctx: TenantContext, model: string): Promise<Searchable> {
  const byId = BY_ID.exec(model);
  if (byId) {
    const kind = byId[1]!.toLowerCase() as Searchable['kind'];
    return getSearchable(ctx, { kind, id: byId[2]!.toLowerCase() }).catch((error) => {
      throw error instanceof NotFound ? new ModelNotFound(model) : error;
    });
  }
  const [found, other] = await findSearchablesByName(ctx, model);
  if (!found) throw new ModelNotFound(model);
  if (other) {
    const names = [found, other].map(getStableName).join(' or ');
    throw Invalid.field(['model'], `names a pipeline and a retriever: say ${names}`, 'ambiguous_model');
  }
  return found;
}

/**
 * Returns the model name of each pipeline or retriever for lists. This is its own name, or one with its id if
 * its own name is ambiguous.
 */
export function chooseModelNames(all: readonly Searchable[]): Map<Searchable, string> {
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    all.map((each) => {
      const isClear = counts.get(each.name) === 1 && each.name !== '' && !BY_ID.test(each.name);
      return [each, isClear ? each.name : getStableName(each)];
    }),
  );
}
