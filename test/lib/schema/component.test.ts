import { describe, expect, it } from 'vitest';
import {
  type Component,
  type ComponentRegistry,
  componentInput,
  componentSchema,
  freeFormComponent,
  parseComponent,
} from '#src/lib/schema/component.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { embeddingComponents } from '#src/models/embedding/registry.ts';
import { sinkComponents } from '#src/sinks/registry.ts';
import { sourceComponents } from '#src/sources/registry.ts';
import { collectIssues } from '#test/suites/component-rules.ts';

describe('componentSchema', () => {
  it.each<Component>([{ index_name: 1 }, { api_key: '********', other: 1 }])(
    'returns the schema of the type for %j',
    (component) => {
      expect(componentSchema(sinkComponents, 'VENDOR_E', component)).toBe(sinkComponents.VENDOR_E);
    },
  );

  it.each<Component>([{}, { class_name: 'X' }, { api_key: null }, { toString: 1 }])(
    'returns the free form for %j',
    (component) => {
      expect(componentSchema(sinkComponents, 'VENDOR_E', component)).toBe(freeFormComponent);
    },
  );

  it('returns the schema of the type for an empty component if nothing is required', () => {
    expect(componentSchema(embeddingComponents, 'PROVIDER_G_EMBEDDING', {})).toBe(
      embeddingComponents.PROVIDER_G_EMBEDDING,
    );
  });

  it('returns the free form for an unknown type', () => {
    expect(componentSchema(sinkComponents, 'OTHER', { api_key: 'k' })).toBe(freeFormComponent);
  });
});

describe('component description', () => {
  it.each<[string, ComponentRegistry, boolean]>([
    ['sinks', sinkComponents, true],
    ['sources', sourceComponents, true],
    ['embedding models', embeddingComponents, false],
  ])('of %s lists every type, and the free form where it is allowed', (_, registry, freeForm) => {
    const described = componentInput(registry, { freeForm }).meta()?.anyOf as {
      title?: string;
      type: string;
    }[];
    expect(described.map((each) => each.title ?? each.type)).toEqual([
      ...Object.keys(registry),
      ...(freeForm ? ['free-form'] : []),
      'null',
    ]);
    expect(JSON.stringify(described)).not.toContain('9007199254740991');
  });

  it('gives secrets the password format', () => {
    const described = JSON.stringify(
      componentInput({ VENDOR_D: sinkComponents.VENDOR_D }, { freeForm: true }).meta(),
    );
    expect(described).toContain('"db_uri":{"type":"string","format":"password"}');
  });

  it('accepts any object', () => {
    expect(embeddingConfig.parse({ component: { free: 1 } })).toEqual({ component: { free: 1 } });
  });
});

describe('component in a request', () => {
  const parse = (component: unknown, held: Parameters<typeof parseComponent>[3] = {}) =>
    parseComponent(sinkComponents, 'VENDOR_G', component, held);
  const valid = { api_key: 'k', collection_name: 'c', url: 'https://q.example' };

  it('is kept unchanged if no member resembles its type and the free form is allowed', () => {
    const free = { class_name: 'Own', anything: [null, { deep: true }] };
    expect(parse(free)).toEqual({ component: free, freeForm: true });
    const issues = collectIssues(() => parse(free, { freeForm: false }));
    expect(issues.map(({ loc }) => loc.at(-1))).toEqual(['anything', 'api_key', 'collection_name', 'url']);
  });

  it.each([[{}], [{ class_name: 'Own' }], [{ api_key: null }]])(
    'is validated against its type if it is empty: %j',
    (component) => {
      const issues = collectIssues(() => parse(component));
      expect(issues.map(({ loc, type }) => [loc.at(-1), type])).toEqual([
        ['api_key', 'missing'],
        ['collection_name', 'missing'],
        ['url', 'missing'],
      ]);
    },
  );

  it.each([
    ['colection_name', 'collection_name'],
    ['collectionName', 'collection_name'],
    ['API-Key', 'api_key'],
    ['max_retires', 'max_retries'],
  ])('reports %s as a misspelled member', (name, meant) => {
    expect(collectIssues(() => parse({ [name]: 'x' }))[0]).toEqual({
      loc: ['body', 'component', name],
      msg: `unknown field \`${name}\`; did you mean \`${meant}\`?`,
      type: 'extra_forbidden',
    });
  });

  it('reports all valid members if no name is similar', () => {
    const [issue] = collectIssues(() => parse({ ...valid, replicas: 3 }));
    expect(issue?.msg).toMatch(
      /^unknown field; the fields of VENDOR_G are class_name, api_key, .*max_retries/,
    );
  });

  it('accepts any value in maps and rejects unknown fields of objects', () => {
    const within = { ...valid, client_kwargs: { whatever: { deep: 1 } } };
    expect(parse(within).component).toMatchObject(within);
    const relational = {
      ...{ database: 'd', embed_dim: 3, host: 'h', password: 'p', port: 5432 },
      ...{ schema_name: 's', table_name: 't', user: 'u', hnsw_settings: { ef_serch: 3 } },
    };
    const [issue] = collectIssues(() => parseComponent(sinkComponents, 'VENDOR_F', relational));
    expect(issue).toMatchObject({
      loc: ['body', 'component', 'hnsw_settings', 'ef_serch'],
      msg: expect.stringContaining('`ef_search`'),
    });
  });

  it('can repeat stored members, known or unknown', () => {
    const stored = { ...valid, replicas: 3 };
    expect(parse({ ...stored, replicas: 4 }, { stored }).component).toMatchObject({ replicas: 4 });
    const misspelt = { colection_name: 'c' };
    expect(parse(misspelt, { stored: misspelt })).toEqual({ component: misspelt, freeForm: true });
  });

  it('reports at most 20 of thousands of unknown fields', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`collection_name_${n}`, n]));
    expect(collectIssues(() => parse({ ...valid, ...many }))).toHaveLength(20);
    expect(parse({ ['x'.repeat(100_000)]: 1 }).freeForm).toBe(true);
  });
});
