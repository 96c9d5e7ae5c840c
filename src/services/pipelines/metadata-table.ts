import { and, isNotNull, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { whereFiles } from '#src/db/pipeline-members.ts';
import { type Pipeline, pipelineMembers } from '#src/db/schema/index.ts';
import { BadRequest, getErrorMessage } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { isRecord } from '#src/lib/schema/zod-walk.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { readDelimited } from '#src/text-formats/separated-values.ts';
import { getPipelineForInserts, getWritablePipeline } from './pipelines.ts';

/** Columns of a metadata table that may contain a file id, in order of precedence. */
const ID_COLUMNS = ['file_id', 'id'] as const;
const NAME_COLUMN = 'file_name';
const EXTERNAL_ID_COLUMN = 'external_file_id';
const KEY_COLUMNS = new Set<string>([...ID_COLUMNS, NAME_COLUMN, EXTERNAL_ID_COLUMN]);

export const MAX_TABLE_BYTES = 10 * 1024 * 1024;
/** Maximum number of JSON characters per SQL statement. D1 limits a parameter to 2 MB. */
const CHARACTERS_PER_STATEMENT = 500_000;
const MAX_LISTED_UNKNOWN = 20;

type Row = Record<string, unknown>;

/**
 * Sets metadata for the pipeline's files from a table with one row per file, and starts a sync. The table
 * replaces earlier tables. Metadata that was set on a file directly takes precedence.
 */
export async function applyMetadataTable(
  ctx: TenantContext,
  pipelineId: string,
  table: { name: string; bytes: Uint8Array },
): Promise<Record<string, string>> {
  const pipeline = await getPipelineForInserts(ctx, pipelineId);
  const rows = readTable(table);
  const found = new Map<string, Row>();
  const unknown: string[] = [];
  const idsByKey = await findFileIds(ctx, pipeline, rows.map(getRowKey));
  for (const row of rows) {
    const key = getRowKey(row);
    const ids = idsByKey.get(key) ?? [];
    if (ids.length === 0) unknown.push(key);
    const metadata = Object.fromEntries(Object.entries(row).filter(([name]) => !KEY_COLUMNS.has(name)));
    for (const id of ids) found.set(id, metadata);
  }
  for (const batch of splitIntoBatches([...found])) {
    const values = JSON.stringify(Object.fromEntries(batch));
    await ctx.db.run(sql`update pipeline_members
      set table_metadata = (select value from json_each(${values}) where key = document_id),
        described_at = ${Date.now()}, updated_at = ${Date.now()}
      where ${whereFiles(pipeline.id)} and document_id in (select key from json_each(${values}))`);
  }
  if (found.size > 0) await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'change' });
  return {
    rows: String(rows.length),
    files_updated: String(found.size),
    rows_without_file: String(unknown.length),
    ...(unknown.length > 0 && { unknown_files: unknown.slice(0, MAX_LISTED_UNKNOWN).join(', ') }),
  };
}

/** Removes the metadata that came from tables. Metadata that was set on files is kept. */
export async function clearMetadataTable(ctx: TenantContext, pipelineId: string): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const { meta } = await ctx.db
    .update(pipelineMembers)
    .set({ tableMetadata: null, describedAt: new Date() })
    .where(and(whereFiles(pipeline.id), isNotNull(pipelineMembers.tableMetadata)));
  if (meta.changes > 0) {
    await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, { reason: 'change' });
  }
}

function readTable({ name, bytes }: { name: string; bytes: Uint8Array }): Row[] {
  const text = decodeText(bytes).text.trim();
  if (text === '') throw new BadRequest('Uploaded file is empty.');
  const isJson = /\.json$/i.test(name) || /^[[{]/.test(text);
  const rows = isJson ? readJsonTable(text) : readCsvTable(text);
  const keyless = rows.findIndex((row) => getRowKey(row) === '');
  if (keyless < 0) return rows;
  throw new BadRequest(
    `Row ${keyless + 1} identifies no file. Add a value for file_name, file_id, id or external_file_id.`,
  );
}

/** Parses an array of objects, or an object with file names as keys. */
function readJsonTable(text: string): Row[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadRequest(`The file is not valid JSON: ${getErrorMessage(error)}`);
  }
  const rows = Array.isArray(value)
    ? value
    : Object.entries(value as Row).map(([file, row]) =>
        isRecord(row) ? { [NAME_COLUMN]: file, ...row } : row,
      );
  if (!rows.every(isRecord)) {
    throw new BadRequest('The JSON must be an array of objects, or an object of objects by file name.');
  }
  return rows;
}

/**
 * Parses CSV. Numbers, `true` and `false` are converted, so that filters can compare them. Empty cells are
 * omitted.
 */
function readCsvTable(text: string): Row[] {
  const [header = [], ...lines] = readDelimited(text, ',');
  const names = header.map((name) => name.trim());
  return lines.map((cells) => {
    const members = names.map(
      (name, column) => [name, parseCell(name, cells[column]?.trim() ?? '')] as const,
    );
    return Object.fromEntries(members.filter(([name, value]) => name !== '' && value !== undefined));
  });
}

function parseCell(name: string, text: string): string | number | boolean | undefined {
  if (text === '') return undefined;
  if (KEY_COLUMNS.has(name)) return text;
  if (/^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(text)) return Number(text);
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

/**
 * Returns the key by which a row of a metadata table names its file, such as `name:report.pdf`. Returns an
 * empty string if the row names no file.
 */
function getRowKey(row: Row): string {
  for (const column of ID_COLUMNS) if (row[column]) return `id:${bareId(String(row[column]))}`;
  if (row[NAME_COLUMN]) return `name:${String(row[NAME_COLUMN])}`;
  return row[EXTERNAL_ID_COLUMN] ? `external:${String(row[EXTERNAL_ID_COLUMN])}` : '';
}

/** Returns the ids of the pipeline's files by key. Several files may have the same name. */
async function findFileIds(
  ctx: TenantContext,
  pipeline: Pipeline,
  wanted: string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const columns = { id: sql`f.id`, name: sql`f.name`, external: sql`f.external_file_id` };
  for (const [kind, column] of Object.entries(columns)) {
    const values = wanted
      .filter((key) => key.startsWith(`${kind}:`))
      .map((key) => key.slice(kind.length + 1));
    for (const batch of splitIntoBatches(values)) {
      const rows = await ctx.db.all<{ key: string; id: string }>(sql`select ${column} as key, f.id as id
        from files f join pipeline_members member on member.pipeline_id = ${pipeline.id}
          and member.kind = 'file' and member.document_id = f.id
        where f.project_id = ${pipeline.projectId}
          and ${isInList(column, batch)}`);
      for (const { key, id } of rows) {
        const name = `${kind}:${key}`;
        found.set(name, [...(found.get(name) ?? []), id]);
      }
    }
  }
  return found;
}

function* splitIntoBatches<Item>(items: Item[]): Generator<Item[]> {
  let batch: Item[] = [];
  let size = 0;
  for (const item of items) {
    batch.push(item);
    size += JSON.stringify(item).length;
    if (size < CHARACTERS_PER_STATEMENT) continue;
    yield batch;
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
