import { type HonoOpenAPIRouterType, OpenAPIRoute, type OpenAPIRouteSchema } from 'chanfana';
import type { Context as HonoContext } from 'hono';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { releasePermit, withoutPermit } from '#src/lib/admission/current-permit.ts';
import { collectWarnings, type EffectContext, type Warning } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import type { KeyReader } from '#src/services/tenancy/api-keys.ts';
import { requireScope } from '#src/services/tenancy/api-scopes.ts';
import { requireWriter } from '#src/services/tenancy/roles.ts';
import { admit } from '../http/admission.ts';
import { authenticate, hasKey, isSuspect } from '../http/auth.ts';
import { readClientAddress } from '../http/client-address.ts';
import { listExpandWarnings } from '../http/expand.ts';
import type { ApiEnv } from '../http/middleware.ts';
import { decodePath, decodeQuery, parseParts, readJson, requireForm } from '../http/read-input.ts';
import { headers } from '../http/response-headers.ts';
import { isPages, streamList } from '../http/stream-list.ts';
import { addWarningsHeader, getWarnings, withWarnings } from '../http/warnings.ts';
import type { WireDialect } from '../http/wire-dialect.ts';
import { buildErrorResponses } from './error-responses.ts';
import { toRoute } from './literal-colon.ts';
import type {
  Access,
  Body,
  Exchange,
  Method,
  Operation,
  OperationSpec,
  ReceivedJson,
  Result,
  SentBody,
  SentJson,
} from './operation-types.ts';
import { prepareRecord } from './record-change.ts';

