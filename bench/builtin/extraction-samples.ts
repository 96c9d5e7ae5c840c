import { type Candidate, FEATURES } from '#src/builtin/extraction/evidence.ts';
import { createContext } from '#src/builtin/extraction/extractor.ts';
import { describeField, type Field, listProperties } from '#src/builtin/extraction/fields.ts';
import { CandidateCollector } from '#src/builtin/extraction/gather.ts';
import { FITTED } from '#src/builtin/extraction/weights.ts';
import type { WordWeight } from '#src/builtin/word-weight.ts';
import { getSchemaType, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { isSame } from '../extract-scoring.ts';
import type { Item } from './extraction-sets.ts';

/** The candidates of one field of one document, and which of them are right. */
export interface Sample {
  kind: string;
  document: string;
  isList: boolean;
  /** Of each candidate, its evidence in the order of FEATURES. */
  evidence: number[][];
  right: boolean[];
  /** The kind of documents whose question it is: another one says nothing of it. */
  asked: string;
}

/** Every document asked what its schema asks, and some of what the schemas of other kinds ask. */
export function buildSamples(items: Item[], weight: WordWeight): Sample[] {
  return items.flatMap((item, index) => {
    const gathering = new CandidateCollector(createContext(item.schema, item.pages, weight, FITTED));
    const own = listAskedFields(item.schema).map(({ name, field, isList }) => {
      const expected = item.expected[name];
      const isRight = ({ value }: Candidate) =>
        Array.isArray(expected) ? expected.some((each) => isSame(value, each)) : isSame(value, expected);
      return buildSample(
        item,
        isList,
        isList ? gathering.collectForList(field) : gathering.collectForField(field),
        isRight,
      );
    });
    const foreign = selectForeignFields(items, index).map(({ kind: asked, field }) => ({
      ...buildSample(item, false, gathering.collectForField(field), () => false),
      asked,
    }));
    return [...own, ...foreign];
  });
}

function buildSample(
  { kind, file }: Item,
  isList: boolean,
  candidates: Candidate[],
  isRight: (candidate: Candidate) => boolean,
): Sample {
  return {
    kind,
    document: file,
    isList,
    evidence: candidates.map(({ features }) => FEATURES.map((name) => features[name] ?? 0)),
    right: candidates.map(isRight),
    asked: kind,
  };
}

/** The single values and lists of single values that a schema asks for. */
interface Asked {
  name: string;
  field: Field;
  isList: boolean;
}

function listAskedFields(schema: JsonSchema): Asked[] {
  return listProperties(schema, schema).flatMap(([name, property]): Asked[] => {
    const own = resolve(schema, property).schema;
    const type = getSchemaType(own);
    if (type === 'object') return [];
    if (type !== 'array') return [{ name, field: describeField(schema, name, property), isList: false }];
    const items = resolve(schema, own.items ?? {}).schema;
    if (getSchemaType(items) === 'object') return [];
    const description = items.description ?? own.description ?? '';
    return [{ name, field: describeField(schema, name, { ...items, description }), isList: true }];
  });
}

/** What documents of many kinds may say; asked of another kind its absence is not certain. */
const GENERAL =
  /date|dated|title|name|store|merchant|haendler|seller|issuer|location|address|anschrift|phone|telefon|currency|web|mail|start|from|until|city|amount|total/i;
const FOREIGN_FIELDS = 3;

/** A few fields of documents of other kinds, spread over them evenly. */
function selectForeignFields(items: Item[], index: number): { kind: string; field: Field }[] {
  const { kind } = items[index]!;
  const others = items.filter((other) => other.kind !== kind);
  const out: { kind: string; field: Field }[] = [];
  for (let step = 0; step < others.length && out.length < FOREIGN_FIELDS; step++) {
    const other = others[(index * 7 + step * 31) % others.length]!;
    const special = listAskedFields(other.schema).filter(({ name, isList }) => !isList && !GENERAL.test(name));
    const picked = special[(index + step) % Math.max(1, special.length)];
    if (picked) out.push({ kind: other.kind, field: picked.field });
  }
  return out;
}

/** The samples without a kind: neither its documents nor what is asked of them. */
export const excludeKind = (samples: Sample[], kind: string): Sample[] =>
  samples.filter((sample) => sample.kind !== kind && sample.asked !== kind);
