import type { Body } from '../../api/types.ts';

type Configuration = NonNullable<Body<'POST /api/v2/extract'>['configuration']>;

/** Options of an extraction, without the schema. */
export type Options = Omit<Configuration, 'data_schema'>;
