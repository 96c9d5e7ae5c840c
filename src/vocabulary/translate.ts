import { z } from 'zod';
import { candidates, isRecord, memberSchemas } from '#src/lib/zod-walk.ts';
import { COMPONENT_FIELDS, COMPONENT_SELECTORS, FIELDS } from './fields.ts';
import { NEUTRAL_WORDS, WORDS } from './words.ts';

type Direction = 'neutral' | 'client';
type Names = Readonly<Record<string, string>>;

/** A value as the schema has it, of one that a client sent. What the schema leaves open stays as it is. */
export const toNeutral = (schema: z.ZodType, value: unknown): unknown =>
  translate('neutral', candidates(schema, value), value);

/** A value as a client knows it, of one that the schema describes. What the schema leaves open stays as it is. */
export const toClient = (schema: z.ZodType, value: unknown): unknown =>
  translate('client', candidates(schema, value), value);

function translate(to: Direction, schemas: z.ZodType[], value: unknown): unknown {
  if (typeof value === 'string') return word(to, schemas, value);
  if (Array.isArray(value)) {
    const elements = schemas.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.element] : []));
    if (elements.length === 0) return value;
    return value.map((member) => {
      const inner = elements.flatMap((element) => candidates(element as z.ZodType, member));
      return translate(to, inner, member);
    });
  }
  return isRecord(value) ? translateRecord(to, schemas, value) : value;
}

/** A word is one where the schema has a list of words with its neutral form in it. */
function word(to: Direction, schemas: z.ZodType[], value: string): string {
  const neutral = to === 'neutral' ? named(NEUTRAL_WORDS, value) : value;
  const isDeclared = schemas.some((schema) => schema._zod.values?.has(neutral));
  if (!isDeclared) return value;
  return to === 'neutral' ? neutral : named(WORDS, neutral);
}

function translateRecord(
  to: Direction,
  schemas: z.ZodType[],
  value: Record<string, unknown>,
): Record<string, unknown> {
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject);
  const names = namesOf(to, objects);
  const members = Object.entries(value).map(([name, member]) => {
    const other = named(names, name);
    const declared = to === 'neutral' ? other : name;
    return [other, translate(to, memberSchemas(schemas, declared, member), member)] as const;
  });
  const translated = Object.fromEntries(members);
  const declaresComponent = objects.some(({ shape }) => Object.hasOwn(shape, 'component'));
  if (!declaresComponent || !isRecord(translated.component)) return translated;
  const kind = kindOf(to === 'neutral' ? translated : value);
  return { ...translated, component: renamed(componentNames(to, kind), translated.component) };
}

function namesOf(to: Direction, objects: z.ZodObject[]): Names {
  const declares = (name: string) => objects.some(({ shape }) => Object.hasOwn(shape, name));
  const here = FIELDS.filter(({ neutral, beside }) => declares(neutral) && (!beside || declares(beside)));
  return Object.fromEntries(
    here.map(({ neutral, client }) => (to === 'neutral' ? [client, neutral] : [neutral, client])),
  );
}

function kindOf(neutral: Record<string, unknown>): string | undefined {
  return COMPONENT_SELECTORS.map((name) => neutral[name]).find((kind) => typeof kind === 'string') as
    | string
    | undefined;
}

function componentNames(to: Direction, kind: string | undefined): Names {
  const names = kind !== undefined && Object.hasOwn(COMPONENT_FIELDS, kind) ? COMPONENT_FIELDS[kind]! : {};
  return to === 'client' ? names : Object.fromEntries(Object.entries(names).map(([a, b]) => [b, a]));
}

const renamed = (names: Names, value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [named(names, name), member]));

const named = (names: Names, name: string): string => (Object.hasOwn(names, name) ? names[name]! : name);
