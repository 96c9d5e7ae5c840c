import { and, desc, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type AgentCollection, type AgentData, agentCollections, agentData } from '#src/db/schema/index.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { getSortValue, parseField, parseOrder } from './fields.ts';
import { buildFilter } from './filters.ts';
import { type AgentDataSearch, type AgentDataSelection, MAX_COLLECTION_ITEMS } from './input.ts';
import { whereCollection } from './items.ts';

const MAX_PAGE_SIZE = 1000;
/** Maximum length of the results of a page together, in characters of JSON, unless the first one is longer. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
const TOKEN_LOCATION = ['body', 'page_token'];

/** Returns all collections of the project with their sizes, by deployment and name. */
export const listAgentCollections = ({ db, projectId }: TenantContext): Promise<AgentCollection[]> =>
  db
    .select()
    .from(agentCollections)
    .where(sql`project_id = ${projectId}`)
    .orderBy(agentCollections.deploymentName, agentCollections.collection);

export const whereSelected = (ctx: TenantContext, input: AgentDataSelection): SQL | undefined =>
  and(
    whereCollection({
      projectId: ctx.projectId,
      deploymentName: input.deployment_name,
      collection: input.collection,
    }),
    buildFilter(input.filter),
  );

/**
 * Returns a page of items. Without `order_by`, the newest come first, and items that are added between two
 * requests do not shift the pages. With `order_by`, a page begins at a number of items.
 */
export async function searchAgentData(
  ctx: TenantContext,
  input: AgentDataSearch,
): Promise<Page<AgentData> & { total_size: number | null }> {
  const where = whereSelected(ctx, input);
  const order = parseOrder(input.order_by).map(
    ({ name, direction }) => sql`${getSortValue(parseField(name, ['order_by']))} ${direction}`,
  );
  const isSorted = order.length > 0;
  const key = isSorted ? undefined : parsePageToken(input.page_token, ['number', 'string'], TOKEN_LOCATION);
  const offset = getOffset(input, isSorted);
  const size = Math.min(input.page_size ?? DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const { id, createdAt, characterCount } = agentData;
  const [found, total] = await Promise.all([
    ctx.db
      .select({ id, createdAt, characterCount })
      .from(agentData)
      .where(and(where, afterKey([createdAt, id], key, 'desc')))
      .orderBy(...order, desc(createdAt), desc(id))
      .limit(size + 1)
      .offset(offset),
    input.include_total ? ctx.db.$count(agentData, where) : null,
  ]);
  const taken = takeFitting(found.slice(0, size), (row) => row.characterCount);
  const last = taken.at(-1);
  const next = isSorted ? [offset + taken.length] : [last?.createdAt.getTime() ?? 0, last?.id ?? ''];
  const rows = await readById(
    ctx,
    taken.map((row) => row.id),
  );
  return {
    items: taken.flatMap((row) => rows.get(row.id) ?? []),
    next_page_token: found.length > taken.length ? encodeCursor(next) : null,
    total_size: total,
  };
}

/** Returns the number of results before the page. With `isCounted`, page tokens contain this number. */
export function getOffset(
  { page_token, offset }: Pick<AgentDataSearch, 'page_token' | 'offset'>,
  isCounted: boolean,
): number {
  const [counted] = (isCounted && parsePageToken(page_token, ['number'], TOKEN_LOCATION)) || [];
  return page_token ? Math.min(Math.max(0, Math.floor(counted ?? 0)), MAX_COLLECTION_ITEMS) : (offset ?? 0);
}

/** Returns the first results that fit into one page. There is at least one if `rows` has one. */
export function takeFitting<Row>(rows: Row[], measure: (row: Row) => number): Row[] {
  let characters = 0;
  const end = rows.findIndex((row, index) => {
    characters += measure(row);
    return index > 0 && characters > MAX_PAGE_CHARACTERS;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

export async function readById({ db }: TenantContext, ids: string[]): Promise<Map<string, AgentData>> {
  const rows = ids.length === 0 ? [] : await db.select().from(agentData).where(isInList(agentData.id, ids));
  return new Map(rows.map((row) => [row.id, row]));
}
