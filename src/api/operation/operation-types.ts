import type { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { ApiScope } from '#src/db/schema/index.ts';
import type { KeyRow } from '#src/services/tenancy/api-keys.ts';
import type { ErrorStatus } from './error-responses.ts';
import type { Tag } from './tags.ts';

// Types of an operation. The types of its handler and of its clients follow from its schemas.

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Access to an operation. `public` needs no credentials. `project` takes project_id and organization_id.
 * `organization` takes organization_id. `resource` addresses a resource by its id, anywhere in the caller's
 * tenant.
 */
export type Access = 'public' | 'project' | 'organization' | 'resource';

export type Body =
  /** JSON body. `limit` is its maximum size in bytes, if it is lower than usual. */
  | { json: z.ZodType; optional?: boolean; limit?: number }
  /**
   * Form body. The handler reads the form as a stream, so the schema is only used for the description. With
   * `urlencoded`, a form without a file may also be sent URL-encoded.
   */
  | { multipart: z.ZodObject; urlencoded?: boolean }
  /** Body that the handler reads as a stream. `type` is its media type if it is not just bytes. */
  | { bytes: true; type?: string };

export type Result =
  | { status: 200 | 201 | 202; json: z.ZodType }
  | { status: 204 }
  | {
      status: 200;
      content: Record<string, z.ZodType>;
      description: string;
      /** True if the response supports conditional requests and ranges according to RFC 9110. */
      conditional?: boolean;
      /** Describes when the response has status 204 and no body. */
      nothing?: string;
    };

type Infer<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type InferBody<B> = B extends { json: infer Schema; optional: true }
  ? Infer<Schema> | undefined
  : B extends { json: infer Schema }
    ? Infer<Schema>
    : undefined;
type InferResult<R> = R extends { json: infer Schema extends z.ZodType }
  ? z.input<Schema> | Response
  : R extends { status: 204 }
    ? unknown
    : Response;
/**
 * Pages of a list. A handler may return an iterable of pages, so that each page is sent when it has been
 * read.
 */
type InferPages<R> = R extends { json: z.ZodArray<infer Item extends z.ZodType> }
  ? AsyncIterable<z.input<Item>[]>
  : never;

/** Validated request of an operation, as its handler receives it. */
export interface HandlerInput<
  A extends Access,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends Body | undefined,
  E = unknown,
> {
  ctx: A extends 'public' ? Context : TenantContext;
  params: Infer<P>;
  query: Infer<Q>;
  body: InferBody<B>;
  preloaded: E | undefined;
  /** Body as it was sent, which distinguishes an absent field from null. */
  rawBody: unknown;
  request: Request;
  requestId: string;
}

export interface OperationSpec<
  A extends Access,
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends Body | undefined,
  R extends Result,
  E = unknown,
  Id extends string = string,
> {
  method: Method;
  /** Path with parameters in braces, such as `/files/{file_id}`. */
  path: string;
  /** OpenAPI operationId in camel case. */
  id: Id;
  tag: Tag;
  /** Summary in the imperative mood. */
  summary: string;
  /** Description for API users, in complete sentences. */
  description: string;
  deprecated?: boolean;
  access: A;
  /**
   * Scope that an API key needs. Null if the operation is public. A method other than GET may need `retrieve` or
   * `read` only if it changes nothing, or only what belongs to the caller alone, such as their conversations.
   */
  needs: A extends 'public' ? null : ApiScope;
  /**
   * True if programs call the operation for each file, document or job. Its audit events are stored after the
   * response, many in one statement.
   */
  isBulk?: true;
  /** True if requests never wait in the admission queue, because they observe an overloaded service. */
  canSkipQueue?: true;
  params?: P;
  query?: Q;
  body?: B;
  response: R;
  /** Error statuses of this operation, in addition to the common ones that error-responses.ts determines. */
  errors?: readonly ErrorStatus[];
  /**
   * Returns a response to a request with an invalid body. If it returns `undefined`, the body is reported as
   * invalid.
   */
  answerDespiteInvalidBody?(
    rawBody: unknown,
    ctx: () => Promise<TenantContext>,
  ): Promise<InferResult<R> | undefined>;
  /**
   * Starts to read the resource before the caller is authenticated. `handle` must return it only to callers
   * with access to it.
   */
  preload?(input: { ctx: Context; params: Infer<P> }): Preload<E>;
  handle(input: HandlerInput<A, P, Q, B, E>): Promise<InferResult<R>> | InferPages<R>;
}

/** Two ways to read a resource before authentication: alone, or in the same statement as the API key. */
export interface Preload<E> {
  readAlone(): Promise<E>;
  readWithKey(hash: string): Promise<{ row: KeyRow | undefined; found: E }>;
}

export type Operation<Id extends string = string> = OperationSpec<
  Access,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  Body | undefined,
  Result,
  unknown,
  Id
>;

/**
 * Types of an operation's request and response as JSON, for clients within this repository. A type is
 * `undefined` if the operation does not have that part.
 */
export interface Exchange<
  M extends Method = Method,
  Path extends string = string,
  Params = unknown,
  Query = unknown,
  Sent = unknown,
  Answer = unknown,
> {
  method: M;
  path: Path;
  params: Params;
  query: Query;
  body: Sent;
  answer: Answer;
}

export type SentJson<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
export type SentBody<B> = B extends { json: infer Schema; optional: true }
  ? SentJson<Schema> | undefined
  : B extends { json: infer Schema }
    ? SentJson<Schema>
    : B extends { multipart: z.ZodObject }
      ? FormData
      : B extends { bytes: true; type?: string }
        ? Blob
        : undefined;
export type ReceivedJson<R> = R extends { json: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : R extends { status: 204 }
    ? undefined
    : Response;
