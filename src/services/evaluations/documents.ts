import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { DocumentRevision, Expectations } from '#src/db/schema/index.ts';
import { bareId } from '#src/lib/ids.ts';

/** Maximum number of ids per statement. D1 limits a parameter to 2 MB. */
const IDS_PER_STATEMENT = 2_000;

/** Lists the ids of the documents that expectations refer to. */
export function listDocumentIds({ passages, pages, documents }: Expectations): string[] {
  const ids = [...passages, ...pages, ...documents].flatMap((each) => each.document_id ?? []);
  return [...new Set(ids)];
}

/** Replaces the ids of documents, such as ids of files with a prefix by the plain ids. */
export function mapDocumentIds(expectations: Expectations, map: (id: string) => string): Expectations {
  const renamed = <Item extends { document_id: string }>(item: Item) => ({
    ...item,
    document_id: map(item.document_id),
  });
  return {
    passages: expectations.passages.map((each) =>
      each.document_id ? { ...each, document_id: map(each.document_id) } : each,
    ),
    pages: expectations.pages.map(renamed),
    documents: expectations.documents.map(renamed),
  };
}

interface FoundDocument {
  id: string;
  name: string;
  hash: string;
}

/**
 * Finds files and text documents of a project by their ids. The result has an entry for each id that exists, with
 * the present content hashes.
 */
export async function findDocuments(
  ctx: Context,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, DocumentRevision>> {
  const found = new Map<string, DocumentRevision>();
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) {
    const some = ids.slice(from, from + IDS_PER_STATEMENT);
    const plainIds = some.map((id) => [id, bareId(id)] as const);
    const [files, texts] = await Promise.all([
      ctx.db.all<FoundDocument>(sql`select id, name, coalesce(content_hash, '') as hash from files
        where project_id = ${projectId} and id in (${listValues(plainIds.map(([, id]) => id))})`),
      ctx.db.all<FoundDocument>(sql`select member.document_id as id, member.document_id as name,
          member.content_hash as hash from pipelines
        join json_each(${JSON.stringify(some)}) as wanted
        join pipeline_members as member on member.pipeline_id = pipelines.id
          and member.document_id = wanted.value and member.kind = 'text'
        where pipelines.project_id = ${projectId} and pipelines.status <> 'DELETING'
        group by member.document_id, member.content_hash`),
    ]);
    const fileById = new Map(files.map((file) => [file.id, file]));
    for (const { id, hash } of texts) {
      const known = found.get(id);
      if (known) known.hashes.push(hash);
      else found.set(id, { document_id: id, kind: 'text', name: id, hashes: [hash] });
    }
    for (const [given, id] of plainIds) {
      const file = fileById.get(id);
      if (!file) continue;
      found.set(given, { document_id: id, kind: 'file', name: file.name, hashes: [file.hash] });
    }
  }
  return found;
}

const listValues = (values: readonly string[]): SQL =>
  sql`select value from json_each(${JSON.stringify(values)})`;

/**
 * SQL expression for the JSON list of a question's documents that were changed or deleted since the question was
 * written. Hashes of texts have 64 characters if an earlier release wrote them, and otherwise the first 32 of these.
 */
export const AFFECTED_DOCUMENTS = sql<string>`(
  select json_group_array(json_object('document_id', stored.value ->> 'document_id', 'name', stored.value ->> 'name'))
  from json_each(questions.documents) as stored
  where not exists (
    select 1 from json_each(stored.value, '$.hashes') as old where case stored.value ->> 'kind'
      when 'file' then exists (select 1 from files where files.id = stored.value ->> 'document_id'
        and files.project_id = questions.project_id and coalesce(files.content_hash, '') = old.value)
      else exists (select 1 from pipelines join pipeline_members as member on member.pipeline_id = pipelines.id
        and member.document_id = stored.value ->> 'document_id' and member.kind = 'text'
        where pipelines.project_id = questions.project_id and pipelines.status <> 'DELETING'
        and substr(member.content_hash, 1, 32) = substr(old.value, 1, 32)) end))`;
