import { z } from 'zod';
import type { Warning } from '#src/lib/schema/effect.ts';
import { isRecord, listCandidates, memberSchemas } from '#src/lib/schema/zod-walk.ts';
import { componentForClient, componentFromClient, listUnknownSinkMembers } from './components.ts';
import { COMPONENT_SELECTORS, RENAMED_FIELDS } from './fields.ts';
import { pagesForClient, pagesFromClient } from './pages.ts';
import { CLIENT_WORDS, NEUTRAL_WORDS, SUBSTITUTES, toClientWord } from './words.ts';

interface Translation {
  to: 'neutral' | 'client';
  /** Warnings about words in the request that the service replaced by a similar word. */
  warnings: Warning[];
}
type Names = Readonly<Record<string, string>>;
type Path = readonly string[];

/**
 * Converts a value from a LlamaCloud client to the names of the API's schema. Values that the schema does not
 * describe stay unchanged. Adds a warning, with the path in the client's value, for each word that was
 * replaced by a similar one.
 */
export const toNeutral = (schema: z.ZodType, value: unknown, warnings: Warning[] = []): unknown =>
  translate({ to: 'neutral', warnings }, listCandidates(schema, value), value, []);

/**
 * Converts a value of the API to the names that LlamaCloud clients use. Values that the schema does not
 * describe stay unchanged.
 */
export const toClient = (schema: z.ZodType, value: unknown): unknown =>
  translate({ to: 'client', warnings: [] }, listCandidates(schema, value), value, []);

function translate(translation: Translation, schemas: z.ZodType[], value: unknown, path: Path): unknown {
  if (typeof value === 'string') return translateWord(translation, schemas, value, path);
  if (Array.isArray(value)) {
    const elements = schemas.flatMap((schema) => (schema instanceof z.ZodArray ? [schema.element] : []));
    if (elements.length === 0) return value;
    return value.map((member, index) => {
      const inner = elements.flatMap((element) => listCandidates(element as z.ZodType, member));
      return translate(translation, inner, member, [...path, String(index)]);
    });
  }
  return isRecord(value) ? translateRecord(translation, schemas, value, path) : value;
}

/** Translates a string only if the schema lists the API's own form of the string as an allowed value. */
function translateWord(
  { to, warnings }: Translation,
  schemas: z.ZodType[],
  value: string,
  path: Path,
): string {
  const isDeclared = (text: string) => schemas.some((schema) => isListed(schema, text));
  if (to === 'client') return isDeclared(value) ? translateName(CLIENT_WORDS, value) : value;
  const neutral = translateName(NEUTRAL_WORDS, value);
  if (isDeclared(neutral)) return neutral;
  const substitute = Object.hasOwn(SUBSTITUTES, value) ? SUBSTITUTES[value]! : undefined;
  if (!substitute || !isDeclared(substitute.neutral)) return value;
  warnings.push({ field: path.join('.'), reason: substitute.warning });
  return substitute.neutral;
}

/** Returns whether a schema lists a text as an allowed value, in its type or in its API description. */
function isListed(schema: z.ZodType, text: string): boolean {
  if (schema._zod.values?.has(text)) return true;
  const shown = schema.meta()?.enum;
  return Array.isArray(shown) && shown.includes(text);
}

function translateRecord(
  translation: Translation,
  schemas: z.ZodType[],
  value: Record<string, unknown>,
  path: Path,
): Record<string, unknown> {
  const isFromClient = translation.to === 'neutral';
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject);
  const names = getMemberNames(translation, objects);
  const members = Object.entries(value).map(([name, member]) => {
    const other = translateName(names, name);
    const inner = memberSchemas(schemas, isFromClient ? other : name, member);
    const translatedMember = translate(translation, inner, member, [...path, name]);
    const isParsing = Object.hasOwn(names, name) && (isFromClient ? other : name) === 'parse_parameters';
    return [other, isParsing ? translatePages(translation, translatedMember) : translatedMember] as const;
  });
  const translated = Object.fromEntries(members);
  const declaresComponent = objects.some(({ shape }) => Object.hasOwn(shape, 'component'));
  if (!declaresComponent || !isRecord(translated.component)) return translated;
  const kind = getKind(isFromClient ? translated : value);
  if (!isFromClient) return { ...translated, component: componentForClient(kind, translated.component) };
  const component = componentFromClient(kind, translated.component);
  if (typeof translated.sink_type !== 'string') return { ...translated, component };
  const ignored = listUnknownSinkMembers(translated.sink_type, component);
  const reason = `A data sink of type ${toClientWord(translated.sink_type)} has no such field. It is ignored.`;
  translation.warnings.push(
    ...ignored.map((name) => ({ field: [...path, 'component', name].join('.'), reason })),
  );
  const used = Object.entries(component).filter(([name]) => !ignored.includes(name));
  return { ...translated, component: Object.fromEntries(used) };
}

function getMemberNames({ to }: Translation, objects: z.ZodObject[]): Names {
  const declares = (name: string) => objects.some(({ shape }) => Object.hasOwn(shape, name));
  const here = RENAMED_FIELDS.filter(
    ({ neutral, onlyWith }) => declares(neutral) && (!onlyWith || declares(onlyWith)),
  );
  return Object.fromEntries(
    here.map(({ neutral, client }) => (to === 'neutral' ? [client, neutral] : [neutral, client])),
  );
}

function translatePages({ to }: Translation, parameters: unknown): unknown {
  if (!isRecord(parameters) || typeof parameters.target_pages !== 'string') return parameters;
  const counted = to === 'neutral' ? pagesFromClient : pagesForClient;
  return { ...parameters, target_pages: counted(parameters.target_pages) };
}

function getKind(neutral: Record<string, unknown>): string | undefined {
  return COMPONENT_SELECTORS.map((name) => neutral[name]).find((kind) => typeof kind === 'string') as
    | string
    | undefined;
}

const translateName = (names: Names, name: string): string =>
  Object.hasOwn(names, name) ? names[name]! : name;
