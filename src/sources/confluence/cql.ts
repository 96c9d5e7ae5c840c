import { type ConfluenceSettings, createPermanentError, splitList } from './settings.ts';

export interface Query {
  cql: string;
  /** Names of the settings that an error mentions if Confluence rejects the query. */
  fields: string;
  /**
   * Key of the Confluence space to which the query is limited. `undefined` if the query covers all spaces.
   */
  space?: string;
  /**
   * Ids of the Confluence pages that the query must find. Empty if other conditions narrow the query too,
   * because pages may then be missing.
   */
  ids: string[];
}

/** Maximum number of ids per query, which keeps the URL short enough. */
const MAX_IDS = 100;
const ORDER = /\border\s+by\b/iy;

export const quoteText = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

const buildInCondition = (field: string, literals: string[]) =>
  literals.length > 0 ? [`${field} in (${literals.join(', ')})`] : [];

/**
 * Builds a query in Confluence's query language (CQL) for content with these ids. The settings do not
 * restrict the query. Requires at least one id.
 */
export const idQuery = (ids: string[]): string => buildInCondition('id', ids).join();

export const idQueries = (ids: string[]): string[] => splitIntoBatches(ids).map(idQuery);

/**
 * Builds the Confluence queries (CQL) that together select the configured content. There is one query per
 * space, or one per 100 page ids. Content must match all settings of a query. Throws a SourceError that names
 * the invalid setting.
 */
export function buildQueries({ cql, label, page_ids, space_key }: ConfluenceSettings): Query[] {
  const labels = splitList(label);
  const ids = splitList(page_ids);
  const spaces = splitList(space_key);
  const invalidId = ids.find((id) => !/^\d{1,19}$/.test(id));
  if (invalidId !== undefined) throw createPermanentError('page_ids must be numbers, separated by commas.');
  const own = cql ? withoutOrder(cql).trim() : '';
  const shared = [
    'type in (page, blogpost)',
    ...(own ? [`(${own})`] : []),
    ...buildInCondition('label', labels.map(quoteText)),
  ];
  const fields = [own && 'cql', labels.length > 0 && 'label', ids.length > 0 && 'page_ids']
    .filter(Boolean)
    .join(', ');
  const isNarrowed = own !== '' || labels.length > 0 || spaces.length > 0;
  const query = (space: string | undefined, batch: string[]): Query => ({
    cql: `${[...shared, ...buildInCondition('space', space ? [quoteText(space)] : []), ...buildInCondition('id', batch)].join(' and ')} order by created`,
    fields: space ? [fields, 'space_key'].filter(Boolean).join(', ') : fields,
    ids: isNarrowed ? [] : batch,
    ...(space && { space }),
  });
  const batches = ids.length > 0 ? splitIntoBatches(ids) : [[]];
  return (spaces.length > 0 ? spaces : [undefined]).flatMap((space) =>
    batches.map((batch) => query(space, batch)),
  );
}

/**
 * Removes `ORDER BY` from the end of a Confluence query (CQL). `ORDER BY` is invalid inside a nested condition,
 * and the order does not matter.
 */
export function withoutOrder(cql: string): string {
  let quote = '';
  for (let at = 0; at < cql.length; at++) {
    const character = cql[at]!;
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === 'o' || character === 'O') {
      ORDER.lastIndex = at;
      if (ORDER.test(cql)) return cql.slice(0, at);
    }
  }
  return cql;
}

function splitIntoBatches(ids: string[]): string[][] {
  const count = Math.ceil(ids.length / MAX_IDS);
  return Array.from({ length: count }, (_, at) => ids.slice(at * MAX_IDS, (at + 1) * MAX_IDS));
}
