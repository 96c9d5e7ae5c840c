import { z } from 'zod';

// Response schemas of Astra DB's Data API. They contain only the fields that Sluice reads.

const commandError = z.object({
  message: z.string(),
  errorCode: z.string().nullish(),
  /** Group of the error code. `SERVER` means a failure inside Astra DB, which may be temporary. */
  family: z.string().nullish(),
});
export type CommandError = z.output<typeof commandError>;

export interface Outcome<T> {
  errors: CommandError[];
  /** Result of the command. Always present if there are no errors. */
  result: T | undefined;
}

/**
 * Schema of a response that may contain errors. Astra DB sends errors with HTTP status 200, and the result
 * may be missing then.
 */
export const outcomeSchema = <T>(result: z.ZodType<T>): z.ZodType<Outcome<T>> =>
  z.looseObject({ errors: z.array(commandError).nullish() }).transform((answer, context) => {
    const errors = answer.errors ?? [];
    const { data, error } = result.safeParse(answer);
    if (error && errors.length === 0) {
      for (const { path } of error.issues) context.addIssue({ code: 'custom', path });
    }
    return { errors, result: data };
  });

const collection = z.object({
  name: z.string(),
  options: z
    .object({
      vector: z.object({ dimension: z.number(), metric: z.string().nullish() }).nullish(),
      indexing: z
        .object({ allow: z.array(z.string()).nullish(), deny: z.array(z.string()).nullish() })
        .nullish(),
    })
    .nullish(),
});
export type Collection = z.output<typeof collection>;

/**
 * Schema of a list of collections. Collections with unknown properties become `null`, because other programs
 * may have created them.
 */
export const collections = z.object({
  status: z.object({ collections: z.array(collection.nullable().catch(null)) }),
});

export const done = z.object({ status: z.looseObject({}) });

/**
 * Result of an insert for each document, in order. If a document failed, `errorsIdx` is the position of its
 * error in the list of errors.
 */
export const inserted = z.object({
  status: z.object({
    documentResponses: z.array(
      z.object({ _id: z.unknown(), status: z.string(), errorsIdx: z.int().nullish() }),
    ),
  }),
});

export const deleted = z.object({
  status: z.object({ deletedCount: z.number(), moreData: z.boolean().nullish() }),
});

export const updated = z.object({ status: z.object({ nextPageState: z.string().nullish() }) });

const point = z.object({
  document_id: z.string(),
  version: z.number(),
  position: z.number(),
  $similarity: z.number(),
});

/** Schema of search results. Documents that Sluice did not write become `null`. */
export const found = z.object({
  data: z.object({ documents: z.array(point.nullable().catch(null)) }),
});

export const named = z.object({ data: z.object({ documents: z.array(z.object({ _id: z.string() })) }) });
