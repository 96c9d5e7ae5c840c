import { type HonoOpenAPIRouterType, OpenAPIRoute, type OpenAPIRouteSchema } from 'chanfana';
import type { Context as HonoContext } from 'hono';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type Warning, warningsOf } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import type { KeyReader } from '#src/services/tenancy/api-keys.ts';
import { authenticate, hasKey, isSuspect } from '../http/auth.ts';
import type { ApiEnv } from '../http/middleware.ts';
import { decodePath, decodeQuery, parseParts, readJson, requireForm } from '../http/read-input.ts';
import { headers } from '../http/response-headers.ts';
import { isPages, streamList } from '../http/stream-list.ts';
import type { Tongue } from '../http/tongue.ts';
import { tellInHeader, warningsIn, withWarnings } from '../http/warnings.ts';
import { errorResponses } from './error-responses.ts';
import type {
  Access,
  Body,
  Conversation,
  Heard,
  Method,
  Operation,
  OperationSpec,
  Result,
  Said,
  SaidBody,
} from './operation-types.ts';

/**
 * Declares an operation. The types of its handler follow from its schemas, and its id is kept as a literal
 * type for exhaustive tables.
 */
export function operation<
  A extends Access,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  const B extends Body | undefined = undefined,
  const R extends Result = Result,
  E = undefined,
  const Id extends string = string,
  const M extends Method = Method,
  const Path extends string = string,
>(
  spec: OperationSpec<A, P, Q, B, R, E, Id> & { method: M; path: Path },
): Operation<Id> & { types?: Conversation<M, Path, Said<P>, Said<Q>, SaidBody<B>, Heard<R>> } {
  // The list of operations erases individual types; `execute` has validated the input.
  return spec as unknown as Operation<Id>;
}

export const scopeQuery = z.object({
  project_id: uuid()
    .nullish()
    .describe('By default that of the key, else the default project of the organization.'),
  organization_id: uuid().nullish().describe('By default that of the project, else of the key or session.'),
});
const organizationQuery = scopeQuery.pick({ organization_id: true });
const binary = z.string().meta({ format: 'binary' });
const sessionCookie = z.object({
  session: z.string().optional().describe('What signing in gives a browser, instead of a key.'),
});

export function register(router: HonoOpenAPIRouterType<ApiEnv>, operations: readonly Operation[]): void {
  for (const spec of operations) {
    const path = spec.path.replaceAll(/\{(\w+)\}/g, ':$1');
    router[spec.method](path, routeOf(spec));
  }
}

function routeOf(spec: Operation): typeof OpenAPIRoute {
  const query = queryOf(spec);
  return class extends OpenAPIRoute {
    override schema = describe(spec, query);
    override async handle(c: HonoContext<ApiEnv>): Promise<Response> {
      c.set('operation', spec.id);
      return execute(spec, query, c);
    }
  };
}

function queryOf(spec: Operation): z.ZodObject {
  const own = spec.query ?? z.object({});
  if (spec.access === 'project') return own.extend(scopeQuery.shape);
  return spec.access === 'organization' ? own.extend(organizationQuery.shape) : own;
}

async function execute(spec: Operation, query: z.ZodObject, c: HonoContext<ApiEnv>): Promise<Response> {
  const request = c.req.raw;
  const search = new URL(request.url).searchParams;
  const context = c.get('context');
  const preloaded = preload(spec, c);
  const caller =
    spec.access === 'public' ? undefined : await authenticate(context, request, preloaded?.readKey);

  const isJson = spec.body !== undefined && 'json' in spec.body;
  if (spec.body !== undefined && 'multipart' in spec.body) requireForm(request, spec.body.urlencoded);
  const tongue = c.get('tongue');
  const bodySchema = isJson ? bodySchemaOf(spec.body as { json: z.ZodType; optional?: boolean }) : undefined;
  const sent = bodySchema ? await readJson(request, (spec.body as { limit?: number }).limit) : undefined;
  const heard: Warning[] = [];
  const hear = (schema: z.ZodType, value: unknown) => (tongue ? tongue.heard(schema, value, heard) : value);
  const rawBody = bodySchema ? hear(bodySchema, sent) : sent;

  const parts = {
    ...(spec.params && { path: { schema: spec.params, value: decodePath(spec.params, c.req.param()) } }),
    query: { schema: query, value: hear(query, decodeQuery(query, search)) },
  };
  const contextOf = (values: { query: unknown }) => {
    const scope = takesScope(spec) ? (values.query as Partial<z.output<typeof scopeQuery>>) : {};
    return caller ? caller.tenantContext(scope) : context;
  };
  let values: ReturnType<typeof parseParts>;
  try {
    values = parseParts({ ...parts, ...(bodySchema && { body: { schema: bodySchema, value: rawBody } }) });
  } catch (error) {
    const ctx = async () => (await contextOf(parseParts(parts))) as TenantContext;
    const answer = await spec.answerDespiteInvalidBody?.(rawBody, ctx);
    if (answer === undefined) throw error;
    return c.json(saidBy(tongue, spec.response, answer) as object, spec.response.status as 200);
  }
  const ctx = await contextOf(values);

  const handled = spec.handle({
    ctx: ctx as TenantContext,
    params: values.path as never,
    query: values.query as never,
    body: values.body as never,
    preloaded: await preloaded?.found(),
    rawBody,
    request,
    requestId: c.get('requestId'),
  });
  if ('json' in spec.response && isPages(handled)) {
    const list = await streamList(handled, context.log, (page) => saidBy(tongue, spec.response, page));
    return c.body(list, spec.response.status, { 'content-type': 'application/json' });
  }
  const result = await handled;
  const found = [
    ...warningsIn(result),
    ...warningsOf(query, parts.query.value),
    ...(bodySchema ? warningsOf(bodySchema, rawBody, { projectId: projectOf(ctx, result) }) : []),
  ];
  const warnings = tongue ? [...heard, ...tongue.warned(found)] : found;
  if (result instanceof Response) return tellInHeader(result, warnings);
  if (spec.response.status === 204) return tellInHeader(c.body(null, 204), warnings);
  const answer = saidBy(tongue, spec.response, result) as object;
  return tellInHeader(c.json(withWarnings(answer, warnings), spec.response.status), warnings);
}