/**
 * Declares an operation. The types of its handler follow from its schemas. Its id is kept as a literal type,
 * so that tables over all operations can be checked for completeness.
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
): Operation<Id> & { types?: Exchange<M, Path, SentJson<P>, SentJson<Q>, SentBody<B>, ReceivedJson<R>> } {
  // The list of all operations stores them without their individual types. The cast is safe, because
  // `execute` validates the input.
  return spec as unknown as Operation<Id>;
}

export const scopeQuery = z.object({
  project_id: uuid()
    .nullish()
    .describe(
      'Id of the project. Default: the project of the key, otherwise the default project of the organization.',
    ),
  organization_id: uuid()
    .nullish()
    .describe(
      'Id of the organization. Default: the organization of the project, otherwise of the key or session.',
    ),
});
const organizationQuery = scopeQuery.pick({ organization_id: true });
const binary = z.string().meta({ format: 'binary' });
const sessionCookie = z.object({
  session: z
    .string()
    .optional()
    .describe('Session cookie that a browser receives when it signs in, instead of a key.'),
});

export function register(router: HonoOpenAPIRouterType<ApiEnv>, operations: readonly Operation[]): void {
  for (const spec of operations) {
    router[spec.method](toRoute(spec.path), createRoute(spec));
  }
}

function createRoute(spec: Operation): typeof OpenAPIRoute {
  const query = buildQuerySchema(spec);
  return class extends OpenAPIRoute {
    override schema = describe(spec, query);
    override async handle(c: HonoContext<ApiEnv>): Promise<Response> {
      c.set('operation', spec.id);
      return spec.canSkipQueue ? execute(spec, query, c) : admit(c, () => execute(spec, query, c));
    }
  };
}

function buildQuerySchema(spec: Operation): z.ZodObject {
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
    spec.access === 'public'
      ? undefined
      : await authenticate(context, request, preloaded?.readKey, (state) => c.set('requestLimit', state));

  if (spec.body !== undefined && 'multipart' in spec.body) requireForm(request, spec.body.urlencoded);
  const dialect = c.get('dialect');
  const bodySchema = spec.body && 'json' in spec.body ? buildBodySchema(spec.body) : undefined;
  const { limit } = (spec.body ?? {}) as { limit?: number };
  const sent = bodySchema ? await withoutPermit(() => readJson(request, limit)) : undefined;
  const decodeWarnings: Warning[] = [];
  const decode = (schema: z.ZodType, value: unknown) =>
    dialect ? dialect.decodeRequest(schema, value, decodeWarnings) : value;
  const rawBody = bodySchema ? decode(bodySchema, sent) : sent;

  const parts = {
    ...(spec.params && { path: { schema: spec.params, value: decodePath(spec.params, c.req.param()) } }),
    query: { schema: query, value: decode(query, decodeQuery(query, search)) },
  };
  const createContext = async (values: { query: unknown }) => {
    const scope = takesScope(spec) ? (values.query as Partial<z.output<typeof scopeQuery>>) : {};
    if (!caller) return context;
    return authorize(spec, await caller.tenantContext(scope));
  };
  let values: ReturnType<typeof parseParts>;
  try {
    values = parseParts({ ...parts, ...(bodySchema && { body: { schema: bodySchema, value: rawBody } }) });
  } catch (error) {
    const ctx = async () => (await createContext(parseParts(parts))) as TenantContext;
    const answer = await spec.answerDespiteInvalidBody?.(rawBody, ctx);
    if (answer === undefined) throw error;
    return c.json(encodeAnswer(dialect, spec.response, answer) as object, spec.response.status as 200);
  }
  const ctx = await createContext(values);

  const record =
    caller && isWrite(spec)
      ? await prepareRecord({
          ...{ spec, ctx: ctx as TenantContext, requestId: c.get('requestId') },
          params: values.path as Record<string, unknown> | undefined,
          address: readClientAddress(request, context.settings),
        })
      : undefined;
  // The rest of an upload takes as long as its client sends.
  if (spec.body && !bodySchema) releasePermit();
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
    const list = await streamList(handled, context.log, (page) => encodeAnswer(dialect, spec.response, page));
    const streamed = c.body(list, spec.response.status, { 'content-type': 'application/json' });
    return addWarningsHeader(streamed, listExpandWarnings(query, search));
  }
  const result = await handled;
  await record?.(result);
  const found = [
    ...getWarnings(result),
    ...collectWarnings(query, parts.query.value),
    ...listExpandWarnings(query, search),
    ...(bodySchema ? collectWarnings(bodySchema, rawBody, buildEffectContext(ctx, result)) : []),
  ];
  const warnings = dialect ? [...decodeWarnings, ...dialect.translateWarnings(found)] : found;
  if (result instanceof Response) return addWarningsHeader(result, warnings);
  if (spec.response.status === 204) return addWarningsHeader(c.body(null, 204), warnings);
  const answer = encodeAnswer(dialect, spec.response, result) as object;
  return addWarningsHeader(c.json(withWarnings(answer, warnings), spec.response.status), warnings);
}

/** Returns what decides about warnings. The project of the resource may differ from the project of the request. */
function buildEffectContext(ctx: Context | TenantContext, answer: unknown): EffectContext {
  const { project_id: shown } = (answer ?? {}) as { project_id?: string };
  return {
    projectId: shown ?? ('projectId' in ctx ? ctx.projectId : undefined),
    hasSparseModel: ctx.models.sparseEmbedding !== undefined,
  };
}

function encodeAnswer(dialect: WireDialect | undefined, response: Result, answer: unknown): unknown {
  return dialect && 'json' in response ? dialect.encodeResponse(response.json, answer) : answer;
}

/**
 * Read of a resource that starts before the caller is authenticated. `readKey` reads the API key and the
 * resource in one statement, and is set for requests with a key. `found` returns the resource and is called
 * after authentication.
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
        const read = await preloading.readWithKey(hash);
        found = read.found;
        return read.row;
      },
      found: async () => found,
    };
  }
  const reading = preloading.readAlone();
  // If the request is rejected, nobody awaits the read. Its error must not become an unhandled rejection.
  reading.catch(() => {});
  return { found: () => reading };
}

/**
 * Returns the context in which an operation may run. Throws Forbidden if the scope of the caller's API key does not
 * include the one that the operation needs, or if a viewer would change something. All operations pass this check.
 */
