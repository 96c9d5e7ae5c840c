import { Refused } from '../behaviour.ts';

// Filters need an index of the right type, as in strict mode of Qdrant.

export type Payload = Record<string, unknown>;

/** Index of a payload field. Integers can be compared for equality (`lookup`) and in ranges. */
export interface FieldIndex {
  type: string;
  lookup?: boolean;
  range?: boolean;
}
export type Indexes = Map<string, FieldIndex>;

interface FieldCondition {
  key: string;
  match?: { value?: unknown; any?: unknown[] };
  range?: Record<'lt' | 'lte' | 'gt' | 'gte', number | undefined>;
}
interface IdCondition {
  has_id: string[];
}
type Condition = FieldCondition | IdCondition | Filter;
export interface Filter {
  must?: Condition[];
  should?: Condition[];
}

/** Rejects a filter on fields without a suitable index. */
export function checkFilter(filter: Filter, indexes: Indexes): void {
  for (const condition of listFields(filter)) checkIndex(indexes, condition);
}

function listFields({ must = [], should = [] }: Filter): FieldCondition[] {
  return [...must, ...should].flatMap((part) => {
    if ('has_id' in part) return [];
    return 'key' in part ? part : listFields(part);
  });
}

function checkIndex(indexes: Indexes, { key, match, range }: FieldCondition): void {
  const items = match?.any ?? [match?.value];
  const hasType = (type: string) => items.every((item) => typeof item === type);
  const able = range
    ? ['integer', 'float']
    : hasType('string')
      ? ['keyword']
      : hasType('boolean')
        ? ['bool']
        : ['integer'];
  const index = indexes.get(key);
  const isPrepared = range ? index?.range !== false : index?.lookup !== false;
  if (index && able.includes(index.type) && isPrepared) return;
  const types = `one of the following types: [${able}]`;
  throw new Refused({
    status: 400,
    message: `Bad request: Index required but not found for "${key}" of ${types}`,
  });
}

export function holds(id: string, payload: Payload, condition: Condition): boolean {
  if ('has_id' in condition) return condition.has_id.includes(id);
  if ('key' in condition) return holdsFor([payload[condition.key] ?? []].flat(), condition);
  const { must = [], should = [] } = condition;
  const isOne = should.length === 0 || should.some((part) => holds(id, payload, part));
  return isOne && must.every((part) => holds(id, payload, part));
}

function holdsFor(values: unknown[], { match, range }: FieldCondition): boolean {
  return values.some((value) => {
    if (match?.any) return match.any.includes(value);
    if (match) return match.value === value;
    if (!range || typeof value !== 'number') return false;
    const { lt = Number.POSITIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = range;
    const { gt = Number.NEGATIVE_INFINITY, gte = Number.NEGATIVE_INFINITY } = range;
    return value < lt && value <= lte && value > gt && value >= gte;
  });
}
