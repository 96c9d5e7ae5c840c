import type { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { KeyRow } from '#src/services/tenancy/api-keys.ts';
import type { ErrorStatus } from './error-responses.ts';
import type { Tag } from './tags.ts';

// Parts of an operation, and the types that follow from its schemas for handlers and callers.

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Reach of an operation. `public`: anyone. `project`: takes project_id and organization_id. `organization`:
 * takes organization_id. `resource`: addresses a resource by id, anywhere in the caller's tenant.
 */
export type Access = 'public' | 'project' | 'organization' | 'resource';

export type Body =
  /** `limit` is the maximum body size in bytes, if it should be lower than usual. */
  | { json: z.ZodType; optional?: boolean; limit?: number }
  /**
   * The handler reads the parts as a stream; the schema is only for the description. With `urlencoded`, a
   * form without a file may also be sent URL-encoded.
   */
  | { multipart: z.ZodObject; urlencoded?: boolean }
  /** The handler reads the bytes as a stream. */
  | { bytes: true };

export type Result =
  | { status: 200 | 201 | 202; json: z.ZodType }
  | { status: 204 }
  | {
      status: 200;
      content: Record<string, z.ZodType>;
      description: string;
      /** Whether the response supports preconditions and ranges according to RFC 9110. */
      conditional?: boolean;
      /** Condition under which it answers 204 without a body. */
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
/** A list may be returned as pages, which are sent as they are read. */
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
  /** Body as it was sent, to distinguish a missing member from null. */
  rawBody: unknown;
  request: Request;
  /** Request id for logs and error bodies. */
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
  /** Path with {parameters} in braces. */
  path: string;
  /** OpenAPI operationId in camel case. */
  id: Id;
  tag: Tag;
  /** Title in the imperative. */
  summary: string;
  /** Description in whole sentences for callers. */
  description: string;
  deprecated?: boolean;
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  response: R;
  /** Statuses besides those of every operation of its kind; see error-responses.ts. */
  errors?: readonly ErrorStatus[];
  /** Returns an answer to a request with an invalid body; undefined reports the body as invalid. */
  answerDespiteInvalidBody?(
    rawBody: unknown,
    ctx: () => Promise<TenantContext>,
  ): Promise<InferResult<R> | undefined>;
  /**
   * Starts reading the resource before the caller is authenticated. `handle` returns the result only to
   * callers who may see it.
   */
  preload?(input: { ctx: Context; params: Infer<P> }): Preload<E>;
  handle(input: HandlerInput<A, P, Q, B, E>): Promise<InferResult<R>> | InferPages<R>;
}

/** Two ways to read a resource: alone, or in one statement with the request's API key. */
export interface Preload<E> {
  alone(): Promise<E>;
  withKey(hash: string): Promise<{ row: KeyRow | undefined; found: E }>;
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
 * JSON types of an operation's request and response; `undefined` if there is none. For clients within this
 * repository.
 */
export interface Conversation<
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

export type Said<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
export type SaidBody<B> = B extends { json: infer Schema; optional: true }
  ? Said<Schema> | undefined
  : B extends { json: infer Schema }
    ? Said<Schema>
    : B extends { multipart: z.ZodObject }
      ? FormData
      : B extends { bytes: true }
        ? Blob
        : undefined;
export type Heard<R> = R extends { json: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : R extends { status: 204 }
    ? undefined
    : Response;