async function authorize(spec: Operation, ctx: TenantContext): Promise<TenantContext> {
  // An operation without a declaration does not compile. Code that is not type-checked needs all rights.
  requireScope(ctx.actor, spec.needs ?? 'admin');
  return isWrite(spec) ? requireWriter(ctx, spec.access === 'resource') : ctx;
}

/** Returns whether an operation changes what others see, which viewers may not do. Such changes are recorded. */
export const isWrite = ({ needs, method }: Pick<Operation, 'needs' | 'method'>): boolean =>
  method !== 'get' && needs !== 'retrieve' && needs !== 'read';

const takesScope = (spec: Operation) => spec.access === 'project' || spec.access === 'organization';

function buildBodySchema(body: { json: z.ZodType; optional?: boolean }): z.ZodType {
  return body.optional ? body.json.nullish() : body.json;
}

function describe(spec: Operation, query: z.ZodObject): OpenAPIRouteSchema {
  const { response, body } = spec;
  const takesFields = body !== undefined || Object.keys(query.shape).length > 0;
  const responseHeaders = headers(
    'x-request-id',
    'traceresponse',
    ...(takesFields ? (['x-warnings'] as const) : []),
  );
  return {
    operationId: spec.id,
    tags: [spec.tag],
    summary: spec.summary,
    description: spec.description,
    ...(spec.deprecated && { deprecated: true }),
    // OpenAPI 3.0 allows scopes in `security` only for OAuth.
    security: spec.needs === null ? [] : [{ bearer: [] }, { session: [] }],
    ...(spec.needs !== null && { 'x-required-scope': spec.needs }),
    request: {
      ...(spec.params && { params: spec.params }),
      ...(Object.keys(query.shape).length > 0 && { query }),
      ...(spec.access !== 'public' && { cookies: sessionCookie }),
      ...(body && 'json' in body && buildJsonBody(body)),
      ...(body &&
        'multipart' in body && {
          body: { required: true, content: { 'multipart/form-data': { schema: body.multipart } } },
        }),
      ...(body &&
        'bytes' in body && {
          body: {
            required: true,
            content: { [body.type ?? 'application/octet-stream']: { schema: binary } },
          },
        }),
    },
    responses: {
      [response.status]: buildSuccess(response, responseHeaders),
      ...('content' in response && response.conditional && buildConditionalResponses(response)),
      ...('content' in response &&
        response.nothing && { 204: { description: response.nothing, headers: responseHeaders } }),
      ...buildErrorResponses({
        isPublic: spec.access === 'public',
        changes: spec.method !== 'get',
        namesThings: spec.params !== undefined || takesScope(spec),
        hasBody: body !== undefined,
        also: spec.errors ?? [],
      }),
    },
  } as OpenAPIRouteSchema;
}

function buildJsonBody(body: { json: z.ZodType; optional?: boolean }) {
  return {
    body: { required: !body.optional, content: { 'application/json': { schema: buildBodySchema(body) } } },
  };
}

type Headers = ReturnType<typeof headers>;

function buildSuccess(response: Result, headers: Headers) {
  if (!('json' in response) && !('content' in response)) return { description: 'Done', headers };
  if ('json' in response)
    return { description: 'Success', headers, content: { 'application/json': { schema: response.json } } };
  return { description: response.description, headers, content: buildContent(response) };
}

function buildContent({ content }: { content: Record<string, z.ZodType> }) {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function buildConditionalResponses(response: { content: Record<string, z.ZodType> }) {
  const answer = (description: string) => ({
    description,
    headers: headers('x-request-id', 'traceresponse'),
  });
  return {
    206: { ...answer('The part that Range asks for'), content: buildContent(response) },
    304: answer('Not changed since If-None-Match or If-Modified-Since'),
    412: answer('Changed since If-Match or If-Unmodified-Since'),
    416: answer('Range lies beyond its end'),
  };
}
