import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import type { DomainError } from '#src/lib/errors.ts';
import type { Warning } from '#src/lib/schema/effect.ts';

/** Converts requests and responses between the schemas of the API and the format of other clients. */
export interface WireDialect {
  /** Converts a request value to the format of the schema. Adds a warning for each field without effect. */
  decodeRequest(schema: z.ZodType, value: unknown, warnings: Warning[]): unknown;
  /** Converts a response value from the format of the schema to that of the client. */
  encodeResponse(schema: z.ZodType, value: unknown): unknown;
  /** Returns an error in the format of the client: a text, or the issues of an invalid input. */
  encodeError(error: DomainError): unknown;
  /**
   * Returns the complete error response for clients that expect another error format. `status` is the status
   * that Sluice's own API would send.
   */
  buildErrorResponse?(
    error: DomainError,
    status: ContentfulStatusCode,
  ): { status: ContentfulStatusCode; body: object };
  translateWarnings(warnings: Warning[]): Warning[];
}
