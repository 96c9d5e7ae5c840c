import { fromHono } from 'chanfana';
import type { Hono } from 'hono';
import { addExamples, type ExampleTranslation } from '../examples/describe.ts';
import type { ApiEnv } from '../http/middleware.ts';
import { register } from '../operation/endpoint.ts';
import type { Operation } from '../operation/operation-types.ts';
import { VERSION } from '../version.ts';
import { describeService, describeShared } from './description.ts';
import { type Described, dropUnusedComponents, withTags } from './description-parts.ts';

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
