import { type Candidate, FEATURES } from '#src/builtin/extraction/evidence.ts';
import { createContext } from '#src/builtin/extraction/extractor.ts';
import { describeField, type Field, listProperties } from '#src/builtin/extraction/fields.ts';
import { CandidateCollector } from '#src/builtin/extraction/gather.ts';
import { FITTED } from '#src/builtin/extraction/weights.ts';
import type { WordWeight } from '#src/builtin/word-weight.ts';
import { getSchemaType, type JsonSchema, resolve } from '#src/json-schema/schema.ts';
import { isSame } from '../extract-scoring.ts';
import type { Item } from './extraction-sets.ts';

/** Candidates of one field of one document, with the information which of them are right. */
export interface Sample {
  kind: string;
  document: string;
  isList: boolean;
  /** Evidence of each candidate, in the order of FEATURES. */
  evidence: number[][];
  right: boolean[];
  /** Kind of documents whose schema contains the field. If it differs from `kind`, no candidate is right. */
  asked: string;
}

/**
 * Builds the samples of all documents: the fields of each document's own schema and some fields from schemas
 * of other kinds.
 */
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

/** Field for a single value or a list of single values in a schema. */
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

/**
 * Fields that documents of many kinds may contain. They are not used for other kinds, because their absence
 * is not certain.
 */
const GENERAL =
  /date|dated|title|name|store|merchant|haendler|seller|issuer|location|address|anschrift|phone|telefon|currency|web|mail|start|from|until|city|amount|total/i;
const FOREIGN_FIELDS = 3;

/** Selects a few fields from schemas of other kinds, distributed evenly over them. */
function selectForeignFields(items: Item[], index: number): { kind: string; field: Field }[] {
  const { kind } = items[index]!;
  const others = items.filter((other) => other.kind !== kind);
  const out: { kind: string; field: Field }[] = [];
  for (let step = 0; step < others.length && out.length < FOREIGN_FIELDS; step++) {
    const other = others[(index * 7 + step * 31) % others.length]!;
    const special = listAskedFields(other.schema).filter(
      ({ name, isList }) => !isList && !GENERAL.test(name),
    );
    const picked = special[(index + step) % Math.max(1, special.length)];
    if (picked) out.push({ kind: other.kind, field: picked.field });
  }
  return out;
}

/** Removes the samples of documents of a kind, and the samples of fields that belong to this kind. */
export const excludeKind = (samples: Sample[], kind: string): Sample[] =>
  samples.filter((sample) => sample.kind !== kind && sample.asked !== kind);
