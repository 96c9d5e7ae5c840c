import type { Filter } from '#src/ports/index-types.ts';
import { find } from './find.ts';
import type { Reading } from './reading.ts';
import type { Property } from './schema.ts';

const NEGATED =
  /(?:\b(?:not|non|no|without|isn't|aren't|niet|geen|pas|nicht|kein\w*|sin|no|non|senza|sem|nie|не)|\bun)[\s-]*$/iu;

/** A flag the query mentions: true, or false when it is denied. Metadata keeps flags as words. */
export function booleanFilters({ key, labels }: Property, { query }: Reading): Filter[] {
  for (const label of labels.map((each) => each.replace(/^(?:is|has|was) /, ''))) {
    const plain = find(query, label)[0];
    const denied = find(query, `un${label}`)[0] ?? find(query, `non${label}`)[0];
    if (!plain && !denied) continue;
    const negative = !plain || NEGATED.test(query.slice(0, plain[0]));
    return [{ key, operator: '==', value: negative ? 'false' : 'true' }];
  }
  return [];
}
