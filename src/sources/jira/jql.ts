/**
 * Replaces the ORDER BY of a JQL query with an order that stays stable while issues are edited. If issues
 * were ordered by `updated`, an edit during the listing could move another issue to a page that was already
 * read.
 */
export function withStableOrder(query: string): string {
  return `${query.slice(0, findConditionsEnd(query)).trim()} ORDER BY created ASC, key ASC`.trim();
}

/** Returns the position of ORDER BY outside of quotes, or the length of the query if it has no ORDER BY. */
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
