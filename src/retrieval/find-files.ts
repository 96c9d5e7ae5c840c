import type { TenantContext } from '#src/context/context.ts';
import { buildPage, type Page, parsePageToken } from '#src/db/paging.ts';
import { type MetadataFilters, toFilters } from '#src/retrieval-contract/filter-schema.ts';
import { matches } from '#src/search/filters.ts';
import { readCatalog } from './catalog.ts';
import type { CatalogEntry } from './ports.ts';
import { getExcludedKeys, getTarget, openTarget } from './retrieval.ts';

export interface FoundFilesQuery {
  filters: MetadataFilters;
  nameContains?: string | null | undefined;
  pageSize: number;
  pageToken?: string | null | undefined;
}

/**
 * Returns one page of the files of a pipeline whose metadata matches the filters, ordered by id. Leaves out
 * metadata that language models must not see.
 */
export async function findFilesByMetadata(
  ctx: TenantContext,
  pipelineId: string,
  { filters, nameContains, pageSize, pageToken }: FoundFilesQuery,
): Promise<Page<CatalogEntry>> {
  const [after] = parsePageToken(pageToken, ['string']) ?? [];
  const target = await getTarget(ctx, pipelineId);
  const { source } = await openTarget(ctx, target);
  if (!target.index) return { items: [], next_page_token: null };
  const part = nameContains?.toLowerCase();
  const wanted = toFilters(filters);
  const hidden = getExcludedKeys(target).llm;
  const found: CatalogEntry[] = [];
  for await (const page of readCatalog(ctx, source, target.index, after)) {
    for (const entry of page) {
      const isFile = entry.metadata.file_id === entry.documentId;
      const isNamed = part === undefined || entry.title.toLowerCase().includes(part);
      if (isFile && isNamed && matches(entry.metadata, wanted)) found.push(omitKeys(entry, hidden));
    }
    if (found.length > pageSize) break;
  }
  return buildPage(found, pageSize, ({ documentId }) => [documentId]);
}

function omitKeys(entry: CatalogEntry, hidden: readonly string[]): CatalogEntry {
  const shown = Object.entries(entry.metadata).filter(([key]) => !hidden.includes(key));
  return { ...entry, metadata: Object.fromEntries(shown) };
}
