import { z } from 'zod';
import type { Warning } from '#src/lib/schema/effect.ts';
import { candidates, isRecord, memberSchemas } from '#src/lib/schema/zod-walk.ts';
import { componentForClient, componentFromClient } from './components.ts';
import { COMPONENT_SELECTORS, FIELDS } from './fields.ts';
import { pagesForClient, pagesFromClient } from './pages.ts';
import { NEUTRAL_WORDS, STAND_INS, WORDS } from './words.ts';

interface Way {
  to: 'neutral' | 'client';
  /** What of a client's words is not done as it is asked for. */
  warnings: Warning[];
}
type Names = Readonly<Record<string, string>>;
type Path = readonly string[];

/**
 * A value as the schema has it, of one that a client sent. What the schema leaves open stays as it is. Adds to
 * `warnings` what something else stands in for, at its path in what was sent.
 */
export const toNeutral = (schema: z.ZodType, value: unknown, warnings: Warning[] = []): unknown =>
  translate({ to: 'neutral', warnings }, candidates(schema, value), value, []);

/** A value as a client knows it, of one that the schema describes. What the schema leaves open stays as it is. */
export const toClient = (schema: z.ZodType, value: unknown): unknown =>
  translate({ to: 'client', warnings: [] }, candidates(schema, value), value, []);

function translate(way: Way, schemas: z.ZodType[], value: unknown, path: Path): unknown {
  if (typeof value === 'string') return word(way, schemas, value, path);
  if (Array.isArray(value)) {
    const elements = schemas.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.element] : []));
    if (elements.length === 0) return value;
    return value.map((member, index) => {
      const inner = elements.flatMap((element) => candidates(element as z.ZodType, member));
      return translate(way, inner, member, [...path, String(index)]);
    });
  }
  return isRecord(value) ? translateRecord(way, schemas, value, path) : value;
}

/** A word is one where the schema has a list of words with its neutral form in it. */
function word({ to, warnings }: Way, schemas: z.ZodType[], value: string, path: Path): string {
  const isDeclared = (text: string) => schemas.some((schema) => lists(schema, text));
  if (to === 'client') return isDeclared(value) ? named(WORDS, value) : value;
  const neutral = named(NEUTRAL_WORDS, value);
  if (isDeclared(neutral)) return neutral;
  const standIn = Object.hasOwn(STAND_INS, value) ? STAND_INS[value]! : undefined;
  if (!standIn || !isDeclared(standIn.neutral)) return value;
  warnings.push({ field: path.join('.'), reason: standIn.told });
  return standIn.neutral;
}

/** A list is an enum's, or what the API description shows as one. */
function lists(schema: z.ZodType, text: string): boolean {
  if (schema._zod.values?.has(text)) return true;
  const shown = schema.meta()?.enum;
  return Array.isArray(shown) && shown.includes(text);
}

function translateRecord(
  way: Way,
  schemas: z.ZodType[],
  value: Record<string, unknown>,
  path: Path,
): Record<string, unknown> {
  const isHeard = way.to === 'neutral';
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject);
  const names = namesOf(way, objects);
  const members = Object.entries(value).map(([name, member]) => {
    const other = named(names, name);
    const inner = memberSchemas(schemas, isHeard ? other : name, member);
    const said = translate(way, inner, member, [...path, name]);
    const isParsing = Object.hasOwn(names, name) && (isHeard ? other : name) === 'parse_parameters';
    return [other, isParsing ? withPages(way, said) : said] as const;
  });
  const translated = Object.fromEntries(members);
  const declaresComponent = objects.some(({ shape }) => Object.hasOwn(shape, 'component'));
  if (!declaresComponent || !isRecord(translated.component)) return translated;
  const kind = kindOf(isHeard ? translated : value);
  const inWords = isHeard ? componentFromClient : componentForClient;
  return { ...translated, component: inWords(kind, translated.component) };
}

function namesOf({ to }: Way, objects: z.ZodObject[]): Names {
  const declares = (name: string) => objects.some(({ shape }) => Object.hasOwn(shape, name));
  const here = FIELDS.filter(({ neutral, beside }) => declares(neutral) && (!beside || declares(beside)));
  return Object.fromEntries(
    here.map(({ neutral, client }) => (to === 'neutral' ? [client, neutral] : [neutral, client])),
  );
}

function withPages({ to }: Way, parameters: unknown): unknown {
  if (!isRecord(parameters) || typeof parameters.target_pages !== 'string') return parameters;
  const counted = to === 'neutral' ? pagesFromClient : pagesForClient;
  return { ...parameters, target_pages: counted(parameters.target_pages) };
}

function kindOf(neutral: Record<string, unknown>): string | undefined {
  return COMPONENT_SELECTORS.map((name) => neutral[name]).find((kind) => typeof kind === 'string') as
    | string
    | undefined;
}

const named = (names: Names, name: string): string => (Object.hasOwn(names, name) ? names[name]! : name);
