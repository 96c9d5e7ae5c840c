import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { DomainError } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';

/** How the callers of a mount of the API speak, where that is not the tongue of its schemas. */
export interface Tongue {
  /** What a caller sent, as the schema has it. Adds to `warnings` what of it is not done as it is asked for. */
  heard(schema: z.ZodType, value: unknown, warnings: Warning[]): unknown;
  /** What the schema describes, as the caller knows it. */
  said(schema: z.ZodType, value: unknown): unknown;
  /** What went wrong, in the caller's words: a text, or the issues of an invalid input. */
  refused(error: DomainError): unknown;
  /** The whole answer to a failure, where this mount has another shape for it; `status`: the service's own. */
  failed?(error: DomainError, status: ContentfulStatusCode): { status: ContentfulStatusCode; body: object };
  warned(warnings: Warning[]): Warning[];
}
