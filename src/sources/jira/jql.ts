/**
 * Replaces ORDER BY in a Jira query (JQL) by an order that stays stable while issues are edited. An order by
 * `updated` would be unsafe. An edit during the listing could move another issue to a page that was already
 * read.
 */
export function withStableOrder(query: string): string {
  return `${query.slice(0, findConditionsEnd(query)).trim()} ORDER BY created ASC, key ASC`.trim();
}

/**
 * Returns the position of ORDER BY outside of quotes in a Jira query (JQL). Returns the length of the query
 * if there is no ORDER BY.
 */
function findConditionsEnd(query: string): number {
  const order = /\border\s{1,100}by\b/iy;
  let quote = '';
  for (let at = 0; at < query.length; at++) {
    const sign = query[at]!;
    if (quote !== '') {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = '';
      continue;
    }
    order.lastIndex = at;
    if (order.test(query)) return at;
    if (sign === '"' || sign === "'") quote = sign;
  }
  return query.length;
}
