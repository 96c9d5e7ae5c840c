import { fromHono } from 'chanfana';
import type { Hono } from 'hono';
import { addExamples, type ExampleTranslation } from '../examples/describe.ts';
import type { ApiEnv } from '../http/middleware.ts';
import { register } from '../operation/endpoint.ts';
import type { Operation } from '../operation/operation-types.ts';
import { describeTags } from '../operation/tags.ts';
import { describeService, describeShared } from './description.ts';
import { VERSION } from './version.ts';

interface Described {
  paths: Record<string, Record<string, { tags?: string[] }>>;
  components: Record<string, Record<string, unknown>>;
}

interface About {
  title: string;
  description: string;
  /** Where the routes are mounted, when that is not the root. */
  mount?: string;
  /** Puts the description into the words of who reads it. */
  told?: (description: object) => object;
  translatedExamples?: ExampleTranslation;
}

/** Adds the operations to the routes, and /openapi.json that describes them. */
export function addDescribed(
  app: Hono<ApiEnv>,
  operations: readonly Operation[],
  { title, description, mount, told = (described) => described, translatedExamples }: About,
): void {
  const router = fromHono(app, {
    docs_url: null,
    redoc_url: null,
    openapi_url: null,
    openapiVersion: '3.1',
    passthroughErrors: true,
    schema: {
      info: {
        title,
        version: VERSION,
        description,
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
        contact: { name: 'The operator of this installation' },
      },
      servers: [{ url: mount ?? '/', description: 'This installation' }],
    },
  });
  describeShared(router.registry);
  register(router, operations);

  const describe = async () => {
    const published = withTags(dropUnusedComponents(told(describeService(router.schema)) as Described));
    const { default: examples } = await import('../examples/recorded.json');
    return addExamples(published, examples, translatedExamples);
  };
  let described: Promise<object> | undefined;
  app.get('/openapi.json', async (c) => {
    // Made on first request: walking every schema is work that start-up must not pay.
    described ??= describe();
    return c.json(await described);
  });
}

/** Adds the tags that operations of the description have. */
function withTags<D extends Described>(description: D) {
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
  return { ...description, tags: describeTags(new Set(operations.flatMap(({ tags = [] }) => tags))) };
}

/** Removes components that nothing refers to, which a mount with few operations has. Security schemes stay. */
function dropUnusedComponents<D extends Described>(description: D): D {
  const { components, ...rest } = description;
  const used = new Set<string>();
  const open = [...listReferences(rest)];
  for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
    if (used.has(reference)) continue;
    used.add(reference);
    const [, , kind = '', name = ''] = reference.split('/');
    open.push(...listReferences(components[kind]?.[name]));
  }
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    kind === 'securitySchemes' ? named : pickUsed(named, `#/components/${kind}/`, used),
  ]);
  return { ...description, components: Object.fromEntries(kept) };
}

const pickUsed = (named: Record<string, unknown>, prefix: string, used: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${prefix}${name}`)));

function* listReferences(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, member] of Object.entries(node)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* listReferences(member);
  }
}
