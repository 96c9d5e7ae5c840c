import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { DataSource, Pipeline } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { getExtension } from '#src/services/files/content.ts';

/** Pipeline and data source whose files are being listed by a sync run. */
export interface ListingTarget {
  ctx: Context;
  pipeline: Pipeline;
  source: DataSource;
  generation: number;
}

/** Maximum number of rows and JSON characters per SQL statement. D1 limits a parameter to 2 MB. */
const ROWS_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 500_000;

/**
 * Records entries that a data source lists, and returns the number of new and changed ones. A file keeps the
 * size of its stored bytes until new bytes are downloaded, which is when the storage limit is checked.
 */
export async function recordListed(target: ListingTarget, entries: SourceEntry[]): Promise<number> {
  let changed = 0;
  let rows: string[] = [];
  let characters = 0;
  for (const [index, entry] of entries.entries()) {
    const row = JSON.stringify(toRow(entry));
    rows.push(row);
    characters += row.length;
    const isLast = index === entries.length - 1;
    if (!isLast && rows.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    changed += await recordRows(target, `[${rows.join(',')}]`);
    rows = [];
    characters = 0;
  }
  return changed;
}

/**
 * Maximum number of JSON characters of an entry's metadata. Longer metadata is omitted, because it would not
 * fit into a chunk.
 */
const MAX_INFO_CHARACTERS = 100_000;

function toRow({ id, name, path, size, version, modifiedAt, webUrl, permissions, metadata }: SourceEntry) {
  const own = { file_path: path, ...(webUrl !== null && { web_url: webUrl }) };
  const info = JSON.stringify({ ...own, ...metadata, ...own });
  return {
    fileId: newId(),
    membershipId: newId(),
    key: id,
    name,
    type: getExtension(name),
    size,
    version,
    modified: modifiedAt?.getTime() ?? null,
    info: info.length > MAX_INFO_CHARACTERS ? JSON.stringify(own) : info,
    permissions: permissions && JSON.stringify(permissions),
  };
}

async function recordRows(
  { ctx, pipeline, source, generation }: ListingTarget,
  listed: string,
): Promise<number> {
  const now = Date.now();
  // If the data source was removed from the pipeline during the listing, its files must not be added.
  const isMember = sql`exists (select 1 from pipeline_data_sources
    where pipeline_id = ${pipeline.id} and data_source_id = ${source.id})`;
  const { meta } = await ctx.db.run(sql`
    insert into files (id, project_id, name, external_file_id, file_size, file_type, last_modified_at,
      resource_info, permission_info, data_source_id, origin, source_version, created_at, updated_at)
    select value ->> 'fileId', ${pipeline.projectId}, value ->> 'name', value ->> 'key', value ->> 'size',
      value ->> 'type', value ->> 'modified', value ->> 'info', value ->> 'permissions', ${source.id},
      ${source.id}, value ->> 'version', ${now}, ${now}
    from json_each(${listed}) where ${isMember}
    on conflict (project_id, origin, external_file_id) where external_file_id is not null do update set
      name = excluded.name, file_type = excluded.file_type,
      file_size = iif(files.storage_key is null, excluded.file_size, files.file_size),
      last_modified_at = excluded.last_modified_at, resource_info = excluded.resource_info,
      permission_info = excluded.permission_info, source_version = excluded.source_version,
      updated_at = excluded.updated_at
    where files.source_version is not excluded.source_version or files.name is not excluded.name
      or files.resource_info is not excluded.resource_info
      or files.permission_info is not excluded.permission_info`);
  await ctx.db.run(sql`
    insert into pipeline_members (id, pipeline_id, kind, document_id, file_id, data_source_id, source_generation,
      described_at, created_at, updated_at)
    select listed.value ->> 'membershipId', ${pipeline.id}, 'file', files.id, files.id, ${source.id},
      ${generation}, ${now}, ${now}, ${now}
    from json_each(${listed}) listed join files on files.project_id = ${pipeline.projectId}
      and files.origin = ${source.id} and files.external_file_id = listed.value ->> 'key'
    where ${isMember}
    on conflict (pipeline_id, document_id, kind) do update set
      source_generation = max(coalesce(source_generation, 0), excluded.source_generation)`);
  return meta.changes;
}
