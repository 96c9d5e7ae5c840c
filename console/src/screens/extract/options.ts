import type { Body } from '../../api/types.ts';

type Configuration = NonNullable<Body<'POST /api/v2/extract'>['configuration']>;

/** Options of an extraction job, without the data schema. */
export type Options = Omit<Configuration, 'data_schema'>;
