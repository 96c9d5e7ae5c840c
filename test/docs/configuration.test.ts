import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { readOptions } from '#server/options.ts';
import { PARSER_VARIABLES, SERVICE_VARIABLES } from '#server/variables.ts';
import { ocrSettingsSchema } from '#src/models/ocr/settings.ts';
import { settingsSchema } from '#src/settings/settings.ts';

const [page = ''] = Object.values(
  import.meta.glob<string>('../../docs/reference/configuration.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

/** Cells of the row that describes each variable. The first cell names one variable or several. */
const rows = new Map(
  [...page.matchAll(/^\| (`[^|]+`) \|.*$/gm)].flatMap(([row, names = '']) => {
    const cells = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, cells] as const);
  }),
);

const defaultCell = (name: string) => rows.get(name)?.at(-1);
const rangeCell = (name: string) => rows.get(name)?.at(-2);

type Variable = keyof typeof settingsSchema.shape;

/** Variables of the service that have a default. */
const defaults = Object.entries(settingsSchema.shape).flatMap(([name, schema]) => {
  const value = schema.safeParse(undefined).data;
  return value === undefined || Array.isArray(value) ? [] : [[name as Variable, value] as const];
});
const numericDefaults = defaults.filter(([, value]) => typeof value === 'number');
const otherDefaults = defaults.filter(([, value]) => typeof value !== 'number');

/** Number of cores that differs from all other defaults. */
const CORES = 12;

/** Variables that `npm start` reads for itself, and those of them that are numbers with their defaults. */
const { serverVariables, numericOptions } = readServerVariables();

function readServerVariables() {
  const names = new Set<string>();
  const environment = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void names.add(String(name)) });
  const options: Partial<Record<string, unknown>> = { ...readOptions({ environment, cores: CORES }) };
  const numbers = [...names].flatMap((name) => {
    const words = name.toLowerCase().replace(/seconds$/, 'ms');
    const value = options[words.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value !== 'number') return [];
    return [[name, words.endsWith('_ms') ? value / 1000 : value] as const];
  });
  return { serverVariables: [...names], numericOptions: numbers };
}

/** Describes the range of a number as the page does. */
function describeRange(schema: z.core.JSONSchema.BaseSchema): string {
  const { type, minimum, exclusiveMinimum, maximum = Infinity } = schema;
  const most = maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (exclusiveMinimum !== undefined && type === 'number') {
    return `more than ${exclusiveMinimum}${most === undefined ? '' : `, up to ${most}`}`;
  }
  const least = minimum ?? Number(exclusiveMinimum) + 1;
  return most === undefined ? `${least} or more` : `${least} to ${most}`;
}

describe('lists every variable', () => {
  it.each([
    ['the service', Object.keys(settingsSchema.shape)],
    ['optical character recognition', Object.keys(ocrSettingsSchema.shape)],
    ['npm start for itself', serverVariables],
    ['npm start for the service', SERVICE_VARIABLES],
    ['npm start for the parser', PARSER_VARIABLES],
  ])('of %s', (_, names) => {
    expect(names.filter((name) => !rows.has(name))).toEqual([]);
  });
});

describe('states the default', () => {
  it.each(numericDefaults)('of %s: %s', (name, value) => {
    expect(defaultCell(name)).toBe(String(value));
  });

  it.each(otherDefaults)('of %s: %s', (name, value) => {
    expect(defaultCell(name)).toContain(`\`${value}\``);
  });

  it.each(numericOptions)('of %s: %s', (name, value) => {
    expect(defaultCell(name)).toBe(value === CORES - 1 ? 'number of cores minus 1, at least 1' : `${value}`);
  });
});

describe('states the range', () => {
  it.each(numericDefaults)('of %s', (name) => {
    expect(rangeCell(name)).toBe(describeRange(settingsSchema.shape[name].toJSONSchema()));
  });

  it.each(numericOptions)('of %s', (name) => {
    const outOfRange = () => readOptions({ environment: { [name]: 'none' } });
    expect(outOfRange).toThrow(`It must be a number from ${rangeCell(name)}.`);
  });
});
