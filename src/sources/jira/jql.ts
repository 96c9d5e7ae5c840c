/**
 * The query with an order in which issues keep their place while they are edited. An order of its own is left out: by
 * `updated`, say, an edit in the middle of a listing would push another issue off its page.
 */
export function inStableOrder(query: string): string {
  return `${query.slice(0, endOfConditions(query)).trim()} ORDER BY created ASC, key ASC`.trim();
}

/** Where ORDER BY begins, outside of quotes. */
function endOfConditions(query: string): number {
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
