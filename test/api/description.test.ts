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

/** Iterates over every object in the description with its path. */
function* nodes(node: unknown, place = '#'): Generator<[string, Node]> {
  if (typeof node !== 'object' || node === null) return;
  yield [place, node as Node];
  for (const [name, member] of Object.entries(node)) yield* nodes(member, `${place}/${name}`);
}

const all = [...nodes(description)];

/**
 * Returns the path and the value of every text property with the given name. Properties of schemas with that
 * name are objects and are skipped.
 */
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
 * Returns whether JavaScript, Go and Python read a regular expression in the same way. Only plain groups are
 * allowed, and letter escapes only for classes, word boundaries, white space and bytes.
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

/** Formats in the OpenAPI format registry. */
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

describe('the API description', () => {
  it('contains only references that can be resolved', () => {
    const references = texts('$ref');
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter(([, reference]) => resolve(reference, description) === undefined)).toEqual([]);
  });

  it('contains no unused component', () => {
    const used = new Set(texts('$ref').map(([, reference]) => reference));
    const { securitySchemes: _, ...kinds } = description.components;
    const names = Object.entries(kinds).flatMap(([kind, components]) =>
      Object.keys(components).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !used.has(name))).toEqual([]);
  });

  it('has only patterns that other languages read in the same way', () => {
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
  ])('would reject the pattern %s', (pattern) => {
    expect(isPortable(pattern)).toBe(false);
  });

  it('has only registered formats', () => {
    // A member of an example may have the same name.
    const formats = texts('format').filter(([place]) => !/\/examples?(?:\/|$)/.test(place));
    expect(formats.length).toBeGreaterThan(0);
    expect(formats.filter(([, format]) => !FORMATS.includes(format))).toEqual([]);
  });

  it('does not name a schema like a JavaScript global', () => {
    const taken = Object.keys(description.components.schemas ?? {}).filter((name) => name in globalThis);
    expect(taken).toEqual([]);
  });

  it('gives every operation a summary and a longer description', () => {
    expect(operations.filter(({ summary }) => !summary || summary.endsWith('.'))).toEqual([]);
    expect(
      operations.filter(
        ({ summary, description = '' }) => !description.endsWith('.') || description === `${summary}.`,
      ),
    ).toEqual([]);
  });

  it('gives each operation one tag, and describes every tag', () => {
    const used = operations.flatMap(({ tags = [] }) => tags);
    expect(used).toHaveLength(operations.length);
    expect(new Set(description.tags.map(({ name }) => name))).toEqual(new Set(used));
    expect(description.tags.filter((tag) => !tag.description.endsWith('.'))).toEqual([]);
  });

  it('declares the credentials of every operation', () => {
    const open = operations.filter(({ security }) => security?.length === 0);
    expect(open.map(({ operationId }) => operationId).toSorted()).toEqual([
      'acceptInvitation',
      'getHealth',
      'getLiveness',
      'getReadiness',
      'listSignInProviders',
      'signIn',
      'signOut',
    ]);
    expect(operations.filter(({ security }) => security === undefined)).toEqual([]);
  });

  it('lists the server', () => {
    expect(description.servers).toEqual([{ url: '/', description: 'This installation' }]);
  });

  it('describes every parameter except ids in paths', () => {
    const bare = operations.flatMap(({ name, parameters = [] }) =>
      parameters
        .filter((parameter) => !parameter.description && !parameter.name.endsWith('id'))
        .map((parameter) => `${name} ${parameter.in} ${parameter.name}`),
    );
    expect(bare).toEqual([]);
  });

  it('declares x-request-id for every response except 431', () => {
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

  it('has a valid example for every error code', () => {
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

  it('has valid examples and defaults', () => {
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
