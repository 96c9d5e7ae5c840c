import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { DomainError } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';

/** Translates between the words of a mount's callers and those of the schemas. */
export interface Tongue {
  /** Converts a caller's input to the schema's form. Adds to `warnings` what has no effect. */
  heard(schema: z.ZodType, value: unknown, warnings: Warning[]): unknown;
  /** Converts a value of the schema to the caller's form. */
  said(schema: z.ZodType, value: unknown): unknown;
  /** Returns the error in the caller's words: a text, or the issues of an invalid input. */
  refused(error: DomainError): unknown;
  /**
   * Returns the whole error response if this mount has another shape for it. `status` is the service's own.
   */
  failed?(error: DomainError, status: ContentfulStatusCode): { status: ContentfulStatusCode; body: object };
  warned(warnings: Warning[]): Warning[];
}
