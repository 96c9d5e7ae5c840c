import type { TenantContext } from '#src/context/context.ts';
import { type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type MetadataFilters, toFilters } from '#src/retrieval-contract/filter-schema.ts';
import { matches } from '#src/search/filters.ts';
import { catalogOf } from './catalog.ts';
import type { CatalogEntry } from './ports.ts';
import { getTarget, openTarget } from './retrieval.ts';

export interface FoundFilesQuery {
  filters: MetadataFilters;
  /** Part of the file name, case-insensitive. */
  nameContains?: string | null | undefined;
  pageSize: number;
  pageToken?: string | null | undefined;
}

/**
 * Returns one page of the files in a pipeline's index whose metadata matches, ordered by id. Metadata that
 * models must not see is left out.
 */
export async function pageOfFilesWith(
  ctx: TenantContext,
  pipelineId: string,
  { filters, nameContains, pageSize, pageToken }: FoundFilesQuery,
): Promise<Page<CatalogEntry>> {
  const [after] = readPageToken(pageToken, ['string']) ?? [];
  const target = await getTarget(ctx, pipelineId);
  const { source } = await openTarget(ctx, target);
  if (!target.index) return { items: [], next_page_token: null };
  const part = nameContains?.toLowerCase();
  const wanted = toFilters(filters);
  const hidden = [target.pipeline, source].flatMap(
    ({ metadataConfig }) => metadataConfig?.excluded_llm_metadata_keys ?? [],
  );
  const found: CatalogEntry[] = [];
  for await (const page of catalogOf(ctx, source, target.index, after)) {
    for (const entry of page) {
      const isFile = entry.metadata.file_id === entry.documentId;
      const isNamed = part === undefined || entry.title.toLowerCase().includes(part);
      if (isFile && isNamed && matches(entry.metadata, wanted)) found.push(withoutKeys(entry, hidden));
    }
    if (found.length > pageSize) break;
  }
  return pageOf(found, pageSize, ({ documentId }) => [documentId]);
}

function withoutKeys(entry: CatalogEntry, hidden: readonly string[]): CatalogEntry {
  const shown = Object.entries(entry.metadata).filter(([key]) => !hidden.includes(key));
  return { ...entry, metadata: Object.fromEntries(shown) };
}