/** Returns the project of the returned resource, which may differ from the project of the request. */
function projectOf(ctx: Context | TenantContext, answer: unknown): string | undefined {
  const { project_id: shown } = (answer ?? {}) as { project_id?: string };
  return shown ?? ('projectId' in ctx ? ctx.projectId : undefined);
}

function saidBy(tongue: Tongue | undefined, response: Result, answer: unknown): unknown {
  return tongue && 'json' in response ? tongue.said(response.json, answer) : answer;
}

/**
 * A read that starts before the caller is known. `readKey`, set for a request with a key, reads the key and
 * the resource in one statement. `found` returns the resource once the caller is known.
 */
interface Preloaded {
  readKey?: KeyReader;
  found(): Promise<unknown>;
}

function preload(spec: Operation, c: HonoContext<ApiEnv>): Preloaded | undefined {
  if (!spec.preload || !spec.params || isSuspect(c.get('context'), c.req.raw)) return undefined;
  const params = spec.params.safeParse(decodePath(spec.params, c.req.param()));
  if (!params.success) return undefined;
  const preloading = spec.preload({ ctx: c.get('context'), params: params.data as never });
  if (hasKey(c.req.raw)) {
    let found: unknown;
    return {
      async readKey(hash) {
        const read = await preloading.withKey(hash);
        found = read.found;
        return read.row;
      },
      found: async () => found,
    };
  }
  const reading = preloading.alone();
  // Nobody awaits the read if the request is rejected, so its error must not become an unhandled rejection.
  reading.catch(() => {});
  return { found: () => reading };
}

const takesScope = (spec: Operation) => spec.access === 'project' || spec.access === 'organization';

function bodySchemaOf(body: { json: z.ZodType; optional?: boolean }): z.ZodType {
  return body.optional ? body.json.nullish() : body.json;
}

function describe(spec: Operation, query: z.ZodObject): OpenAPIRouteSchema {
  const { response, body } = spec;
  const takesFields = body !== undefined || Object.keys(query.shape).length > 0;
  const told = headers('x-request-id', 'traceresponse', ...(takesFields ? (['x-warnings'] as const) : []));
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.description,
    ...(spec.deprecated && { deprecated: true }),
    security: spec.access === 'public' ? [] : [{ bearer: [] }, { session: [] }],
    request: {
      ...(spec.params && { params: spec.params }),
      ...(Object.keys(query.shape).length > 0 && { query }),
      ...(spec.access !== 'public' && { cookies: sessionCookie }),
      ...(body && 'json' in body && jsonBody(body)),
      ...(body &&
        'multipart' in body && {
          body: { required: true, content: { 'multipart/form-data': { schema: body.multipart } } },
        }),
      ...(body &&
        'bytes' in body && {
          body: { required: true, content: { 'application/octet-stream': { schema: binary } } },
        }),
    },
    responses: {
      [response.status]: successOf(response, told),
      ...('content' in response && response.conditional && conditionalAnswers(response)),
      ...('content' in response &&
        response.nothing && { 204: { description: response.nothing, headers: told } }),
      ...errorResponses({
        isPublic: spec.access === 'public',
        changes: spec.method !== 'get',
        namesThings: spec.params !== undefined || takesScope(spec),
        hasBody: body !== undefined,
        also: spec.errors ?? [],
      }),
    },
  } as OpenAPIRouteSchema;
}

function jsonBody(body: { json: z.ZodType; optional?: boolean }) {
  return {
    body: { required: !body.optional, content: { 'application/json': { schema: bodySchemaOf(body) } } },
  };
}

type Headers = ReturnType<typeof headers>;

function successOf(response: Result, headers: Headers) {
  if (!('json' in response) && !('content' in response)) return { description: 'Done', headers };
  if ('json' in response)
    return { description: 'Success', headers, content: { 'application/json': { schema: response.json } } };
  return { description: response.description, headers, content: contentOf(response) };
}

function contentOf({ content }: { content: Record<string, z.ZodType> }) {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function conditionalAnswers(response: { content: Record<string, z.ZodType> }) {
  const answer = (description: string) => ({
    description,
    headers: headers('x-request-id', 'traceresponse'),
  });
  return {
    206: { ...answer('The part that Range asks for'), content: contentOf(response) },
    304: answer('Not changed since If-None-Match or If-Modified-Since'),
    412: answer('Changed since If-Match or If-Unmodified-Since'),
    416: answer('Range lies beyond its end'),
  };
}
