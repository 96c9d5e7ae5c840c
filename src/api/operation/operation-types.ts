import type { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { KeyRow } from '#src/services/tenancy/api-keys.ts';
import type { ErrorStatus } from './error-responses.ts';
import type { Tag } from './tags.ts';

// What an operation is made of, and what its schemas make of it for its handler and for its callers.

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * How far an operation reaches. `public`: anyone. `project`: takes project_id and organization_id.
 * `organization`: takes organization_id. `resource`: reads one thing by its id wherever it is in the
 * caller's tenant.
 */
export type Access = 'public' | 'project' | 'organization' | 'resource';

export type Body =
  /** `limit`: bytes of the body, where much less is enough than what is usual. */
  | { json: z.ZodType; optional?: boolean; limit?: number }
  /**
   * The handler reads the parts itself, as a stream; the schema is for the description. `urlencoded`: a form without
   * a file may come so as well.
   */
  | { multipart: z.ZodObject; urlencoded?: boolean }
  /** The handler reads the bytes itself, as a stream. */
  | { bytes: true };

export type Result =
  | { status: 200 | 201 | 202; json: z.ZodType }
  | { status: 204 }
  | {
      status: 200;
      content: Record<string, z.ZodType>;
      description: string;
      /** It answers preconditions and ranges as RFC 9110 has them. */
      conditional?: boolean;
      /** When it answers 204 instead, without a body. */
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
/** A list may come in pages, which are sent as they are read. */
type InferPages<R> = R extends { json: z.ZodArray<infer Item extends z.ZodType> }
  ? AsyncIterable<z.input<Item>[]>
  : never;

/** The validated request of an operation, as its handler receives it. */
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
  /** The body as it was sent, to tell an omitted member from a null one. */
  rawBody: unknown;
  request: Request;
  /** The name under which logs and error bodies know this request. */
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
  /** With {parameters} in braces. */
  path: string;
  /** operationId, camelCase. */
  id: Id;
  tag: Tag;
  /** A few words in the imperative, as titles of lists show them. */
  summary: string;
  /** Whole sentences for people who call the operation. */
  description: string;
  deprecated?: boolean;
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  response: R;
  /** Statuses that it answers besides those that every operation of its kind does, see error-responses.ts. */
  errors?: readonly ErrorStatus[];
  /** What a request is answered with although its body is invalid; undefined: that it is. */
  answerDespiteInvalidBody?(
    rawBody: unknown,
    ctx: () => Promise<TenantContext>,
  ): Promise<InferResult<R> | undefined>;
  /** Reads while it is still being found out who asks. `handle` answers with that only for who may see it. */
  preload?(input: { ctx: Context; params: Infer<P> }): Preload<E>;
  handle(input: HandlerInput<A, P, Q, B, E>): Promise<InferResult<R>> | InferPages<R>;
}

/** Two ways to read the same: by itself, or in one statement with the key that the request came with. */
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

/** What a caller says and hears, in JSON; `undefined`: nothing. Types only, for clients written beside the service. */
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
