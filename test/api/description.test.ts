import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '#src/lib/errors.ts';
import { type Description, publishedDescription, type Schema, violations } from '#test/support/openapi.ts';

type Node = Record<string, unknown>;

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; description?: string }[];
  responses: Record<string, { $ref?: string; headers?: Node }>;
}

const description = await publishedDescription();
const operations = Object.entries(description.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, spec]) => ({ name: `${method} ${path}`, ...(spec as Operation) })),
);

/** Every object of the description with the place where it stands. */
function* nodes(node: unknown, place = '#'): Generator<[string, Node]> {
  if (typeof node !== 'object' || node === null) return;
  yield [place, node as Node];
  for (const [name, member] of Object.entries(node)) yield* nodes(member, `${place}/${name}`);
}

const all = [...nodes(description)];

/** Where a text stands under this name; properties of that name hold schemas. */
function texts(name: string): [place: string, text: string][] {
  return all.flatMap(([place, node]) =>
    typeof node[name] === 'string' ? [[place, node[name]] as [string, string]] : [],
  );
}

function resolve(reference: string, root: Description): unknown {
  const names = reference.slice('#/'.length).split('/');
  return names.reduce<unknown>((at, name) => (at as Node | undefined)?.[name], root);
}

/**
 * What regular expressions of JavaScript, Go and Python all read, and read alike: no groups but plain ones, and of
 * the escapes with a letter those of classes, borders, white space and bytes.
 */
function isPortable(pattern: string): boolean {
  if (/\(\?(?!:)/.test(pattern) || /\[\[:/.test(pattern)) return false;
  const escapes = pattern.match(/\\(?:x[0-9a-fA-F]{2}|.)/gs) ?? [];
  if (!escapes.every((each) => /^\\([bBdDsSwWfnrtv]|x..|[^A-Za-z0-9])$/s.test(each))) return false;
  try {
    new RegExp(pattern, 'u');
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Of the registry of formats that OpenAPI names. */
const FORMATS = [
  'binary',
  'date',
  'date-time',
  'double',
  'email',
  'int32',
  'int64',
  'password',
  'uri',
  'uuid',
];

const CODES: ErrorCode[] = [
  'bad_request',
  'conflict',
  'forbidden',
  'internal',
  'invalid',
  'limit_reached',
  'not_found',
  'rate_limited',
  'too_large',
  'unauthenticated',
  'unavailable',
  'unsupported_media_type',
  'upstream',
];

describe('the description', () => {
  it('refers only to what it has', () => {
    const references = texts('$ref');
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter(([, reference]) => resolve(reference, description) === undefined)).toEqual([]);
  });

  it('has every component once, and refers to each', () => {
    const used = new Set(texts('$ref').map(([, reference]) => reference));
    const { securitySchemes: _, ...kinds } = description.components;
    const names = Object.entries(kinds).flatMap(([kind, components]) =>
      Object.keys(components).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });

  it('has only patterns that every language reads alike', () => {
    const patterns = texts('pattern');
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter(([, pattern]) => !isPortable(pattern))).toEqual([]);
  });

  it.each([
    String.raw`^\p{L}+$`,
    String.raw`^a\z`,
    '(?<name>a)',
    '(?P<name>a)',
    '(?=a)',
    '(?i)a',
    'a++',
    String.raw`\u{1f600}`,
    String.raw`\cA`,
    '[[:alpha:]]',
    String.raw`(a)\1`,
    '[',
  ])('would not have the pattern %s', (pattern) => {
    expect(isPortable(pattern)).toBe(false);
  });

  it('has only formats of the registry', () => {
    expect(texts('format').filter(([, format]) => !FORMATS.includes(format))).toEqual([]);
  });

  it('names no component as something that programs have already', () => {
    const taken = Object.keys(description.components.schemas ?? {}).filter((name) => name in globalThis);
    expect(taken).toEqual([]);
  });

  it('sums up every operation and describes it in sentences that say more', () => {
    expect(operations.filter(({ summary }) => !summary || summary.endsWith('.'))).toEqual([]);
    expect(
      operations.filter(
        ({ summary, description = '' }) => !description.endsWith('.') || description === `${summary}.`,
      ),
    ).toEqual([]);
  });

  it('has one tag for each operation, describes every tag, and has no other tags', () => {
    const used = operations.flatMap(({ tags = [] }) => tags);
    expect(used).toHaveLength(operations.length);
    expect(new Set(description.tags.map(({ name }) => name))).toEqual(new Set(used));
    expect(description.tags.filter((tag) => !tag.description.endsWith('.'))).toEqual([]);
  });

  it('names the credentials of every operation, also where it takes none', () => {
    const open = operations.filter(({ security }) => security?.length === 0);
    expect(open.map(({ operationId }) => operationId).toSorted()).toEqual([
      'getHealth',
      'getLiveness',
      'getReadiness',
      'signIn',
      'signOut',
    ]);
    expect(operations.filter(({ security }) => security === undefined)).toEqual([]);
  });

  it('says where the service is', () => {
    expect(description.servers).toEqual([{ url: '/', description: 'This installation' }]);
  });

  it('describes every parameter but the ids that paths are made of', () => {
    const bare = operations.flatMap(({ name, parameters = [] }) =>
      parameters
        .filter((parameter) => !parameter.description && !parameter.name.endsWith('id'))
        .map((parameter) => `${name} ${parameter.in} ${parameter.name}`),
    );
    expect(bare).toEqual([]);
  });

  it('names the request in every answer of the service; the runtime alone refuses large headers', () => {
    const silent = operations.flatMap(({ name, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status !== '431')
        .map(([status, given]) => {
          const response = given.$ref ? (resolve(given.$ref, description) as typeof given) : given;
          return { place: `${name} ${status}`, headers: response.headers ?? {} };
        })
        .filter(({ headers }) => !('x-request-id' in headers)),
    );
    expect(silent).toEqual([]);
  });

  it('shows a valid body of every failure, with the code that it has', () => {
    const shown = Object.values(description.components.responses ?? {}).map((response) => {
      const media = (response as { content: Record<string, { schema: { $ref: string }; example: Node }> })
        .content['application/json']!;
      const schema = resolve(media.schema.$ref, description) as Schema;
      const rooted = { ...schema, components: description.components };
      expect(violations(rooted as Schema, media.example)).toEqual([]);
      return media.example.code;
    });
    expect(shown.toSorted()).toEqual(CODES.toSorted());
  });

  it('gives examples and defaults that are valid where they stand', () => {
    const wrong = all.flatMap(([place, node]) => {
      if (place.endsWith('/properties')) return [];
      const { examples, default: ordinary, ...schema } = node;
      const values = [
        ...(Array.isArray(examples) ? examples : []),
        ...(ordinary === undefined ? [] : [ordinary]),
      ];
      return values.flatMap((value) => violations(schema as Schema, value).map((broken) => [place, broken]));
    });
    expect(wrong).toEqual([]);
  });
});
