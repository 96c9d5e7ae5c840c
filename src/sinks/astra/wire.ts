import { z } from 'zod';

// What the vendor's API answers, as far as it is read.

const commandError = z.object({
  message: z.string(),
  errorCode: z.string().nullish(),
  /** `SERVER`: a fault of the vendor's own, which may pass. */
  family: z.string().nullish(),
});
export type CommandError = z.output<typeof commandError>;

export interface Outcome<T> {
  errors: CommandError[];
  /** Always there when there are no errors. */
  result: T | undefined;
}

/** An answer with its errors, which come with a status of 200. Beside errors there may be no result. */
export const outcomeOf = <T>(result: z.ZodType<T>): z.ZodType<Outcome<T>> =>
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

/** Collections of somebody else may be of any shape. */
export const collections = z.object({
  status: z.object({ collections: z.array(collection.nullable().catch(null)) }),
});

/** Every command that changes something is answered with a status. */
export const done = z.object({ status: z.looseObject({}) });

/** In the order of the documents; `errorsIdx`: which of the answer's errors the document failed with. */
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

/** Documents of somebody else, whatever they look like, are none of ours. */
export const found = z.object({
  data: z.object({ documents: z.array(point.nullable().catch(null)) }),
});

/** Documents that were looked up by their ids. */
export const named = z.object({ data: z.object({ documents: z.array(z.object({ _id: z.string() })) }) });
