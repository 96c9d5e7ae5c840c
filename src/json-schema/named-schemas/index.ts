import type { JsonSchema } from '#src/json-schema/schema.ts';
import { invoice } from './invoice.ts';
import { receipt } from './receipt.ts';
import { resume } from './resume.ts';

/** Schemas that clients can select by name instead of sending one. */
export const NAMED_SCHEMAS = { invoice, receipt, resume } as const satisfies Record<string, JsonSchema>;

export type NamedSchema = keyof typeof NAMED_SCHEMAS;

/** Name with which clients request a schema that is generated from the document. */
export const INFERRED_SCHEMA = 'imFeelingLucky';

export const SCHEMA_NAMES: readonly string[] = [...Object.keys(NAMED_SCHEMAS), INFERRED_SCHEMA];
