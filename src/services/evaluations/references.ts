import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { DocumentReference } from '#src/evaluation/formats/records.ts';
import { findDocuments } from './documents.ts';

/** Maximum number of names per statement. */
const NAMES_PER_STATEMENT = 2_000;

/** Maximum number of characters of a reference that an error message contains. */
const MAX_DESCRIBED_CHARACTERS = 200;

/** Returns the id of the document of a reference, or a sentence that says why there is none. */
export type ResolveReference = (reference: DocumentReference) => { id: string } | { problem: string };

/**
 * Looks up all references to documents of a project at once. Names may be given without their extension. `titles`
 * are names by which references of a benchmark are looked up if their own ids are unknown.
 */
export async function resolveReferences(
  ctx: Context,
  projectId: string,
  references: readonly DocumentReference[],
  titles: ReadonlyMap<string, string>,
): Promise<ResolveReference> {
  const list = (read: (reference: DocumentReference) => string | undefined) => [
    ...new Set(references.flatMap((each) => read(each) ?? [])),
  ];
  const benchmarkIds = list((each) => each.benchmark_id);
  const [documents, externals, names] = await Promise.all([
    findDocuments(ctx, projectId, [...list((each) => each.document_id), ...benchmarkIds]),
    findFiles(ctx, projectId, 'external', [...list((each) => each.external_file_id), ...benchmarkIds]),
    findNames(ctx, projectId, [
      ...list((each) => each.file_name),
      ...benchmarkIds,
      ...benchmarkIds.flatMap((id) => titles.get(id) ?? []),
    ]),
  ]);
  const byId = (id: string) => {
    const found = documents.get(id);
    return found ? [found.document_id] : [];
  };
  const choose = (ids: readonly string[], described: string) => {
    if (ids.length === 1) return { id: ids[0]! };
    const what = described.slice(0, MAX_DESCRIBED_CHARACTERS);
    return { problem: ids.length === 0 ? `no document has ${what}` : `${ids.length} files have ${what}` };
  };
  return ({ document_id, file_name, external_file_id, benchmark_id: id = '' }) => {
    if (document_id !== undefined) return choose(byId(document_id), `the id '${document_id}'`);
    if (file_name !== undefined) return choose(names.get(file_name) ?? [], `the name '${file_name}'`);
    if (external_file_id !== undefined) {
      return choose(externals.get(external_file_id) ?? [], `the external id '${external_file_id}'`);
    }
    const attempts = [byId(id), externals.get(id), names.get(id), names.get(titles.get(id) ?? '')];
    return choose(attempts.find((ids) => ids && ids.length > 0) ?? [], `the id or name '${id}'`);
  };
}

/** Finds files by their names, and by their names without extension. Whole names take precedence. */
async function findNames(
  ctx: Context,
  projectId: string,
  names: readonly string[],
): Promise<Map<string, string[]>> {
  const whole = await findFiles(ctx, projectId, 'name', names);
  const others = names.filter((name) => !whole.has(name));
  return new Map([...(await findFiles(ctx, projectId, 'stem', others)), ...whole]);
}

const CONDITIONS = {
  external: sql`files.external_file_id = wanted.value`,
  name: sql`files.name = wanted.value`,
  // The bounds select the names that begin with the value and a dot, for which SQLite can use the index.
  stem: sql`files.name > wanted.value || '.' and files.name < wanted.value || '/'
    and instr(substr(files.name, length(wanted.value) + 2), '.') = 0`,
};

async function findFiles(
  ctx: Context,
  projectId: string,
  by: keyof typeof CONDITIONS,
  values: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (let from = 0; from < values.length; from += NAMES_PER_STATEMENT) {
    const some = JSON.stringify(values.slice(from, from + NAMES_PER_STATEMENT));
    const rows = await ctx.db.all<{ value: string; id: string }>(sql`
      select wanted.value as value, files.id as id from json_each(${some}) as wanted
      cross join files on files.project_id = ${projectId} and ${CONDITIONS[by]}`);
    for (const { value, id } of rows) found.set(value, [...(found.get(value) ?? []), id]);
  }
  return found;
}
